// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package raw

import (
	_ "unsafe" // go:linkname

	_ "github.com/ebitengine/purego" // makes runtime.cgocall work without cgo
)

// The trampolines (trampolines_*.s): trampoline calls a function that returns a status, trampolineAsk one with an output of 32 bits.
var trampoline, trampolineAsk uintptr

// syscallN is purego's, which copies its arguments. Declared noescape here, they stay on the stack, and a call allocates
// nothing.
//
//go:linkname syscallN github.com/ebitengine/purego.SyscallN
//go:noescape
func syscallN(fn uintptr, args ...uintptr) (r1, r2, err uintptr)

//go:uintptrescapes
func long0(index int) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn)
	return result
}

//go:uintptrescapes
func long1(index int, a uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a)
	return result
}

//go:uintptrescapes
func long2(index int, a, b uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b)
	return result
}

//go:uintptrescapes
func long3(index int, a, b, c uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c)
	return result
}
