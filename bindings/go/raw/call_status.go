// SPDX-License-Identifier: Apache-2.0

package raw

import (
	_ "unsafe" // go:linkname

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
)

// cgocall is the runtime's, which purego uses too: it runs a function of C on the thread's own stack and returns the 32 bits that
// the function returns. So a status needs no memory that both sides see, which is what makes calls by cgo and purego slower.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, args *registers) int32

// registers are a function of C and its arguments. The trampolines read them before they call it: a callback into Go may move
// the stack with them.
type registers struct{ fn, a, b, c, d, e, f, g, h uintptr }

// ask1 is a function with a handle and an output that is 0 or 1, which needs no memory of Go's: the answer, if the status is Ok.
func ask1(index int, a uintptr) (bool, Status) {
	fn, instead := address(index)
	if fn == 0 {
		return false, Status(instead)
	}
	return answer(cgocall(trampolineAsk, &registers{fn: fn, a: a}))
}

//go:uintptrescapes
func call0(index int) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn}))
}

//go:uintptrescapes
func call1(index int, a uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a}))
}

//go:uintptrescapes
func call2(index int, a, b uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b}))
}

//go:uintptrescapes
func call3(index int, a, b, c uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c}))
}

//go:uintptrescapes
func call4(index int, a, b, c, d uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c, d: d}))
}

//go:uintptrescapes
func call5(index int, a, b, c, d, e uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c, d: d, e: e}))
}

//go:uintptrescapes
func call6(index int, a, b, c, d, e, f uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c, d: d, e: e, f: f}))
}

//go:uintptrescapes
func call7(index int, a, b, c, d, e, f, g uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c, d: d, e: e, f: f, g: g}))
}

//go:uintptrescapes
func call8(index int, a, b, c, d, e, f, g, h uintptr) Status {
	fn, instead := address(index)
	if fn == 0 {
		return Status(instead)
	}
	return Status(cgocall(trampoline, &registers{fn: fn, a: a, b: b, c: c, d: d, e: e, f: f, g: g, h: h}))
}

// long3 is a function without a status, whose result has 64 bits.
//
//go:uintptrescapes
func long3(index int, a, b, c uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return dl.Call(fn, a, b, c)
}

//go:uintptrescapes
func long2(index int, a, b uintptr) uintptr { return long3(index, a, b, 0) }

//go:uintptrescapes
func long1(index int, a uintptr) uintptr { return long3(index, a, 0, 0) }

func long0(index int) uintptr { return long3(index, 0, 0, 0) }
