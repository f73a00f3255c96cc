// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package raw

/*
#include <stdint.h>

// All arguments of the library's functions are integers or pointers, which take one register or slot of the stack each.
static uintptr_t gs_go_call0(uintptr_t fn) { return ((uintptr_t(*)(void))fn)(); }
static uintptr_t gs_go_call1(uintptr_t fn, uintptr_t a) { return ((uintptr_t(*)(uintptr_t))fn)(a); }
static uintptr_t gs_go_call2(uintptr_t fn, uintptr_t a, uintptr_t b) { return ((uintptr_t(*)(uintptr_t, uintptr_t))fn)(a, b); }
static uintptr_t gs_go_call3(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c); }
static uintptr_t gs_go_call4(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c, d); }
static uintptr_t gs_go_call5(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c, d, e); }
static uintptr_t gs_go_call6(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c, d, e, f); }
static uintptr_t gs_go_call7(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c, d, e, f, g); }
static uintptr_t gs_go_call8(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h) { return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c, d, e, f, g, h); }

// A function with a handle and an output that is 0 or 1: -1 for 1, else the status.
static int32_t gs_go_ask1(uintptr_t fn, uintptr_t a) {
    int32_t out = 0;
    const int32_t status = ((int32_t(*)(uintptr_t, int32_t *))fn)(a, &out);
    return status == 0 && out != 0 ? -1 : status;
}
*/
import "C"

// ask1 is a function with a handle and an output that is 0 or 1, which needs no memory of Go's: the answer, if the status is Ok.
func ask1(index int, a uintptr) (bool, Status) {
	fn, instead := address(index)
	if fn == 0 {
		return false, Status(instead)
	}
	return answer(int32(C.gs_go_ask1(C.uintptr_t(fn), C.uintptr_t(a))))
}

//go:uintptrescapes
func call0(index int) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call0(C.uintptr_t(fn)))
}

//go:uintptrescapes
func call1(index int, a uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call1(C.uintptr_t(fn), C.uintptr_t(a)))
}

//go:uintptrescapes
func call2(index int, a, b uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call2(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b)))
}

//go:uintptrescapes
func call3(index int, a, b, c uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call3(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c)))
}

//go:uintptrescapes
func call4(index int, a, b, c, d uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call4(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d)))
}

//go:uintptrescapes
func call5(index int, a, b, c, d, e uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call5(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d), C.uintptr_t(e)))
}

//go:uintptrescapes
func call6(index int, a, b, c, d, e, f uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call6(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d), C.uintptr_t(e), C.uintptr_t(f)))
}

//go:uintptrescapes
func call7(index int, a, b, c, d, e, f, g uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call7(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d), C.uintptr_t(e), C.uintptr_t(f), C.uintptr_t(g)))
}

//go:uintptrescapes
func call8(index int, a, b, c, d, e, f, g, h uintptr) uintptr {
	fn, instead := address(index)
	if fn == 0 {
		return instead
	}
	return uintptr(C.gs_go_call8(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c), C.uintptr_t(d), C.uintptr_t(e), C.uintptr_t(f), C.uintptr_t(g), C.uintptr_t(h)))
}

//go:uintptrescapes
func long0(index int) uintptr { return call0(index) }

//go:uintptrescapes
func long1(index int, a uintptr) uintptr { return call1(index, a) }

//go:uintptrescapes
func long2(index int, a, b uintptr) uintptr { return call2(index, a, b) }

//go:uintptrescapes
func long3(index int, a, b, c uintptr) uintptr { return call3(index, a, b, c) }
