// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

func TestStreamPoolByIndexAndInTurn(t *testing.T) {
	pool := must[*StreamPool](t)(NewStreamPool(3, OnDevice(1), Priority(HighPriority)))
	wanted := must[*Stream](t)(NewStream(OnDevice(1), Priority(HighPriority)))
	highest := must[int](t)(wanted.Priority())
	ok(t, wanted.Close())
	seen := map[raw.Stream]bool{}
	for _, stream := range pool.Streams() {
		seen[stream.Handle()] = true
		if device := must[Device](t)(stream.Device()); device != 1 {
			t.Errorf("%v", device)
		}
		if priority := must[int](t)(stream.Priority()); priority != highest {
			t.Errorf("priority %d, wanted %d", priority, highest)
		}
	}
	if len(seen) != 3 || pool.Len() != 3 {
		t.Errorf("%d streams of %d", len(seen), pool.Len())
	}
	for turn := range 7 {
		if pool.Next() != pool.At(turn) || pool.At(turn) != pool.At(turn%3) {
			t.Errorf("turn %d", turn)
		}
	}
	for _, index := range []int{-1, math.MaxInt, math.MinInt} {
		if pool.At(index) == nil {
			t.Errorf("no stream %d", index)
		}
	}
	if pool.At(-1) != pool.At(2) || pool.At(-3) != pool.At(0) || pool.At(-4) != pool.At(2) {
		t.Error("an index below 0 counts from the end")
	}
	var none *StreamPool
	wants(t, ErrInvalidHandle, none.At(0).Synchronize(forever))
	wants(t, ErrInvalidHandle, (&StreamPool{}).Next().Synchronize(forever))
	first := StreamFromHandle(pool.At(0).Handle())
	ok(t, pool.At(0).Synchronize(forever))
	ok(t, pool.Close())
	ok(t, pool.Close())
	wants(t, ErrInvalidHandle, first.Synchronize(forever)) // the streams end with the pool
	wants(t, ErrInvalidHandle, pool.Next().Synchronize(forever))
}

func TestStreamPoolIsSharedEvenly(t *testing.T) {
	pool := must[*StreamPool](t)(NewStreamPool(4))
	defer func() { ok(t, pool.Close()) }()
	var group sync.WaitGroup
	var lock sync.Mutex
	seen := map[*Stream]int{}
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 100 {
				stream := pool.Next()
				lock.Lock()
				seen[stream]++
				lock.Unlock()
			}
		}()
	}
	group.Wait()
	for _, stream := range pool.Streams() {
		if seen[stream] != 100 {
			t.Errorf("%v was given %d times", stream, seen[stream])
		}
	}
}

func TestStreamPoolIsOfOneDevice(t *testing.T) {
	var pool *StreamPool
	ok(t, Device(1).Do(func() (err error) {
		pool, err = NewStreamPool(2)
		return err
	}))
	for _, stream := range pool.Streams() {
		if device := must[Device](t)(stream.Device()); device != 1 {
			t.Errorf("%v", device)
		}
	}
	ok(t, pool.Close())
}

func TestStreamPoolHasAllStreamsOrNone(t *testing.T) {
	for _, size := range []int{0, -1} {
		_, err := NewStreamPool(size)
		wants(t, ErrInvalidArgument, err)
	}
	_, err := NewStreamPool(2, OnDevice(99))
	wants(t, ErrInvalidDevice, err)
	_, err = NewStreamPool(2, Shared(), Dedicated())
	wants(t, ErrInvalidArgument, err)
	if found := failed(t, err); found.Function != "gs_stream_create" {
		t.Error(found)
	}
	var none *StreamPool
	if err := errors.Join(none.Close()); err != nil || none.Len() != 0 || none.Streams() != nil {
		t.Error(err)
	}
}

// As the fake driver's fake_cuda_fault_t.
type fault struct {
	function     uintptr
	nth, thread  uint64
	code, phase  int32
	mode, device int32
}

func TestStreamPoolWhoseThirdStreamFails(t *testing.T) {
	if os.Getenv("GPUSTREAM_BACKEND") != "cuda" {
		return // only the fake driver fails on request
	}
	library, reason := dl.Open(os.Getenv("GPUSTREAM_LIBCUDA"), false)
	if library == 0 {
		t.Fatal(reason)
	}
	fake := func(name string, argument uintptr) uintptr {
		return dl.Call(dl.Symbol(library, "fake_cuda_"+name), argument, 0, 0)
	}
	var names runtime.Pinner
	defer names.Unpin()
	text := func(name string) uintptr {
		letters := must[*byte](t)(dl.Text(name))
		names.Pin(letters)
		return uintptr(unsafe.Pointer(letters))
	}
	// Dedicated streams are made and ended by the driver each.
	ok(t, must[*Stream](t)(NewStream(Dedicated())).Close())
	ok(t, Trim())
	ended := text("cuStreamDestroy_v2")
	before := fake("calls", ended)
	third := &fault{function: text("cuStreamCreateWithPriority"), nth: 3, code: 2, device: -1}
	names.Pin(third)
	fake("inject", uintptr(unsafe.Pointer(third)))
	_, err := NewStreamPool(4, Dedicated())
	fake("clear_fault", 0)
	wants(t, ErrOutOfMemory, err)
	ok(t, Trim())
	if count := fake("calls", ended) - before; count != 2 {
		t.Errorf("%d streams were ended, not 2", count)
	}
}
