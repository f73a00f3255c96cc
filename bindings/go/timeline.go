// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"fmt"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Timeline is a number that only grows. Streams and goroutines signal it, which raises it to a value, and wait until it
// has reached one; a wait may come before its signal.
type Timeline struct{ handle owned }

// A TimelineFlag changes what NewTimeline makes.
type TimelineFlag uint32

// SignalFirstTimeline makes a timeline for which streams wait only after the signal was submitted, which makes a signal one driver
// call less.
const SignalFirstTimeline = TimelineFlag(raw.TimelineSignalFirst)

// NewTimeline makes a timeline with its first value. Streams of all devices of the device's backend may use it.
func NewTimeline(device Device, initial uint64, flags ...TimelineFlag) (*Timeline, error) {
	return newTimeline(get(func(out *raw.Timeline) Status {
		return raw.TimelineCreate(raw.Device(device), initial, union(flags), out)
	}))
}

func newTimeline(handle raw.Timeline, err error) (*Timeline, error) {
	o, err := own("timeline", uint64(handle), err)
	return (*Timeline)(o), err
}

// Handle is the handle of the C interface; 0 if the timeline is nil or closed.
func (t *Timeline) Handle() raw.Timeline { return raw.Timeline((*object)(t).load()) }

// Close gives the timeline back. With the last one, streams that wait for it go on although their waits were not met, and
// goroutines that wait get ErrInvalidHandle.
func (t *Timeline) Close() error { return closed((*object)(t), raw.TimelineDestroy) }

// Clone is another owner of the timeline.
func (t *Timeline) Clone() (*Timeline, error) {
	handle := t.Handle()
	return newTimeline(handle, call(func() Status { return raw.TimelineRetain(handle) }))
}

// Value is what the timeline has reached; the status of Abort, once it was aborted.
func (t *Timeline) Value() (uint64, error) { return of(raw.TimelineValue, t.Handle()) }

// Signal raises the timeline now. ErrInvalidArgument: it has reached the value, or a stream has yet to signal a smaller one.
func (t *Timeline) Signal(value uint64) error {
	return call(func() Status { return raw.TimelineSignal(t.Handle(), value) })
}

// Synchronize waits until the timeline has reached a value, at most until the context's deadline. It blocks an OS thread; a
// context that is cancelled without a deadline is noticed within 10 ms.
func (t *Timeline) Synchronize(ctx context.Context, value uint64) error {
	return inSlices(ctx, func(ns int64) Status { return raw.TimelineSynchronize(t.Handle(), value, ns) })
}

// Abort ends the timeline: streams that wait go on although their waits were not met, and calls return the status, as a
// rule ErrAborted. The first one stays.
func (t *Timeline) Abort(status Status) error {
	return call(func() Status { return raw.TimelineAbort(t.Handle(), status) })
}

func (t *Timeline) String() string { return fmt.Sprintf("timeline %#x", uint64(t.Handle())) }

// SignalTimeline raises a timeline when the work submitted so far is done. Signals happen in the order of their values.
// ErrDeadlock: streams would wait for each other, which the message names; nothing was submitted.
func (s *Stream) SignalTimeline(timeline *Timeline, value uint64) error {
	return call(func() Status { return raw.StreamSignalTimeline(s.Handle(), timeline.Handle(), value) })
}

// WaitTimeline lets later work wait until a timeline has reached a value. The signal may come later.
func (s *Stream) WaitTimeline(timeline *Timeline, value uint64) error {
	return call(func() Status { return raw.StreamWaitTimeline(s.Handle(), timeline.Handle(), value) })
}
