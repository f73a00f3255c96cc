// SPDX-License-Identifier: Apache-2.0

package gpustream

import "testing"

func TestRanges(t *testing.T) {
	outer := must[Range](t)(StartRange("outer"))
	inner := must[Range](t)(StartRange("inner"))
	ok(t, Mark("a moment"))
	ok(t, outer.End()) // they need not nest
	ended := make(chan error)
	go func() { ended <- inner.End() }()
	ok(t, <-ended)
	wants(t, ErrScope, inner.End())
	wants(t, ErrScope, Range{}.End())
}
