// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// An Event marks a point of a stream. Before its first record it counts as reached.
type Event struct{ handle owned }

// An EventFlag changes what NewEvent makes.
type EventFlag uint32

// The flags of events.
const (
	Timing        = EventFlag(raw.EventTiming)
	BlockingEvent = EventFlag(raw.EventBlocking)
	Interprocess  = EventFlag(raw.EventInterprocess)
	External      = EventFlag(raw.EventExternal)
)

// IPCHandle names an exported event in other processes.
type IPCHandle = raw.IpcHandle

// NewEvent makes an event. The first stream that records it decides its device.
func NewEvent(flags ...EventFlag) (*Event, error) {
	return newEvent(of(raw.EventCreate, union(flags)))
}

// EventFromNative wraps a cudaEvent_t that lives at least as long as the wrap.
func EventFromNative(device Device, native uintptr) (*Event, error) {
	return newEvent(get(func(out *raw.Event) Status { return raw.EventFromNative(raw.Device(device), native, out) }))
}

// EventFromIPC opens an event of another process.
func EventFromIPC(device Device, handle *IPCHandle) (*Event, error) {
	return newEvent(get(func(out *raw.Event) Status { return raw.EventIpcOpen(raw.Device(device), handle, out) }))
}

// EventFromHandle takes over a reference to a handle of the C interface.
func EventFromHandle(handle raw.Event) *Event {
	e := &Event{}
	e.handle.Store(uint64(handle))
	return e
}

func newEvent(handle raw.Event, err error) (*Event, error) {
	o, err := own("event", uint64(handle), err)
	return (*Event)(o), err
}

// Handle is the handle of the C interface; 0 if the event is nil or closed.
func (e *Event) Handle() raw.Event { return raw.Event((*object)(e).load()) }

// Close gives the event back. Waits for its record go on.
func (e *Event) Close() error { return closed((*object)(e), raw.EventDestroy) }

// Clone is another owner of the event.
func (e *Event) Clone() (*Event, error) {
	handle := e.Handle()
	return newEvent(handle, call(func() Status { return raw.EventRetain(handle) }))
}

// Record marks the work submitted to a stream so far.
func (e *Event) Record(stream *Stream) error {
	runtime.LockOSThread()
	status := raw.EventRecord(e.Handle(), stream.Handle())
	return finish(status)
}

// RecordOnce does so if the event has no record yet, and reports whether it did.
func (e *Event) RecordOnce(stream *Stream) (bool, error) {
	info, err := e.info()
	if err != nil || info.Recorded != 0 {
		return false, err
	}
	err = e.Record(stream)
	return err == nil, err
}

// Done reports whether the last record has been reached.
func (e *Event) Done() (bool, error) {
	runtime.LockOSThread()
	done, status := raw.AskEvent(e.Handle())
	return done, finish(status)
}

// Synchronize waits for the last record, as Stream.Synchronize does.
func (e *Event) Synchronize(ctx context.Context) error {
	handle := e.Handle()
	return await(ctx, func(ns int64) Status { return raw.EventSynchronizeFor(handle, ns) },
		func(queue raw.Queue, token uint64) Status { return raw.QueueAddEvent(queue, handle, token) })
}

// Since is the time between two reached records of events with Timing. ErrNotReady: one of them is not reached yet.
func (e *Event) Since(start *Event) (time.Duration, error) {
	ms, err := get(func(out *float64) Status { return raw.EventElapsedMs(start.Handle(), e.Handle(), out) })
	return time.Duration(math.Round(ms * 1e6)), err
}

func (e *Event) info() (raw.EventInfo, error) {
	return sized(raw.EventGetInfo, e.Handle())
}

// Native is the cudaEvent_t; 0 before the first record.
func (e *Event) Native() (uintptr, error) { return of(raw.EventNative, e.Handle()) }

// IntoNative closes the event and returns its cudaEvent_t, which the caller then destroys.
func (e *Event) IntoNative() (uintptr, error) {
	native, err := of(raw.EventIntoNative, e.Handle())
	if err == nil {
		e.handle.Store(0)
	}
	return native, err
}

// Device is that of the first record; -2 before it.
func (e *Event) Device() (Device, error) {
	device, err := of(raw.EventDevice, e.Handle())
	return Device(device), err
}

// Export names an event with Interprocess for other processes.
func (e *Event) Export() (*IPCHandle, error) {
	handle := &IPCHandle{}
	return handle, call(func() Status { return raw.EventIpcExport(e.Handle(), handle) })
}

func (e *Event) String() string { return fmt.Sprintf("event %#x", uint64(e.Handle())) }
