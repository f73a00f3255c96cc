// SPDX-License-Identifier: Apache-2.0

package gpustream

import "github.com/gpustream/gpustream/bindings/go/raw"

// A Range is a part of a program by name, which traces, the log and tools of NVTX show. Any goroutine may end it.
type Range struct{ number uint64 }

// StartRange begins a range.
func StartRange(name string) (Range, error) {
	number := new(uint64)
	err := withText(name, func(name *byte) Status { return raw.RangeStart(name, number) })
	return Range{*number}, err
}

// End ends the range. ErrScope: it has ended.
func (r Range) End() error { return call(func() Status { return raw.RangeEnd(r.number) }) }

// Mark marks a moment of the calling thread.
func Mark(text string) error { return withText(text, raw.Mark) }
