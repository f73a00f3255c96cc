// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Stream is an ordered queue of device work. Two streams that New made are never the same driver stream.
type Stream struct{ handle owned }

// Current is the current stream of the thread that a call runs on: see the package's remarks on threads.
var Current = StreamFromHandle(raw.StreamCurrent)

// A StreamOption changes what NewStream makes.
type StreamOption func(*streamOptions)

type streamOptions struct {
	device   Device
	priority int
	flags    uint32
}

// OnDevice makes the stream on a device instead of the current one.
func OnDevice(device Device) StreamOption { return func(o *streamOptions) { o.device = device } }

// Priorities without a device's numbers: the highest that it has, the usual one, and the lowest.
const (
	HighPriority   = math.MinInt32
	NormalPriority = 0
	LowPriority    = math.MaxInt32
)

// Priority of the stream; lower is more urgent, and what is out of range is clamped. HighPriority and LowPriority are ends of
// the range of any device.
func Priority(priority int) StreamOption { return func(o *streamOptions) { o.priority = priority } }

// Blocking orders the stream with the null stream.
func Blocking() StreamOption { return func(o *streamOptions) { o.flags |= raw.StreamBlocking } }

// Shared takes the stream from a pool of 32 for each device and priority.
func Shared() StreamOption { return func(o *streamOptions) { o.flags |= raw.StreamShared } }

// Dedicated makes a driver stream that is never reused.
func Dedicated() StreamOption { return func(o *streamOptions) { o.flags |= raw.StreamDedicated } }

// inRange is the priority as C has it, where int has 64 bits.
func (o *streamOptions) inRange() int32 {
	return int32(min(max(o.priority, HighPriority), LowPriority))
}

// NewStream makes a stream on the current device.
func NewStream(options ...StreamOption) (*Stream, error) {
	o := streamOptions{device: CurrentDevice}
	for _, option := range options {
		option(&o)
	}
	return newStream(get(func(out *raw.Stream) Status {
		return raw.StreamCreate(raw.Device(o.device), o.inRange(), o.flags, out)
	}))
}

// StreamFromNative wraps a cudaStream_t that lives at least as long as the wrap; 0 and 1 are the default stream, 2 that of
// the thread. ErrInvalidHandle, or ErrDeviceMismatch: it is not a stream of the device.
func StreamFromNative(device Device, native uintptr) (*Stream, error) {
	return newStream(get(func(out *raw.Stream) Status { return raw.StreamFromNative(raw.Device(device), native, out) }))
}

// StreamFromHandle takes over a reference to a handle of the C interface.
func StreamFromHandle(handle raw.Stream) *Stream {
	s := &Stream{}
	s.handle.Store(uint64(handle))
	return s
}

// DefaultStream is the null stream of a device.
func DefaultStream(device Device) (*Stream, error) {
	handle, err := of(raw.DefaultStream, raw.Device(device))
	if err != nil {
		return nil, err
	}
	return StreamFromHandle(handle), nil // is always there, so that a forgotten one is no leak
}

// GetStream returns the stream that is current on the calling thread, as an owner of its own.
func GetStream(device Device) (*Stream, error) {
	return newStream(get(func(out *raw.Stream) Status {
		if status := raw.CurrentStream(raw.Device(device), out); status != raw.Ok {
			return status
		}
		return raw.StreamRetain(*out)
	}))
}

func newStream(handle raw.Stream, err error) (*Stream, error) {
	o, err := own("stream", uint64(handle), err)
	return (*Stream)(o), err
}

// Handle is the handle of the C interface; 0 if the stream is nil or closed.
func (s *Stream) Handle() raw.Stream { return raw.Stream((*object)(s).load()) }

// Close gives the stream back. Its work goes on.
func (s *Stream) Close() error {
	if s == Current {
		return nil
	}
	return closed((*object)(s), raw.StreamDestroy)
}

// Clone is another owner of the stream; that of Current owns the stream that is current on the calling thread.
func (s *Stream) Clone() (*Stream, error) {
	handle := s.Handle()
	if handle == raw.StreamCurrent {
		return GetStream(CurrentDevice)
	}
	return newStream(handle, call(func() Status { return raw.StreamRetain(handle) }))
}

// settled calls a function with the stream; for Current with an owner of the one that it is now, as the thread may be another one
// at the next call.
func (s *Stream) settled(fn func(s *Stream) error) error {
	if s.Handle() != raw.StreamCurrent {
		return fn(s)
	}
	owner, err := s.Clone()
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close() }() // gives back what Clone took
	return fn(owner)
}

// Native is the cudaStream_t.
func (s *Stream) Native() (uintptr, error) { return of(raw.StreamNative, s.Handle()) }

// IntoNative closes the stream and returns its cudaStream_t, which the caller then destroys. It has to be dedicated.
func (s *Stream) IntoNative() (uintptr, error) {
	native, err := of(raw.StreamIntoNative, s.Handle())
	if err == nil {
		s.handle.Store(0)
	}
	return native, err
}

// Device is where the stream is.
func (s *Stream) Device() (Device, error) {
	device, err := of(raw.StreamDevice, s.Handle())
	return Device(device), err
}

// Priority is the one that the stream got.
func (s *Stream) Priority() (int, error) {
	info, err := sized(raw.StreamGetInfo, s.Handle())
	return int(info.Priority), err
}

// Equal reports whether both are the same driver stream.
func (s *Stream) Equal(other *Stream) (bool, error) {
	return ask(func(out *int32) Status { return raw.StreamEqual(s.Handle(), other.Handle(), out) })
}

func (s *Stream) String() string { return fmt.Sprintf("stream %#x", uint64(s.Handle())) }

// Record marks the work submitted so far with an event.
func (s *Stream) Record(event *Event) error {
	runtime.LockOSThread()
	status := raw.EventRecord(event.Handle(), s.Handle())
	return finish(status)
}

// WaitEvent lets later work wait for an event's last record.
func (s *Stream) WaitEvent(event *Event) error {
	runtime.LockOSThread()
	status := raw.StreamWaitEvent(s.Handle(), event.Handle())
	return finish(status)
}

// WaitStream lets later work wait for what another stream has now.
func (s *Stream) WaitStream(other *Stream) error {
	runtime.LockOSThread()
	status := raw.StreamWaitStream(s.Handle(), other.Handle())
	return finish(status)
}

// finish is the end of a call on a locked thread.
func finish(status Status) error {
	if status != raw.Ok {
		return finishFailed(status)
	}
	runtime.UnlockOSThread()
	return nil
}

func finishFailed(status Status) error {
	err := failure(status)
	runtime.UnlockOSThread()
	return err
}

// Done reports whether all work is done.
func (s *Stream) Done() (bool, error) {
	runtime.LockOSThread()
	done, status := raw.AskStream(s.Handle())
	return done, finish(status)
}

// Synchronize waits until the work submitted so far is done. With a context that can end, the goroutine sleeps in the
// network poller and no OS thread is blocked; if the context ends first, its error is returned and the work goes on.
func (s *Stream) Synchronize(ctx context.Context) error {
	return s.settled(func(s *Stream) error {
		handle := s.Handle()
		return await(ctx, func(ns int64) Status { return raw.StreamSynchronizeFor(handle, ns) },
			func(queue raw.Queue, token uint64) Status { return raw.QueueAddStream(queue, handle, token) })
	})
}

// Sleep keeps the stream busy: cycles of the device's clock, nanoseconds on the host backend.
func (s *Stream) Sleep(cycles uint64) error {
	return call(func() Status { return raw.StreamSleep(s.Handle(), cycles) })
}

// Capturing reports whether the stream is being captured.
func (s *Stream) Capturing() (bool, error) {
	return ask(func(out *int32) Status { return raw.StreamIsCapturing(s.Handle(), out) })
}
