// SPDX-License-Identifier: Apache-2.0

package raw

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Functions of Go's that C may call, by the number that C passes on as their argument.
var (
	callbacks     sync.Map // uintptr -> any
	lastCallback  uintptr
	callbackMutex sync.Mutex
)

// Register keeps a function for C and returns its argument. C calls a HostFunction for a func(), a NotifyFunction for a
// func(Status), a StatusFunction for a func() Status; a LogFunction for a func(level int32, text string), a CheckFunction
// for a func(text, report string), a WriteFunction for a func(text []byte) Status.
func Register(function any) uintptr {
	callbackMutex.Lock()
	lastCallback++
	arg := lastCallback
	callbackMutex.Unlock()
	callbacks.Store(arg, function)
	return arg
}

// Unregister forgets a function that C will not call any more.
func Unregister(arg uintptr) { callbacks.Delete(arg) }

var panicHandler atomic.Pointer[func(value any, stack []byte)]

// SetPanicHandler sets what gets the panics of functions that C called, which cannot go on through C. With nil, as at
// first, they are printed.
func SetPanicHandler(fn func(value any, stack []byte)) {
	if fn == nil {
		panicHandler.Store(nil)
		return
	}
	panicHandler.Store(&fn)
}

// contain ends a panic. To be deferred.
func contain(failed *Status) {
	value := recover()
	if value == nil {
		return
	}
	if failed != nil {
		*failed = ErrorInternal
	}
	if report := panicHandler.Load(); report != nil {
		defer func() { _ = recover() }() // of the handler itself
		(*report)(value, debug.Stack())
		return
	}
	fmt.Fprintf(os.Stderr, "gpustream: a callback panicked: %v\n%s", value, debug.Stack())
}

// taken returns a function of one call, and forgets it.
func taken[F any](arg uintptr) F {
	function, _ := callbacks.LoadAndDelete(arg)
	found, _ := function.(F)
	return found
}

func kept[F any](arg uintptr) F {
	function, _ := callbacks.Load(arg)
	found, _ := function.(F)
	return found
}

func onHost(arg uintptr) {
	defer contain(nil)
	if fn := taken[func()](arg); fn != nil {
		fn()
	}
}

// onHostAgain is called at each launch of a graph.
func onHostAgain(arg uintptr) {
	defer contain(nil)
	if fn := kept[func()](arg); fn != nil {
		fn()
	}
}

func onNotify(arg uintptr, status Status) {
	defer contain(nil)
	if fn := taken[func(Status)](arg); fn != nil {
		fn(status)
	}
}

func onStatus(arg uintptr) (status Status) {
	defer contain(&status)
	if fn := taken[func() Status](arg); fn != nil {
		return fn()
	}
	return ErrorInternal
}

func onLog(arg uintptr, level int32, text uintptr) {
	defer contain(nil)
	if fn := kept[func(int32, string)](arg); fn != nil {
		fn(level, textAt(text))
	}
}

func onCheck(arg, text, report uintptr) {
	defer contain(nil)
	if fn := kept[func(string, string)](arg); fn != nil {
		fn(textAt(text), textAt(report))
	}
}

func onWrite(arg, text, bytes uintptr) (status Status) {
	defer contain(&status)
	if fn := kept[func([]byte) Status](arg); fn != nil {
		return fn(Bytes(text, int(bytes)))
	}
	return ErrorInternal
}
