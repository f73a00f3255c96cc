// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// races runs a function with the checker on and returns what was reported.
func races(t *testing.T, fn func()) (texts []string, reports []json.RawMessage) {
	t.Helper()
	ok(t, OnRace(func(text string, report json.RawMessage) {
		texts, reports = append(texts, text), append(reports, report)
	}))
	ok(t, StartCheck())
	fn()
	ok(t, StopCheck())
	ok(t, OnRace(nil))
	return texts, reports
}

func TestCheckReportsWhatNothingOrders(t *testing.T) {
	upload, compute, ready := newTestStream(t), newTestStream(t), newTestEvent(t)
	ok(t, upload.SetName("upload"))
	ok(t, compute.SetName("compute"))
	memory := must[*HostBuffer](t)(NewHostBuffer(64))
	texts, reports := races(t, func() {
		ok(t, upload.WillWrite(memory, 64, "copy in"))
		ok(t, upload.Record(ready))
		ok(t, compute.WaitEvent(ready))
		ok(t, compute.WillRead(memory, 64, "ordered"))
		ok(t, upload.WillWrite(memory, 8, "too early"))
	})
	if len(texts) != 1 {
		t.Fatal(texts)
	}
	for _, part := range []string{"upload", "compute", "ordered", "too early"} {
		if !strings.Contains(texts[0], part) {
			t.Errorf("no %q in %s", part, texts[0])
		}
	}
	var found struct{ Earlier, Later struct{ Label string } }
	ok(t, json.Unmarshal(reports[0], &found))
	if found.Earlier.Label != "ordered" || found.Later.Label != "too early" {
		t.Error(found)
	}
	ok(t, memory.Close())
}

func TestCheckNodesOfGraphs(t *testing.T) {
	s := newTestStream(t)
	memory := must[*HostBuffer](t)(NewHostBuffer(64))
	g := must[*Graph](t)(NewGraph(must[Device](t)(s.Device())))
	first, second := must[Node](t)(g.AddEmpty()), must[Node](t)(g.AddEmpty())
	texts, _ := races(t, func() {
		ok(t, g.WillWrite(first, memory, 64, "producer"))
		ok(t, g.WillRead(second, memory, 8, "consumer"))
		wants(t, ErrInvalidArgument, g.WillRead(first, memory, 65, "x"))
		wants(t, ErrInvalidArgument, g.WillRead(0, memory, 64, "x"))
		x := must[*GraphExec](t)(g.Instantiate(0))
		ok(t, x.Launch(s))
		ok(t, s.Synchronize(forever))
		ok(t, x.Close())
	})
	if len(texts) != 1 || !strings.Contains(texts[0], "producer") || !strings.Contains(texts[0], "consumer") {
		t.Error(texts)
	}
	ok(t, g.Close())
	wants(t, ErrInvalidHandle, g.WillWrite(first, memory, 8, "x"))
	ok(t, memory.Close())
}

func TestCheckClocksHandOver(t *testing.T) {
	one, two := newTestStream(t), newTestStream(t)
	memory := must[*HostBuffer](t)(NewHostBuffer(8))
	var clock CheckClock
	texts, _ := races(t, func() {
		ok(t, one.WillWrite(memory, 8, ""))
		done := make(chan error)
		go func() {
			thread := LockThread() // as what it knows is the thread's
			err := one.Synchronize(forever)
			if err == nil {
				err = clock.Handover()
			}
			if err == nil {
				err = thread.Release()
			}
			done <- err
		}()
		ok(t, <-done)
		thread := LockThread()
		ok(t, clock.Handover())
		ok(t, two.WillWrite(memory, 8, ""))
		ok(t, thread.Release())
	})
	if len(texts) != 0 {
		t.Error(texts)
	}
	ok(t, memory.Close())
}

// With a context the wait ends by what another goroutine has seen.
func TestAWaitWithAContextIsSeen(t *testing.T) {
	one, two := newTestStream(t), newTestStream(t)
	ctx, cancel := context.WithCancel(forever)
	defer cancel()
	texts, _ := races(t, func() {
		memory := must[*HostBuffer](t)(NewHostBuffer(8))
		for range 20 {
			thread := LockThread()
			ok(t, one.Sleep(1_000_000))
			ok(t, one.WillWrite(memory, 8, ""))
			ok(t, one.Synchronize(ctx))
			ok(t, two.WillWrite(memory, 8, ""))
			ok(t, two.Synchronize(forever))
			ok(t, thread.Release())
		}
		ok(t, one.Synchronize(forever))
		ok(t, memory.Close())
	})
	if len(texts) != 0 {
		t.Error(texts)
	}
}

func TestCheckRefuses(t *testing.T) {
	closed := must[*Stream](t)(NewStream())
	ok(t, closed.Close())
	memory := must[*HostBuffer](t)(NewHostBuffer(8))
	wants(t, ErrInvalidHandle, closed.WillRead(memory, 8, "x"))
	wants(t, ErrInvalidArgument, Current.WillRead(memory, 9, "x"))
	wants(t, ErrInvalidArgument, Current.WillWrite(nil, 0, "x"))
	wants(t, ErrInvalidHandle, (*Event)(nil).SetName("x"))
	wants(t, ErrInvalidHandle, (*Graph)(nil).SetName("x"))
	ok(t, memory.Close())
	wants(t, ErrInvalidArgument, Current.WillRead(memory, 8, "x"))
}

func TestPanicsInReportsAreContained(t *testing.T) {
	var told any
	OnPanic(func(value any, stack []byte) { told = value })
	defer OnPanic(nil)
	one, two := newTestStream(t), newTestStream(t)
	memory := must[*HostBuffer](t)(NewHostBuffer(8))
	ok(t, OnRace(func(string, json.RawMessage) { panic("in the report") }))
	ok(t, StartCheck())
	ok(t, one.WillWrite(memory, 8, ""))
	ok(t, two.WillWrite(memory, 8, ""))
	ok(t, StopCheck())
	ok(t, OnRace(nil))
	if told != "in the report" {
		t.Error(told)
	}
	ok(t, memory.Close())
}

func TestNamesAreShownInErrors(t *testing.T) {
	handle := func() *Event {
		e := must[*Event](t)(NewEvent())
		ok(t, e.SetName("uploaded"))
		stale := EventFromHandle(e.Handle())
		ok(t, e.Close())
		return stale
	}()
	err := handle.Synchronize(forever)
	wants(t, ErrInvalidHandle, err)
	if !strings.Contains(err.Error(), "uploaded") {
		t.Error(err)
	}
}

// The sync debug mode and the mode of waits without a record hold for waits with a context, too.
func TestModesOfWaits(t *testing.T) {
	s, e := newTestStream(t), newTestEvent(t)
	ended, cancel := context.WithCancel(forever)
	defer cancel()
	set := func(option, value int32) {
		ok(t, call(func() Status { return raw.SetOption(option, int64(value)) }))
	}
	for _, ctx := range []context.Context{forever, ended} {
		warnings := 0
		ok(t, SetLog(func(int32, string) { warnings++ }))
		set(raw.OptionSyncDebugMode, raw.SyncDebugWarn)
		ok(t, s.Synchronize(ctx))
		ok(t, Current.Synchronize(ctx))
		ok(t, SetLog(nil))
		set(raw.OptionSyncDebugMode, raw.SyncDebugError)
		wants(t, ErrSyncForbidden, s.Synchronize(ctx))
		wants(t, ErrSyncForbidden, Current.Synchronize(ctx))
		ok(t, e.Synchronize(ctx))
		ok(t, s.Record(e))
		set(raw.OptionSyncDebugScope, raw.SyncScopeAll)
		wants(t, ErrSyncForbidden, e.Synchronize(ctx))
		wants(t, ErrSyncForbidden, CurrentDevice.Synchronize(ctx))
		set(raw.OptionSyncDebugMode, raw.SyncDebugDefault)
		set(raw.OptionSyncDebugScope, raw.SyncScopeTorch)
		ok(t, SetUnrecorded(UnrecordedError))
		if must[int32](t)(Unrecorded()) != UnrecordedError {
			t.Error("the mode was not set")
		}
		wants(t, ErrNotRecorded, s.WaitEvent(newTestEvent(t)))
		wants(t, ErrNotRecorded, newTestEvent(t).Synchronize(ctx))
		ok(t, SetUnrecorded(UnrecordedIgnore))
		if warnings != 2 {
			t.Errorf("%d warnings, wanted 2", warnings)
		}
	}
}

func TestForbidSync(t *testing.T) {
	s, e := newTestStream(t), newTestEvent(t)
	ok(t, s.Record(e))
	q := must[*Queue](t)(NewQueue(4))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ok(t, ForbidSync(func() error {
		wants(t, ErrSyncForbidden, ForbidSync(func() error { return s.Synchronize(forever) }))
		wants(t, ErrSyncForbidden, s.Synchronize(forever))
		wants(t, ErrSyncForbidden, s.Synchronize(ctx))
		wants(t, ErrSyncForbidden, e.Synchronize(ctx))
		_, err := q.Wait(ctx, make([]Completion, 1))
		wants(t, ErrSyncForbidden, err)
		done := make(chan error)
		go func() { done <- s.Synchronize(ctx) }()
		ok(t, <-done)
		_, err = s.Done()
		return err
	}))
	ok(t, s.Synchronize(ctx))
	ok(t, q.Close())
	defer func() {
		if recover() == nil {
			t.Error("the panic is lost")
		}
		ok(t, s.Synchronize(forever))
	}()
	_ = ForbidSync(func() error { panic("out") })
}
