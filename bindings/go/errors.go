// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Status is the result of a call of the library. It is a target of errors.Is.
type Status = raw.Status

// An Error is a failed call, with all that the library knows about it.
type Error struct {
	Status Status
	// Why there is no backend, beside ErrUnavailable.
	Reason int32
	// Whose call failed; 0 if none was involved.
	Backend Backend
	// The driver's code (a CUresult), or errno beside ErrSystem.
	NativeCode int32
	// The device has become unusable in this process.
	Sticky bool
	// The function of the library, and the driver's function or system call.
	Function, NativeFunction string
	Message                  string
	// Where a sticky failure was first detected.
	Origin string
	// What the failed call was given; 0 if there was none. They may have ended since.
	Stream raw.Stream
	Event  raw.Event
	// The device that it was given, else that of its stream or event; raw.DeviceNone if there is none.
	Device Device
	cause  error
}

func (e *Error) Error() string {
	text := e.Message
	if !strings.HasPrefix(text, "gs_") && e.Function != "" {
		text = e.Function + ": " + text
	}
	if e.NativeFunction != "" && !strings.Contains(text, e.NativeFunction) { // messages of driver failures begin with it
		text += fmt.Sprintf(" (%s: %d)", e.NativeFunction, e.NativeCode)
	}
	return fmt.Sprintf("%s [%s]", text, e.Status)
}

// Is makes errors.Is(err, ErrScope) work.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Unwrap is the *raw.LoadError if there is no library.
func (e *Error) Unwrap() error { return e.cause }

// call runs a function of the library; its failure is recorded for the OS thread, which must not change before it is read.
func call(fn func() Status) error {
	runtime.LockOSThread()
	status := fn()
	if status == raw.Ok {
		runtime.UnlockOSThread()
		return nil
	}
	err := failure(status)
	runtime.UnlockOSThread()
	return err
}

// end releases what an owner's word holds, which happens once. If the call is refused where it is made, in a host function
// or during a capture, the word keeps it for a later call.
func end[T uint64 | uintptr](word interface {
	Swap(T) T
	Store(T)
}, release func(T) Status) error {
	held := word.Swap(0)
	if held == 0 {
		return nil
	}
	err := call(func() Status { return release(held) })
	if errors.Is(err, ErrNotPermitted) || errors.Is(err, ErrCapturing) {
		word.Store(held)
	}
	return err
}

// failure is the error of a status that the last call on this thread returned.
func failure(status Status) error {
	if status == raw.NotLoaded {
		err := raw.Load("")
		found := &Error{Device: Device(raw.DeviceNone), Status: ErrUnavailable, Reason: raw.ReasonNoLibrary, cause: err, Message: "there is no library"}
		if err != nil {
			found.Message = err.Error()
			if errors.Is(err, raw.ErrWrongABI) {
				found.Status, found.Reason = ErrNotSupported, raw.ReasonNone
			}
		}
		return found
	}
	if name := raw.Missing(status); name != "" {
		return &Error{Device: Device(raw.DeviceNone), Status: ErrUnavailable, Reason: raw.ReasonNoSymbol, Function: name,
			Message: fmt.Sprintf("%s is too old and lacks this function", raw.Path())}
	}
	info := raw.ErrorInfo{StructSize: errorInfoSize}
	// Neither of them leaves a record.
	if status == ErrTimeout || status == ErrNotReady || raw.LastError(&info) != raw.Ok || info.Status != status {
		return bare(status, "")
	}
	return &Error{
		Status: status, Reason: info.Reason, Backend: info.Backend, NativeCode: info.NativeCode, Sticky: info.Sticky != 0,
		Function: raw.TextIn(info.Function[:]), NativeFunction: raw.TextIn(info.NativeFunction[:]),
		Message: raw.TextIn(info.Message[:]), Origin: raw.TextIn(info.Origin[:]),
		Stream: info.Stream, Event: info.Event, Device: Device(info.Device),
	}
}

// bare is an error without a record: of a completion, or of a check of this package.
func bare(status Status, message string) *Error {
	if message == "" {
		message = raw.StatusMessage(status)
	}
	return &Error{Status: status, Message: message, Device: Device(raw.DeviceNone)}
}
