// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"sync"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Scope is what Enter opened: a stream and its device are current for the goroutine, which stays on its OS thread.
// Scopes nest, and the innermost is closed first.
type Scope struct{ token uint64 }

// outputs of calls that shall not allocate. They are on the heap, since C writes to them.
var outputs = sync.Pool{New: func() any { return new(output) }}

type output struct{ token uint64 }

func enter(push func(out *uint64) Status) (Scope, error) {
	out := outputs.Get().(*output)
	runtime.LockOSThread() // until the scope is closed
	if status := push(&out.token); status != raw.Ok {
		err := failure(status)
		runtime.UnlockOSThread()
		outputs.Put(out)
		return Scope{}, err
	}
	scope := Scope{out.token}
	outputs.Put(out)
	return scope, nil
}

// Enter makes the stream and its device current for this goroutine until the scope is closed.
func (s *Stream) Enter() (Scope, error) {
	handle := s.Handle()
	return enter(func(out *uint64) Status { return raw.PushCurrentStream(handle, out) })
}

// Close restores what was current before Enter. ErrScope: the scope is not the innermost one of this goroutine, which
// keeps what it has.
func (s Scope) Close() error {
	if s.token == 0 { // which means the innermost one to C
		return bare(ErrScope, "this scope was never opened")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	status := raw.PopCurrentStream(s.token)
	if status == raw.Ok {
		runtime.UnlockOSThread() // of Enter
		return nil
	}
	return failure(status)
}

// Do runs a function in which the stream is current.
func (s *Stream) Do(fn func() error) (err error) { return do(s.Enter, fn) }

// Do runs a function in which the device is current.
func (d Device) Do(fn func() error) (err error) { return do(d.Enter, fn) }

func do(enter func() (Scope, error), fn func() error) (err error) {
	scope, err := enter()
	if err != nil {
		return err
	}
	defer func() {
		if closed := scope.Close(); err == nil {
			err = closed
		}
	}()
	return fn()
}

// GetDevice returns the current device of the calling thread.
func GetDevice() (Device, error) {
	device, err := get(raw.CurrentDevice)
	return Device(device), err
}
