// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"testing"
	"time"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func filled(t *testing.T, s *Stream, bytes int, value byte) *Buffer {
	t.Helper()
	b := must[*Buffer](t)(s.Malloc(bytes))
	ok(t, b.Fill(value, s))
	return b
}

// contents are read in a stream, behind what it has.
func contents(t *testing.T, b *Buffer, s *Stream) []byte {
	t.Helper()
	to := hostBuffer(t, b.Len())
	ok(t, b.CopyTo(to, s))
	ok(t, s.Synchronize(forever))
	return to.Bytes()
}

func wantsBytes(t *testing.T, value byte, found []byte) {
	t.Helper()
	for _, one := range found {
		if one != value {
			t.Fatal(found, "instead of", value)
		}
	}
}

func isDone(t *testing.T, wanted bool, s *Stream) {
	t.Helper()
	if done := must[bool](t)(s.Done()); done != wanted {
		t.Fatalf("%v: done is %v", s, done)
	}
}

func TestBufferWorkGoesToTheCurrentStream(t *testing.T) {
	own, current, named := newTestStream(t, OnDevice(1)), newTestStream(t, OnDevice(1)), newTestStream(t, OnDevice(1))
	b, other := filled(t, own, 8, 1), filled(t, own, 8, 2)
	ok(t, own.Synchronize(forever))
	ok(t, b.Fill(1, named))
	inner := newTestStream(t, OnDevice(0))
	ok(t, current.Do(func() error {
		return inner.Do(func() error { // the device of the buffer says which stream is current
			gate := hold(t, current)
			ok(t, b.Fill(3))
			ok(t, b.CopyFrom(other))
			isDone(t, false, current)
			isDone(t, true, own)
			wantsBytes(t, 1, contents(t, b, named)) // nothing waits by itself
			gate.open(t)
			return current.Synchronize(forever)
		})
	}))
	wantsBytes(t, 2, contents(t, b, named))
	gate := hold(t, current)
	ok(t, current.Do(func() error { return Current.Fill(b, 5, 8) }))
	isDone(t, false, current)
	gate.open(t)
	wants(t, ErrInvalidHandle, b.Fill(1, nil))
	ok(t, b.Close())
	ok(t, other.Close())
	wants(t, ErrInvalidArgument, b.Fill(1))
	wants(t, ErrInvalidArgument, (*Buffer)(nil).CopyFrom(other))
}

func TestFirstUseElsewhereWaitsForTheAllocation(t *testing.T) {
	own, other, third := newTestStream(t), newTestStream(t), newTestStream(t)
	gate := hold(t, own)
	b, target := must[*Buffer](t)(own.Malloc(8)), must[*Buffer](t)(third.Malloc(8))
	ok(t, b.Fill(1, other))
	ok(t, target.CopyFrom(b, third))
	isDone(t, false, other)
	isDone(t, false, third)
	gate.open(t)
	ok(t, other.Synchronize(forever))
	ok(t, third.Synchronize(forever))
	again := hold(t, own)
	for _, s := range []*Stream{other, third, newTestStream(t)} { // the allocation is known to be done
		ok(t, b.Fill(2, s))
		ok(t, s.Synchronize(forever))
	}
	again.open(t)
	ok(t, b.Close())
	ok(t, target.Close())
}

func TestBufferIsFreedBehindAllThatUsedIt(t *testing.T) {
	pool, own, user := newTestPool(t, PoolOptions{}), newTestStream(t), newTestStream(t)
	for _, copies := range []func(b *Buffer, to *HostBuffer) error{
		func(b *Buffer, to *HostBuffer) error { return user.Copy(to, b, 64) },
		func(b *Buffer, to *HostBuffer) error { return b.CopyTo(to, user) },
		func(b *Buffer, to *HostBuffer) error { return b.CopyTo(to, must[*Stream](t)(user.Clone())) },
	} {
		b, to := must[*Buffer](t)(pool.Malloc(own, 64)), hostBuffer(t, 64)
		ok(t, b.Fill(7, own))
		ok(t, user.WaitStream(own))
		gate := hold(t, user)
		ok(t, copies(b, to))
		ok(t, b.Close())
		next := must[*Buffer](t)(pool.Malloc(own, 64)) // at once, in the order of the other stream
		ok(t, next.Fill(9, own))
		ok(t, own.Synchronize(forever))
		gate.open(t)
		ok(t, user.Synchronize(forever))
		wantsBytes(t, 7, to.Bytes())
		ok(t, next.Close())
	}
}

func TestBufferForgetsStreamsThatAreDone(t *testing.T) {
	own := newTestStream(t)
	b := filled(t, own, 8, 1)
	for range 3 * manyUsers {
		s := must[*Stream](t)(NewStream())
		ok(t, b.Fill(2, s))
		ok(t, s.Synchronize(forever))
		ok(t, s.Close())
	}
	if len(b.users) > manyUsers {
		t.Error(len(b.users), "streams are kept")
	}
	ok(t, b.Close())
}

// closedAndNext closes a buffer, and reports whether its memory is given out again at once.
func closedAndNext(t *testing.T, b *Buffer, pool *Pool, s *Stream) bool {
	t.Helper()
	address := b.Address()
	ok(t, b.Close())
	next := must[*Buffer](t)(pool.Malloc(s, b.Len()))
	defer func() { ok(t, next.Close()) }()
	return next.Address() == address
}

func TestKernelIsAUse(t *testing.T) {
	device, k := On(Host, 0), kernel(t)
	own, user := newTestStream(t, OnDevice(device)), newTestStream(t, OnDevice(device))
	pool := must[*Pool](t)(NewPool(device, PoolOptions{}))
	for _, s := range []*Stream{own, user} {
		b := must[*Buffer](t)(pool.Malloc(own, 16))
		gate := hold(t, s)
		ok(t, s.Launch(k, Launch{Grid: [3]uint32{1}, Block: [3]uint32{4}}, b, uint32(5)))
		if again := closedAndNext(t, b, pool, own); again != (s == own) {
			t.Errorf("given out again: %v", again)
		}
		gate.open(t)
		ok(t, s.Synchronize(forever))
	}
	ok(t, pool.Close())
}

func TestBufferInACapture(t *testing.T) {
	pool, own, s := newTestPool(t, PoolOptions{}), newTestStream(t), newTestStream(t)
	b, side := filled(t, own, 8, 1), newTestStream(t)
	kept := must[*Buffer](t)(pool.Malloc(own, 8))
	graph := must[*Graph](t)(s.Capture(CaptureRelaxed, func() error {
		return s.Do(func() error {
			ok(t, b.Fill(2)) // the host has waited for the allocation, which no graph can
			ok(t, kept.Fill(3))
			ok(t, kept.CopyTo(b))
			return kept.Close()
		})
	}))
	wantsBytes(t, 1, contents(t, b, own))
	exec := must[*GraphExec](t)(graph.Instantiate(0))
	ok(t, exec.Launch(s))
	wantsBytes(t, 3, contents(t, b, s))
	ok(t, exec.Close())
	ok(t, graph.Close())

	graph = must[*Graph](t)(s.Capture(CaptureRelaxed, func() error {
		fresh := must[*Buffer](t)(s.Malloc(8)) // is the graph's
		ok(t, fresh.Fill(4, side))             // which takes part in the capture
		ok(t, b.Fill(0, s))
		wants(t, ErrCapturing, func() error {
			hidden := &Buffer{bytes: 8, stream: s, block: block{}}
			hidden.block.begin(8)
			return hidden.Fill(1, own)
		}())
		ok(t, s.WaitStream(side))
		ok(t, b.CopyFrom(fresh, s))
		ok(t, fresh.Close())
		late := must[*Buffer](t)(s.Malloc(8))
		ok(t, late.Fill(0, side))
		return late.Close() // behind that
	}))
	exec = must[*GraphExec](t)(graph.Instantiate(0))
	ok(t, exec.Launch(s))
	wantsBytes(t, 4, contents(t, b, s))
	ok(t, exec.Close())
	ok(t, graph.Close())
	ok(t, b.Close())

	both := must[*Buffer](t)(own.Malloc(8))
	graph = must[*Graph](t)(own.Capture(CaptureRelaxed, func() error {
		other, err := s.Capture(CaptureRelaxed, func() error { return both.Fill(1, s) })
		ok(t, err)
		return other.Close()
	}))
	ok(t, graph.Close())
	ok(t, both.Close())
}

// What is freed is filled with 0xDD: the copy, on another thread's stream, would see that.
func TestPerThreadStreamUsesABuffer(t *testing.T) {
	pool, own := newTestPool(t, PoolOptions{Flags: raw.PoolPoison}), newTestStream(t)
	b, to := must[*Buffer](t)(pool.Malloc(own, 64)), hostBuffer(t, 64)
	ok(t, b.Fill(7, own))
	begun, closed, done := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		runtime.LockOSThread()
		mine := must[*Stream](t)(StreamFromNative(CurrentDevice, 2))
		gate := hold(t, mine)
		ok(t, b.CopyTo(to, mine))
		ok(t, must[*Buffer](t)(pool.Malloc(mine, 64)).Close())
		close(begun)
		<-closed
		gate.open(t)
		ok(t, mine.Synchronize(forever))
		ok(t, mine.Close())
	}()
	<-begun
	ok(t, b.Close())
	time.Sleep(20 * time.Millisecond)
	close(closed)
	<-done
	wantsBytes(t, 7, to.Bytes())
}

func TestMemoryOfNoBytes(t *testing.T) {
	pool, s := newTestPool(t, PoolOptions{}), newTestStream(t)
	for _, b := range []*Buffer{must[*Buffer](t)(s.Malloc(0)), must[*Buffer](t)(pool.Malloc(s, 0))} {
		host := must[*HostBuffer](t)(NewHostBuffer(0))
		work := func() error {
			ok(t, b.Fill(1))
			ok(t, b.Fill(1, newTestStream(t)))
			ok(t, b.CopyFrom(host))
			ok(t, b.CopyTo(host, s))
			return s.Fill(host, 1, 0)
		}
		graph := must[*Graph](t)(s.Capture(CaptureRelaxed, func() error { return s.Do(work) }))
		ok(t, graph.Close())
		ok(t, work())
		if b.Address() != 0 || b.Len() != 0 || len(host.Bytes()) != 0 {
			t.Errorf("%#x, %d bytes", b.Address(), b.Len())
		}
		wants(t, ErrInvalidArgument, s.Fill(b, 1, 1))
		ok(t, b.Close())
		ok(t, host.Close())
		wants(t, ErrInvalidArgument, s.Copy(b, b, 0))
		wants(t, ErrInvalidArgument, s.Fill(host, 1, 0))
	}
	empty := must[*Buffer](t)(s.Malloc(0))
	ok(t, empty.CloseAfter(s, newTestStream(t)))
	if stats := must[raw.PoolStats](t)(pool.Stats()); stats.Allocations != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestSeveralCopiesInOneCall(t *testing.T) {
	s := newTestStream(t)
	from, other, to := hostBuffer(t, 8), newTestStream(t), filled(t, s, 8, 1)
	for i := range from.Bytes() {
		from.Bytes()[i] = byte(i)
	}
	target := must[*Buffer](t)(other.Malloc(8))
	for _, order := range []int32{AccessOrderStream, AccessOrderDuringCall, AccessOrderAny} {
		ok(t, s.CopyBatch([]Transfer{{to, from, 8}, {target, from, 3}}, order))
		if found := contents(t, to, s); string(found) != string(from.Bytes()) {
			t.Fatal(found)
		}
		if found := contents(t, target, s)[:3]; string(found) != string(from.Bytes()[:3]) {
			t.Fatal(found)
		}
	}
	ok(t, Current.CopyBatch(nil, AccessOrderAny))
	wants(t, ErrInvalidArgument, s.CopyBatch(nil, 0))
	wants(t, ErrInvalidArgument, s.CopyBatch([]Transfer{{to, from, 8}, {to, from, 9}}, AccessOrderAny))
	ok(t, target.Close())
	ok(t, to.Close())
	wants(t, ErrInvalidArgument, s.CopyBatch([]Transfer{{to, from, 8}}, AccessOrderAny))
}
