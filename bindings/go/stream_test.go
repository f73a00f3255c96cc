// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

var forever = context.Background()

func TestStreamsAndEvents(t *testing.T) {
	a, b, e := newTestStream(t, OnDevice(1), Priority(-1)), newTestStream(t, OnDevice(1), Dedicated()), newTestEvent(t)
	g := hold(t, a)
	ok(t, a.Record(e))
	ok(t, b.WaitEvent(e))
	for _, done := range []func() (bool, error){a.Done, b.Done, e.Done} {
		if must[bool](t)(done()) {
			t.Error("it is done although the gate is closed")
		}
	}
	g.open(t)
	ok(t, b.Synchronize(forever))
	ok(t, e.Synchronize(forever))
	if !must[bool](t)(e.Done()) || must[Device](t)(e.Device()) != 1 || must[Device](t)(a.Device()) != 1 {
		t.Error("the event is not done on device 1")
	}
	if must[bool](t)(a.Equal(b)) || must[uintptr](t)(a.Native()) == must[uintptr](t)(b.Native()) {
		t.Error("two streams are one")
	}
	if must[int](t)(a.Priority()) != -1 {
		t.Error("the priority is lost")
	}
}

func TestPriorityLevels(t *testing.T) {
	least, greatest, err := Device(0).PriorityRange()
	ok(t, err)
	for level, want := range map[int]int{
		HighPriority: greatest, NormalPriority: 0, LowPriority: least, HighPriority - 1: greatest, LowPriority + 1: least, 1 << 40: least,
	} {
		if found := must[int](t)(newTestStream(t, OnDevice(0), Priority(level)).Priority()); found != want {
			t.Errorf("priority %d became %d, wanted %d", level, found, want)
		}
	}
}

func TestRawHandles(t *testing.T) {
	s := newTestStream(t)
	same := must[*Stream](t)(StreamFromNative(CurrentDevice, must[uintptr](t)(s.Native())))
	defer same.Close()
	if !must[bool](t)(s.Equal(same)) {
		t.Error("the wrap is another stream")
	}
	_, err := StreamFromNative(0, 5)
	wants(t, ErrInvalidHandle, err)
	own := must[*Stream](t)(NewStream(Dedicated()))
	adopted := must[uintptr](t)(own.IntoNative())
	if own.Handle() != 0 || adopted == 0 {
		t.Error("the stream has not left")
	}
	var back raw.Stream
	released := make(chan struct{})
	arg := raw.Register(func() { close(released) })
	ok(t, call(func() Status { return raw.StreamFromNativeOwned(-1, adopted, raw.HostFunction(), arg, &back) }))
	ok(t, StreamFromHandle(back).Close())
	<-released
}

// Functions that return no status, whose results have 64 bits.
func TestResultsWithoutAStatus(t *testing.T) {
	s := newTestStream(t)
	native := must[uintptr](t)(s.Native())
	address := raw.AllocatorMalloc(64, raw.Device(must[Device](t)(s.Device())), native)
	if address == 0 {
		t.Fatal("no memory")
	}
	ok(t, call(func() Status { return raw.AllocatorFree(address, 64, -1, native) }))
	if name := raw.StatusName(ErrScope); name != "GS_ERROR_SCOPE" {
		t.Error(name)
	}
}

func TestBadHandles(t *testing.T) {
	closed := must[*Stream](t)(NewStream())
	stale := StreamFromHandle(closed.Handle())
	ok(t, closed.Close())
	ok(t, closed.Close())
	event := newTestEvent(t)
	for name, s := range map[string]*Stream{
		"nil": nil, "closed": closed, "stale": stale, "garbage": StreamFromHandle(0xdeadbeef),
		"an event": StreamFromHandle(raw.Stream(event.Handle())),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Done()
			wants(t, ErrInvalidHandle, err)
			wants(t, ErrInvalidHandle, s.Record(event))
			wants(t, ErrInvalidHandle, s.Synchronize(forever))
			_, err = s.Enter()
			wants(t, ErrInvalidHandle, err)
			_, err = s.Malloc(8)
			wants(t, ErrInvalidHandle, err)
			wants(t, ErrInvalidHandle, s.Notify(func(error) { t.Error("it was called") }))
			ctx, cancel := context.WithCancel(forever)
			defer cancel()
			wants(t, ErrInvalidHandle, s.Synchronize(ctx))
		})
	}
	wants(t, ErrInvalidHandle, stale.Close())
	var none *Event
	wants(t, ErrInvalidHandle, none.Record(nil))
	ok(t, none.Close())
	var graph *Graph
	_, err := graph.Instantiate(0)
	wants(t, ErrInvalidHandle, err)
	var queue *Queue
	_, err = queue.Wait(forever, make([]Completion, 1))
	wants(t, ErrInvalidHandle, err)
}

func TestErrorsHaveAllFields(t *testing.T) {
	_, err := NewStream(OnDevice(7))
	var e *Error
	if !errors.As(err, &e) || e.Status != ErrInvalidDevice || e.Function != "gs_stream_create" ||
		!strings.Contains(e.Message, "7") || !strings.Contains(err.Error(), "GS_ERROR_INVALID_DEVICE") {
		t.Errorf("%#v", err)
	}
	if errors.Is(err, ErrInvalidHandle) {
		t.Error("it is every status")
	}
	// Goroutines change threads between their calls, and each gets its own failure.
	var group sync.WaitGroup
	for device := range 64 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 50 {
				_, err := NewStream(OnDevice(Device(100 + device)))
				if wanted := On(DefaultBackend, 100+device).String()[len("device "):]; !strings.Contains(err.Error(), wanted) {
					t.Errorf("%v, wanted %s", err, wanted)
				}
			}
		}()
	}
	group.Wait()
}

func TestHotCallsDoNotAllocate(t *testing.T) {
	a, b, e := newTestStream(t), newTestStream(t), newTestEvent(t)
	for name, fn := range map[string]func(){
		"record": func() { ok(t, a.Record(e)) },
		"wait":   func() { ok(t, b.WaitEvent(e)) },
		"query":  func() { _, err := e.Done(); ok(t, err) },
		"scope": func() {
			scope, err := a.Enter()
			ok(t, err)
			ok(t, scope.Close())
		},
	} {
		if n := testing.AllocsPerRun(1000, fn); n >= 1 && !raceEnabled {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestCurrentOfAClosedObjectIsUntouched(t *testing.T) {
	ok(t, Current.Close())
	ok(t, Current.Sleep(1))
}
