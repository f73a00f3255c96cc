// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package dl

/*
#cgo linux LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

static uintptr_t gs_go_open(const char *name, int only_if_loaded, const char **reason) {
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | (only_if_loaded ? RTLD_NOLOAD : 0));
	*reason = handle ? NULL : dlerror();
	return (uintptr_t)handle;
}
static uintptr_t gs_go_symbol(uintptr_t handle, const char *name) { return (uintptr_t)dlsym((void *)handle, name); }
static uintptr_t gs_go_call(uintptr_t fn, uintptr_t a, uintptr_t b, uintptr_t c) {
	return ((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t))fn)(a, b, c);
}
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Mode says how this build calls C: "purego" or "cgo".
const Mode = "cgo"

// Open opens a library permanently; with onlyIfLoaded only one that is in the process. The reason is that of a failure.
func Open(name string, onlyIfLoaded bool) (handle uintptr, reason string) {
	// The text of a failure belongs to the OS thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var why *C.char
	only := C.int(0)
	if onlyIfLoaded {
		only = 1
	}
	if found := C.gs_go_open(text, only, &why); found != 0 {
		return uintptr(found), ""
	}
	return 0, C.GoString(why)
}

// Symbol is the address of a symbol, or 0.
func Symbol(handle uintptr, name string) uintptr {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return uintptr(C.gs_go_symbol(C.uintptr_t(handle), text))
}

// Call calls a function of C that takes up to three integers or addresses.
func Call(fn, a, b, c uintptr) uintptr {
	return uintptr(C.gs_go_call(C.uintptr_t(fn), C.uintptr_t(a), C.uintptr_t(b), C.uintptr_t(c)))
}
