// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestContextsEndWaits(t *testing.T) {
	s, e := newTestStream(t), newTestEvent(t)
	g := hold(t, s)
	ok(t, s.Record(e))
	for name, wait := range map[string]func(context.Context) error{
		"stream": s.Synchronize, "event": e.Synchronize, "device": CurrentDevice.Synchronize,
	} {
		ctx, cancel := context.WithTimeout(forever, time.Millisecond)
		if err := wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		ctx, cancel = context.WithCancel(forever)
		go cancel()
		if err := wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	g.open(t)
	ctx, cancel := context.WithCancel(forever)
	defer cancel()
	ok(t, s.Synchronize(ctx))
	ok(t, e.Synchronize(ctx))
	ok(t, CurrentDevice.Synchronize(ctx))
}

func TestManyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(forever)
	defer cancel()
	var group sync.WaitGroup
	for range 200 {
		group.Add(1)
		go func() {
			defer group.Done()
			s, err := NewStream()
			if err == nil {
				err = errors.Join(s.Sleep(100_000), s.Synchronize(ctx), s.Close())
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	reactor.Lock()
	defer reactor.Unlock()
	if n := len(reactor.waiting); n != 0 {
		t.Errorf("%d waits are left", n)
	}
}

func TestQueue(t *testing.T) {
	q := must[*Queue](t)(NewQueue(4))
	s, e := newTestStream(t), newTestEvent(t)
	g := hold(t, s)
	ok(t, s.Record(e))
	ok(t, q.AddStream(s, 7))
	ok(t, q.AddEvent(e, 8))
	entries := make([]Completion, 4)
	if n := must[int](t)(q.Poll(entries)); n != 0 {
		t.Errorf("%d entries before the gate is open", n)
	}
	ctx, cancel := context.WithTimeout(forever, time.Millisecond)
	defer cancel()
	if _, err := q.Wait(ctx, entries); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if must[int](t)(q.Cancel(8)) != 1 || must[int](t)(q.Wait(forever, entries)) != 1 || entries[0].Status != ErrCancelled {
		t.Error(entries[0])
	}
	g.open(t)
	if must[int](t)(q.Wait(forever, entries)) != 1 || entries[0].Token != 7 || entries[0].Status != 0 {
		t.Error(entries[0])
	}
	_, err := q.Poll(nil)
	wants(t, ErrInvalidArgument, err)
	ended := make(chan error)
	go func() {
		_, err := q.Wait(forever, entries)
		ended <- err
	}()
	ok(t, q.Close())
	wants(t, ErrInvalidHandle, <-ended)
	ok(t, q.Close())
	_, err = NewQueue(0)
	wants(t, ErrInvalidArgument, err)
}
