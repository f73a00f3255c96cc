// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"syscall"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Thread is the OS thread to which LockThread locked the goroutine: what is made current there stays so until Release.
type Thread struct {
	id int
	// What makes current again what the methods have replaced, the newest last; each of them once.
	restore []func() Status
	device  bool
	streams map[raw.Device]bool
	pools   bool
}

// LockThread locks the calling goroutine to its OS thread.
func LockThread() *Thread {
	runtime.LockOSThread()
	return &Thread{id: syscall.Gettid(), streams: map[raw.Device]bool{}}
}

func (t *Thread) check() error {
	if t.id != syscall.Gettid() {
		return bare(ErrNotPermitted, "this goroutine does not run on the thread that was locked")
	}
	return nil
}

func (t *Thread) keepDevice() error {
	if t.device {
		return nil
	}
	found, err := get(raw.CurrentDevice)
	if err != nil {
		return err
	}
	t.device = true
	// First of the list, so that it is restored last: a stream brings its device along.
	t.restore = append([]func() Status{func() Status { return raw.SetCurrentDevice(found) }}, t.restore...)
	return nil
}

// The found object is retained, since what is borrowed ends when the thread has another one.
func keep[T any](t *Thread, find func(*T) Status, retain, set, destroy func(T) Status) error {
	found, err := get(func(out *T) Status {
		if status := find(out); status != raw.Ok {
			return status
		}
		return retain(*out)
	})
	if err != nil {
		return err
	}
	t.restore = append(t.restore, func() Status {
		status := set(found)
		if destroyed := destroy(found); status == raw.Ok {
			status = destroyed
		}
		return status
	})
	return nil
}

func (t *Thread) keepStream(device raw.Device) error {
	if t.streams[device] {
		return nil
	}
	find := func(out *raw.Stream) Status { return raw.CurrentStream(device, out) }
	if err := keep(t, find, raw.StreamRetain, raw.SetCurrentStream, raw.StreamDestroy); err != nil {
		return err
	}
	t.streams[device] = true
	return nil
}

func (t *Thread) keepPools() error {
	if t.pools {
		return nil
	}
	count, err := get(func(out *int32) Status { return raw.DeviceCount(raw.BackendDefault, out) })
	if err != nil {
		return err
	}
	for device := raw.Device(0); device < raw.Device(count); device++ {
		find := func(out *raw.Pool) Status { return raw.CurrentPool(device, out) }
		if err := keep(t, find, raw.PoolRetain, raw.SetCurrentPool, raw.PoolDestroy); err != nil {
			return err
		}
	}
	t.pools = true
	return nil
}

// SetStream makes a stream and its device current.
func (t *Thread) SetStream(stream *Stream) error {
	if err := t.check(); err != nil {
		return err
	}
	device, err := of(raw.StreamDevice, stream.Handle())
	if err != nil {
		return err
	}
	if err := t.keepDevice(); err != nil {
		return err
	}
	if err := t.keepStream(device); err != nil {
		return err
	}
	return call(func() Status { return raw.SetCurrentStream(stream.Handle()) })
}

// SetDevice makes a device current.
func (t *Thread) SetDevice(device Device) error {
	if err := t.check(); err != nil {
		return err
	}
	if err := t.keepDevice(); err != nil {
		return err
	}
	return call(func() Status { return raw.SetCurrentDevice(raw.Device(device)) })
}

// SetPool makes a pool the one that Stream.Malloc uses on its device and this thread.
func (t *Thread) SetPool(pool *Pool) error {
	if err := t.check(); err != nil {
		return err
	}
	if err := t.keepPools(); err != nil {
		return err
	}
	return call(func() Status { return raw.SetCurrentPool(pool.Handle()) })
}

// Release makes current again what the methods have replaced, and ends the lock: the thread goes back to the scheduler as it was. It
// also ends after a failure to restore something, which it returns.
func (t *Thread) Release() error {
	if err := t.check(); err != nil {
		return err
	}
	var failed error
	for i := len(t.restore) - 1; i >= 0; i-- {
		if err := call(t.restore[i]); err != nil && failed == nil {
			failed = err
		}
	}
	*t = Thread{}
	runtime.UnlockOSThread()
	return failed
}
