// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package raw

import (
	"sync"

	"github.com/ebitengine/purego"
)

// The addresses of the functions that C calls. purego has room for 2,000 of a process, so each form has one.
var (
	hostFunction      = sync.OnceValue(func() uintptr { return purego.NewCallback(func(arg uintptr) { onHost(arg) }) })
	hostAgainFunction = sync.OnceValue(func() uintptr { return purego.NewCallback(func(arg uintptr) { onHostAgain(arg) }) })
	notifyFunction    = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(arg, status uintptr) { onNotify(arg, Status(status)) })
	})
	statusFunction = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(arg uintptr) uintptr { return uintptr(onStatus(arg)) })
	})
	logFunction = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(arg, level, text uintptr) { onLog(arg, int32(level), text) })
	})
	checkFunction = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(arg, text, report uintptr) { onCheck(arg, text, report) })
	})
	writeFunction = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(arg, text, bytes uintptr) uintptr { return uintptr(onWrite(arg, text, bytes)) })
	})
)

// HostFunction is for C functions that take void (*)(void *arg) and call it once.
func HostFunction() uintptr { return hostFunction() }

// HostAgainFunction is as HostFunction, for what is called any number of times.
func HostAgainFunction() uintptr { return hostAgainFunction() }

// NotifyFunction is for StreamNotify.
func NotifyFunction() uintptr { return notifyFunction() }

// StatusFunction is for CallOnInit.
func StatusFunction() uintptr { return statusFunction() }

// LogFunction is for SetLogCallback.
func LogFunction() uintptr { return logFunction() }

// CheckFunction is for SetCheckCallback.
func CheckFunction() uintptr { return checkFunction() }

// WriteFunction is for GraphWriteDot.
func WriteFunction() uintptr { return writeFunction() }
