// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package raw

import (
	_ "unsafe" // go:linkname

	_ "github.com/ebitengine/purego"
)

// syscallN is purego's. It copies its arguments, which its own declaration does not say: declared like this, they stay
// on the stack, and a call allocates nothing.
//
//go:linkname syscallN github.com/ebitengine/purego.SyscallN
//go:noescape
func syscallN(fn uintptr, args ...uintptr) (r1, r2, err uintptr)

//go:uintptrescapes
func call0(index int) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn)
	return result
}

//go:uintptrescapes
func call1(index int, a uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a)
	return result
}

//go:uintptrescapes
func call2(index int, a, b uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b)
	return result
}

//go:uintptrescapes
func call3(index int, a, b, c uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c)
	return result
}

//go:uintptrescapes
func call4(index int, a, b, c, d uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c, d)
	return result
}

//go:uintptrescapes
func call5(index int, a, b, c, d, e uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c, d, e)
	return result
}

//go:uintptrescapes
func call6(index int, a, b, c, d, e, f uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c, d, e, f)
	return result
}

//go:uintptrescapes
func call7(index int, a, b, c, d, e, f, g uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c, d, e, f, g)
	return result
}

//go:uintptrescapes
func call8(index int, a, b, c, d, e, f, g, h uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	result, _, _ := syscallN(fn, a, b, c, d, e, f, g, h)
	return result
}
