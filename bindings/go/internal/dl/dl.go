// SPDX-License-Identifier: Apache-2.0

// Package dl opens shared libraries: through cgo, or through purego in programs without cgo.
package dl

import (
	"errors"
	"strings"
)

// Text is a text as C has it, which ends at the first NUL: one inside is refused.
func Text(text string) (*byte, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, errors.New("the text has a NUL, at which C would cut it")
	}
	return &append([]byte(text), 0)[0], nil
}
