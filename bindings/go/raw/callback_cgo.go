// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package raw

/*
#include <stdint.h>

extern void gsGoHost(uintptr_t arg);
extern void gsGoHostAgain(uintptr_t arg);
extern void gsGoNotify(uintptr_t arg, int32_t status);
extern int32_t gsGoStatus(uintptr_t arg);
extern void gsGoLog(uintptr_t arg, int32_t level, uintptr_t text);
extern void gsGoCheck(uintptr_t arg, uintptr_t text, uintptr_t report);
extern int32_t gsGoWrite(uintptr_t arg, uintptr_t text, uintptr_t bytes);
*/
import "C"

import "unsafe"

//export gsGoHost
func gsGoHost(arg C.uintptr_t) { onHost(uintptr(arg)) }

//export gsGoHostAgain
func gsGoHostAgain(arg C.uintptr_t) { onHostAgain(uintptr(arg)) }

//export gsGoNotify
func gsGoNotify(arg C.uintptr_t, status C.int32_t) { onNotify(uintptr(arg), Status(status)) }

//export gsGoStatus
func gsGoStatus(arg C.uintptr_t) C.int32_t { return C.int32_t(onStatus(uintptr(arg))) }

//export gsGoLog
func gsGoLog(arg C.uintptr_t, level C.int32_t, text C.uintptr_t) {
	onLog(uintptr(arg), int32(level), uintptr(text))
}

//export gsGoCheck
func gsGoCheck(arg, text, report C.uintptr_t) { onCheck(uintptr(arg), uintptr(text), uintptr(report)) }

//export gsGoWrite
func gsGoWrite(arg, text, bytes C.uintptr_t) C.int32_t {
	return C.int32_t(onWrite(uintptr(arg), uintptr(text), uintptr(bytes)))
}

func addressOf(fn *[0]byte) uintptr { return uintptr(unsafe.Pointer(fn)) }

// HostFunction is for C functions that take void (*)(void *arg) and call it once.
func HostFunction() uintptr { return addressOf((*[0]byte)(C.gsGoHost)) }

// HostAgainFunction is as HostFunction, for what is called any number of times.
func HostAgainFunction() uintptr { return addressOf((*[0]byte)(C.gsGoHostAgain)) }

// NotifyFunction is for StreamNotify.
func NotifyFunction() uintptr { return addressOf((*[0]byte)(C.gsGoNotify)) }

// StatusFunction is for CallOnInit.
func StatusFunction() uintptr { return addressOf((*[0]byte)(C.gsGoStatus)) }

// LogFunction is for SetLogCallback.
func LogFunction() uintptr { return addressOf((*[0]byte)(C.gsGoLog)) }

// CheckFunction is for SetCheckCallback.
func CheckFunction() uintptr { return addressOf((*[0]byte)(C.gsGoCheck)) }

// WriteFunction is for GraphWriteDot.
func WriteFunction() uintptr { return addressOf((*[0]byte)(C.gsGoWrite)) }
