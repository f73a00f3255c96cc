// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"errors"
	"testing"
	"time"
)

func newTestTimeline(t *testing.T, initial uint64) *Timeline {
	t.Helper()
	timeline := must[*Timeline](t)(NewTimeline(CurrentDevice, initial))
	t.Cleanup(func() { ok(t, timeline.Close()) })
	return timeline
}

func TestTimelineWaitsComeFirst(t *testing.T) {
	timeline, a, b := newTestTimeline(t, 3), newTestStream(t), newTestStream(t)
	ok(t, a.WaitTimeline(timeline, 5))
	if must[bool](t)(a.Done()) || must[uint64](t)(timeline.Value()) != 3 {
		t.Error("the stream does not wait")
	}
	ctx, cancel := context.WithTimeout(forever, time.Millisecond)
	defer cancel()
	if err := timeline.Synchronize(ctx, 5); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(forever)
	go cancel()
	if err := timeline.Synchronize(ctx, 5); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ok(t, b.SignalTimeline(timeline, 5))
	ok(t, timeline.Synchronize(forever, 5))
	ok(t, a.Synchronize(forever))
	reached := make(chan error)
	go func() { reached <- timeline.Synchronize(forever, 6) }()
	ok(t, timeline.Signal(6))
	ok(t, <-reached)
	wants(t, ErrInvalidArgument, timeline.Signal(6))
}

// A context whose deadline is over, which its timer has not noticed yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now(), true }

func TestWaitsEndAtTheDeadlineAndNotWithItsTimer(t *testing.T) {
	timeline, s := newTestTimeline(t, 0), newTestStream(t)
	g := hold(t, s)
	ctx, cancel := context.WithCancel(forever)
	defer cancel()
	if err := timeline.Synchronize(late{ctx}, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := CurrentDevice.Synchronize(late{ctx}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	g.open(t)
}

func TestTimelineAborts(t *testing.T) {
	timeline, s := newTestTimeline(t, 0), newTestStream(t)
	ok(t, s.WaitTimeline(timeline, 1))
	ended := make(chan error)
	ctx, cancel := context.WithCancel(forever)
	defer cancel()
	go func() { ended <- timeline.Synchronize(ctx, 1) }()
	wants(t, ErrInvalidArgument, timeline.Abort(ErrTimeout))
	ok(t, timeline.Abort(ErrAborted))
	wants(t, ErrAborted, <-ended)
	ok(t, s.Synchronize(forever))
	_, err := timeline.Value()
	wants(t, ErrAborted, err)
	wants(t, ErrAborted, s.SignalTimeline(timeline, 2))
}

func TestTimelinesClose(t *testing.T) {
	first, s := must[*Timeline](t)(NewTimeline(CurrentDevice, 0)), newTestStream(t)
	second := must[*Timeline](t)(first.Clone())
	ok(t, s.WaitTimeline(first, 1))
	ok(t, first.Close())
	ok(t, first.Close())
	if must[bool](t)(s.Done()) {
		t.Error("the timeline is gone with one of its owners")
	}
	ok(t, second.Close())
	ok(t, s.Synchronize(forever))
	var none *Timeline
	for _, timeline := range []*Timeline{none, first} {
		_, err := timeline.Value()
		wants(t, ErrInvalidHandle, err)
		wants(t, ErrInvalidHandle, timeline.Signal(1))
		wants(t, ErrInvalidHandle, timeline.Synchronize(forever, 1))
		wants(t, ErrInvalidHandle, s.WaitTimeline(timeline, 1))
		_, err = timeline.Clone()
		wants(t, ErrInvalidHandle, err)
	}
	ok(t, none.Close())
	_, err := NewTimeline(7, 0)
	wants(t, ErrInvalidDevice, err)
	_, err = NewTimeline(CurrentDevice, 1<<63)
	wants(t, ErrInvalidArgument, err)
}
