// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func TestCallbacks(t *testing.T) {
	s := newTestStream(t)
	told := make(chan error, 1)
	var order atomic.Int32
	ok(t, s.LaunchHost(func() { order.CompareAndSwap(0, 1) }))
	ok(t, s.Notify(func(err error) { order.CompareAndSwap(1, 2); told <- err }))
	if err := <-told; err != nil || order.Load() != 2 {
		t.Error(err, order.Load())
	}
	freed := make(chan struct{})
	ok(t, s.Defer(func() { close(freed) }))
	ok(t, s.Synchronize(forever))
	ok(t, Trim())
	<-freed
}

func TestCurrentTakesHostFunctions(t *testing.T) {
	s := newTestStream(t)
	scope := must[Scope](t)(s.Enter())
	gate := make(chan struct{})
	var called atomic.Int32
	ok(t, Current.LaunchHost(func() { <-gate; called.Add(1) }))
	if must[bool](t)(s.Done()) {
		t.Error("the function is not in the current stream")
	}
	close(gate)
	ok(t, s.Synchronize(forever))
	graph := must[*Graph](t)(s.Capture(CaptureRelaxed, func() error { return Current.LaunchHost(func() { called.Add(1) }) }))
	ok(t, scope.Close())
	exec := must[*GraphExec](t)(graph.Instantiate(0))
	for range 2 {
		ok(t, exec.Launch(s))
	}
	ok(t, s.Synchronize(forever))
	if called.Load() != 3 {
		t.Error(called.Load())
	}
	ok(t, exec.Close())
	ok(t, graph.Close())
}

func TestPanicsStayInCallbacks(t *testing.T) {
	told := make(chan any, 2)
	OnPanic(func(value any, stack []byte) {
		told <- value
		panic("again")
	})
	defer OnPanic(nil)
	s := newTestStream(t)
	ok(t, s.LaunchHost(func() { panic("host") }))
	ok(t, s.Notify(func(error) { panic("notify") }))
	for range 2 {
		if value := <-told; value != "host" && value != "notify" {
			t.Error(value)
		}
	}
	ok(t, s.Synchronize(forever))
}

// What a host function may not close is closed later.
func TestRefusedCloses(t *testing.T) {
	s, answer := newTestStream(t), make(chan error, 2)
	memory, event := must[*HostBuffer](t)(NewHostBuffer(8)), must[*Event](t)(NewEvent())
	ok(t, s.LaunchHost(func() { answer <- memory.Close(); answer <- event.Close() }))
	wants(t, ErrNotPermitted, <-answer)
	wants(t, ErrNotPermitted, <-answer)
	if memory.Address() == 0 || event.Handle() == 0 {
		t.Error("a refused close has lost what it was to close")
	}
	ok(t, memory.Close())
	ok(t, event.Close())
	if memory.Address() != 0 || event.Handle() != 0 {
		t.Error("they are closed")
	}
}

// The function that is set when an object is found gets the report, not the one that was set when it was created.
func TestLeaksAreReported(t *testing.T) {
	first, last := make(chan string, 8), make(chan string, 8)
	defer OnLeak(nil)
	OnLeak(func(kind, stack string) { first <- stack })
	handle := func() raw.Event {
		forgotten := must[*Event](t)(NewEvent())
		kept := must[*Event](t)(NewEvent())
		ok(t, kept.Close())
		return forgotten.Handle()
	}()
	OnLeak(func(kind, stack string) { last <- kind + stack })
	for {
		runtime.GC()
		select {
		case text := <-last:
			if len(first) != 0 || !strings.HasPrefix(text, "event") || !strings.Contains(text, "TestLeaksAreReported") {
				t.Error(len(first), text)
			}
			// Only reported: the event is still there.
			ok(t, EventFromHandle(handle).Close())
			return
		case <-first:
			t.Fatal("the first function was called")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestOnInit(t *testing.T) { inProcess(t, "oninit") }

func init() {
	cases["oninit"] = func() error {
		calls, failed := 0, errors.New("not yet")
		err := OnInit(func() error {
			calls++
			return failed
		})
		if err != nil {
			return err
		}
		if err := Init(); !errors.Is(err, ErrSystem) {
			return errors.Join(errors.New("the first initialisation did not fail"), err)
		}
		if err := Init(); err != nil || calls != 1 {
			return errors.Join(errors.New("the second one"), err)
		}
		if err := OnInit(func() error { panic("in it") }); !errors.Is(err, ErrInternal) {
			return errors.Join(errors.New("a panic is no success"), err)
		}
		return nil
	}
}
