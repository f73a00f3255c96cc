// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

func newTestPool(t *testing.T, options PoolOptions) *Pool {
	t.Helper()
	pool := must[*Pool](t)(NewPool(0, options))
	t.Cleanup(func() { ok(t, pool.Close()) })
	return pool
}

func TestPoolHasALimitAndStatistics(t *testing.T) {
	pool, s := newTestPool(t, PoolOptions{Limit: 1 << 20}), newTestStream(t)
	first := must[*Buffer](t)(pool.Malloc(s, 700_000))
	_, err := pool.Malloc(s, 700_000)
	wants(t, ErrOutOfMemory, err)
	stats := must[raw.PoolStats](t)(pool.Stats())
	if stats.LimitBytes != 1<<20 || stats.RequestedBytes != 700_000 || stats.Blocks != 1 || stats.OutOfMemory != 1 {
		t.Errorf("%+v", stats)
	}
	ok(t, first.Close())
	ok(t, s.Synchronize(forever))
	ok(t, pool.ResetPeak())
	ok(t, pool.Trim(0))
	stats = must[raw.PoolStats](t)(pool.Stats())
	if stats.AllocatedPeakBytes != 0 || stats.CachedBytes != 0 {
		t.Errorf("%+v", stats)
	}
	ok(t, pool.SetLimit(0))
	second := must[*Buffer](t)(pool.Malloc(s, 2_000_000))
	ok(t, second.Close())
}

func TestPoolOfAThread(t *testing.T) {
	pool, s := newTestPool(t, PoolOptions{}), newTestStream(t)
	thread := LockThread()
	usual := must[*Pool](t)(CurrentPool(0))
	defer func() { ok(t, usual.Close()) }()
	ok(t, thread.SetPool(pool))
	now := must[*Pool](t)(CurrentPool(0))
	if now.Handle() != pool.Handle() {
		t.Errorf("%v is current, not %v", now, pool)
	}
	ok(t, now.Close())
	buffer := must[*Buffer](t)(s.Malloc(512))
	if stats := must[raw.PoolStats](t)(pool.Stats()); stats.Blocks != 1 {
		t.Errorf("%+v", stats)
	}
	ok(t, buffer.Close())
	runtime.LockOSThread() // the same thread after Release
	defer runtime.UnlockOSThread()
	ok(t, thread.Release())
	after := must[*Pool](t)(CurrentPool(0))
	if after.Handle() != usual.Handle() {
		t.Errorf("%v is current, not %v", after, usual)
	}
	ok(t, after.Close())
	wants(t, ErrNotPermitted, thread.SetPool(pool))
}

// The memory is of the stream that is current at the call, also after that.
func TestCurrentTakesMemory(t *testing.T) {
	pool, s := newTestPool(t, PoolOptions{}), newTestStream(t)
	scope := must[Scope](t)(s.Enter())
	first, second := must[*Buffer](t)(Current.Malloc(64)), must[*Buffer](t)(pool.Malloc(Current, 64))
	same := must[*Stream](t)(Current.Clone())
	ok(t, scope.Close())
	if same.Handle() != s.Handle() {
		t.Errorf("%v, not %v", same, s)
	}
	ok(t, same.Close())
	ok(t, s.Fill(first, 1, 64))
	for _, buffer := range []*Buffer{first, second} {
		if !must[bool](t)(buffer.stream.Equal(s)) {
			t.Error("freed on another stream")
		}
		ok(t, buffer.Close())
	}
}

func TestPoolMemoryOutlivesIt(t *testing.T) {
	s := newTestStream(t)
	first := must[*Pool](t)(NewPool(CurrentDevice, PoolOptions{}))
	second := must[*Pool](t)(first.Clone())
	buffer := must[*Buffer](t)(second.Malloc(s, 64))
	if !strings.HasPrefix(second.String(), "pool 0x") {
		t.Error(second)
	}
	ok(t, first.Close())
	ok(t, second.Close())
	ok(t, second.Close())
	ok(t, s.Fill(buffer, 1, 64))
	ok(t, buffer.Close())
	for _, closed := range []*Pool{first, nil} {
		_, err := closed.Stats()
		wants(t, ErrInvalidHandle, err)
		_, err = closed.Malloc(s, 64)
		wants(t, ErrInvalidHandle, err)
		_, err = closed.Clone()
		wants(t, ErrInvalidHandle, err)
		wants(t, ErrInvalidHandle, closed.Trim(0))
	}
	ok(t, (*Pool)(nil).Close())
	_, err := NewPool(0, PoolOptions{Flags: 1 << 30})
	wants(t, ErrInvalidArgument, err)
}

func TestBufferClosesAfterStreams(t *testing.T) {
	pool, one, other := newTestPool(t, PoolOptions{}), newTestStream(t), newTestStream(t)
	gate := hold(t, other)
	buffer := must[*Buffer](t)(pool.Malloc(one, 1024))
	wants(t, ErrInvalidHandle, buffer.CloseAfter(one, nil))
	if buffer.Address() == 0 {
		t.Error("a refused call closed the buffer")
	}
	ok(t, buffer.CloseAfter(one, other))
	ok(t, one.Synchronize(forever)) // it does not wait for the other
	wants(t, ErrInvalidArgument, buffer.CloseAfter(one))
	ok(t, buffer.Close())
	gate.open(t)
	ok(t, other.Synchronize(forever))
	unnamed := must[*Buffer](t)(one.Malloc(16))
	wants(t, ErrInvalidArgument, unnamed.CloseAfter())
	wants(t, ErrInvalidArgument, (*Buffer)(nil).CloseAfter(one))
	ok(t, unnamed.Close())
}

func TestRandomState(t *testing.T) {
	device, s := Device(0), newTestStream(t)
	ok(t, device.Seed(11))
	drawn := must[raw.Philox](t)(s.ReserveRandom(5))
	if drawn.Captured != 0 || drawn.Seed != 11 || drawn.Offset != 0 {
		t.Errorf("%+v", drawn)
	}
	if state := must[RandomState](t)(device.RandomState()); state != (RandomState{11, 8}) {
		t.Errorf("%+v, but reservations are rounded up to a multiple of 4", state)
	}
	ok(t, device.SetRandomState(RandomState{12, 400}))
	if drawn = must[raw.Philox](t)(s.ReserveRandom(1)); drawn.Seed != 12 || drawn.Offset != 400 {
		t.Errorf("%+v", drawn)
	}
	wants(t, ErrInvalidArgument, device.SetRandomState(RandomState{1, 2}))
}
