// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func current(t *testing.T) *Stream {
	t.Helper()
	s := must[*Stream](t)(GetStream(CurrentDevice))
	t.Cleanup(func() { ok(t, s.Close()) })
	return s
}

func TestScopesNest(t *testing.T) {
	outer, inner := newTestStream(t, OnDevice(0)), newTestStream(t, OnDevice(1))
	first := must[Scope](t)(outer.Enter())
	second := must[Scope](t)(inner.Enter())
	if !must[bool](t)(current(t).Equal(inner)) || must[Device](t)(GetDevice()) != 1 {
		t.Error("the inner stream is not current")
	}
	wants(t, ErrScope, first.Close())
	ok(t, second.Close())
	if !must[bool](t)(current(t).Equal(outer)) || must[Device](t)(GetDevice()) != 0 {
		t.Error("the outer stream is not current again")
	}
	ok(t, first.Close())
	wants(t, ErrScope, first.Close())
	wants(t, ErrScope, Scope{}.Close())
}

func TestScopeRefusesToMigrate(t *testing.T) {
	s := newTestStream(t)
	scope := must[Scope](t)(s.Enter())
	refused := make(chan error)
	go func() { refused <- scope.Close() }()
	wants(t, ErrScope, <-refused)
	// Others run, and this goroutine keeps its thread and its stream.
	for range 100 {
		done := make(chan struct{})
		go func() { runtime.Gosched(); close(done) }()
		<-done
		if !must[bool](t)(current(t).Equal(s)) {
			t.Fatal("the scope was left behind")
		}
	}
	ok(t, scope.Close())
}

func TestScopesOfManyGoroutines(t *testing.T) {
	var group sync.WaitGroup
	for range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			mine, err := NewStream(OnDevice(1))
			if err != nil {
				t.Error(err)
				return
			}
			defer mine.Close()
			for range 50 {
				err := mine.Do(func() error {
					runtime.Gosched()
					found, err := GetStream(CurrentDevice)
					if err != nil {
						return err
					}
					defer found.Close()
					if same, err := found.Equal(mine); err != nil || !same {
						return errors.Join(err, errors.New("the stream of another goroutine"))
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
}

func TestDoRestoresAfterErrorsAndPanics(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, s := must[Device](t)(GetDevice()), newTestStream(t, OnDevice(1))
	failed := errors.New("failed")
	if err := s.Do(func() error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() != "panic" {
				t.Error("the panic is gone")
			}
		}()
		_ = Device(1).Do(func() error { panic("panic") })
	}()
	if must[Device](t)(GetDevice()) != before {
		t.Error("the device stayed")
	}
}

// A thread that goes back to the scheduler has what LockThread found there.
func TestReleaseRestores(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	one, two := newTestStream(t, OnDevice(0)), newTestStream(t, OnDevice(1))
	current := func(device raw.Device) raw.Stream {
		return must[raw.Stream](t)(get(func(out *raw.Stream) Status { return raw.CurrentStream(device, out) }))
	}
	usual, other := current(0), current(1)
	ok(t, call(func() Status { return raw.SetCurrentStream(one.Handle()) }))
	defer func() { ok(t, call(func() Status { return raw.SetCurrentStream(usual) })) }()
	thread := LockThread()
	ok(t, thread.SetStream(two))
	ok(t, thread.SetStream(newTestStream(t, OnDevice(0))))
	ok(t, thread.SetDevice(1))
	ok(t, thread.Release())
	if device := must[Device](t)(GetDevice()); device != 0 {
		t.Error("device", device, "stayed")
	}
	for device, wanted := range []raw.Stream{one.Handle(), other} {
		if now := current(raw.Device(device)); now != wanted {
			t.Errorf("%#x is current on device %d, not %#x", now, device, wanted)
		}
	}
}

func TestThread(t *testing.T) {
	finished := make(chan struct{})
	go func() { // whose thread ends with it
		defer close(finished)
		thread := LockThread()
		s, err := NewStream(OnDevice(1))
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		if err := thread.SetStream(s); err != nil {
			t.Error(err)
		}
		if device, err := GetDevice(); err != nil || device != 1 {
			t.Error(device, err)
		}
		refused := make(chan error)
		go func() { refused <- thread.SetDevice(0) }()
		if err := <-refused; !errors.Is(err, ErrNotPermitted) {
			t.Error(err)
		}
		if err := thread.SetDevice(7); !errors.Is(err, ErrInvalidDevice) {
			t.Error(err)
		}
	}()
	<-finished
}
