// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"sync"
	"syscall"

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

// A Thread is the OS thread to which LockThread locked the goroutine: what is made current there stays so until Release.
type Thread struct{ id int }

// LockThread locks the calling goroutine to its OS thread.
func LockThread() *Thread {
	runtime.LockOSThread()
	return &Thread{syscall.Gettid()}
}

func (t *Thread) check() error {
	if t.id != syscall.Gettid() {
		return bare(ErrNotPermitted, "this goroutine does not run on the thread that was locked")
	}
	return nil
}

// SetStream makes a stream and its device current.
func (t *Thread) SetStream(stream *Stream) error {
	if err := t.check(); err != nil {
		return err
	}
	return call(func() Status { return raw.SetCurrentStream(stream.Handle()) })
}

// SetDevice makes a device current.
func (t *Thread) SetDevice(device Device) error {
	if err := t.check(); err != nil {
		return err
	}
	return call(func() Status { return raw.SetCurrentDevice(raw.Device(device)) })
}

// Release ends the lock. The thread, and with it what is current there, goes back to the scheduler: restore it before.
func (t *Thread) Release() error {
	if err := t.check(); err != nil {
		return err
	}
	t.id = 0
	runtime.UnlockOSThread()
	return nil
}

// GetDevice returns the current device of the calling thread.
func GetDevice() (Device, error) {
	device, err := get(raw.CurrentDevice)
	return Device(device), err
}
