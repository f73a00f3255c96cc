// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Completion is the end of work that was added to a queue: its token, its status, and when it was noticed.
type Completion = raw.Completion

// A Queue collects the ends of work. Goroutines that wait for it sleep in the network poller.
type Queue struct {
	handle owned
	turn   chan struct{} // held by the goroutine that waits for the descriptor
	file   *os.File      // a duplicate of the descriptor
	conn   syscall.RawConn
	shared bool // other goroutines go on by its entries
}

// NewQueue makes a queue with room for a number of undelivered entries.
func NewQueue(capacity int) (*Queue, error) {
	if uint64(capacity) > math.MaxUint32 { // or below 0
		return nil, bare(ErrInvalidArgument, fmt.Sprintf("a queue has no room for %d entries", capacity))
	}
	handle, err := get(func(out *raw.Queue) Status { return raw.QueueCreate(uint32(capacity), 0, out) })
	if err != nil {
		return nil, err
	}
	q := &Queue{turn: make(chan struct{}, 1)}
	q.handle.Store(uint64(handle))
	if err := q.openPoller(); err != nil {
		q.Close()
		return nil, err
	}
	watch(q, "queue", func(q *Queue) bool { return q.handle.Load() != 0 })
	return q, nil
}

// The descriptor belongs to the library: a duplicate may be registered and closed without it.
func (q *Queue) openPoller() error {
	fd, err := of(raw.QueueFd, q.Handle())
	if err != nil {
		return err
	}
	own, _, failed := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if failed != 0 {
		return os.NewSyscallError("fcntl", failed)
	}
	if err := syscall.SetNonblock(int(own), true); err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	q.file = os.NewFile(own, "gpustream queue")
	q.conn, err = q.file.SyscallConn()
	return err
}

// Handle is the handle of the C interface; 0 if the queue is nil or closed.
func (q *Queue) Handle() raw.Queue {
	if q == nil {
		return 0
	}
	return raw.Queue(q.handle.Load())
}

// AddStream delivers an entry with the token when the work submitted to a stream so far is done.
func (q *Queue) AddStream(stream *Stream, token uint64) error {
	return call(func() Status { return raw.QueueAddStream(q.Handle(), stream.Handle(), token) })
}

// AddEvent delivers an entry with the token when the record that an event has now is reached.
func (q *Queue) AddEvent(event *Event, token uint64) error {
	return call(func() Status { return raw.QueueAddEvent(q.Handle(), event.Handle(), token) })
}

// Cancel delivers the entries with a token now, with ErrCancelled, and returns how many they are.
func (q *Queue) Cancel(token uint64) (int, error) {
	count, err := get(func(out *uintptr) Status { return raw.QueueCancel(q.Handle(), token, out) })
	return int(count), err
}

// Poll takes entries that are there.
func (q *Queue) Poll(entries []Completion) (int, error) {
	return q.take(func(out *uintptr) Status {
		return raw.QueuePoll(q.Handle(), unsafe.SliceData(entries), uintptr(len(entries)), out)
	})
}

// take makes a call that takes entries. What its thread learns by them is left for the goroutines that get them.
func (q *Queue) take(entries func(count *uintptr) Status) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	count, err := get(entries)
	if count > 0 && q.shared {
		handOver()
	}
	return int(count), err
}

// handed is the clock of the goroutines that wait with a context, and of the one that takes their entries.
var handed uint64

// handOver tells the ordering checker, as a CheckClock does. After a failure the checker knows less, and nothing else changes.
func handOver() { raw.CheckHandover(&handed) }

// Wait takes entries, after waiting for the first one or for the end of the context. One goroutine waits at a time.
func (q *Queue) Wait(ctx context.Context, entries []Completion) (int, error) {
	if q == nil {
		return 0, bare(ErrInvalidHandle, "the queue is nil")
	}
	// A wait of no time is refused where every wait is.
	n, err := q.take(func(out *uintptr) Status {
		return raw.QueueWait(q.Handle(), unsafe.SliceData(entries), uintptr(len(entries)), 0, out)
	})
	if !errors.Is(err, ErrTimeout) {
		return n, err
	}
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { <-q.turn }()
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		q.file.SetReadDeadline(time.Unix(1, 0))
		close(ended)
	})
	var failed error
	waited := q.conn.Read(func(uintptr) bool {
		n, failed = q.Poll(entries)
		return n > 0 || failed != nil
	})
	if !stop() {
		<-ended
		q.file.SetReadDeadline(time.Time{})
	}
	if n > 0 || failed != nil {
		return n, failed
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if q.Handle() == 0 {
		return 0, bare(ErrInvalidHandle, "the queue was closed during the wait")
	}
	return 0, waited
}

// Close ends the queue: entries are dropped, and a Wait returns ErrInvalidHandle. The work goes on.
func (q *Queue) Close() error {
	if q == nil {
		return nil
	}
	handle := raw.Queue(q.handle.Swap(0))
	if handle == 0 {
		return nil
	}
	if q.file != nil {
		q.file.Close()
	}
	return call(func() Status { return raw.QueueDestroy(handle) })
}

// One queue serves all waits with a context.
var reactor struct {
	sync.Mutex
	queue   *Queue
	waiting map[uint64]chan Completion
	token   uint64
}

// await waits for what add puts into the queue, without blocking an OS thread; in wait, if the context never ends.
func await(ctx context.Context, wait func(ns int64) Status, add func(queue raw.Queue, token uint64) Status) error {
	if ctx.Done() == nil {
		return call(func() Status { return wait(-1) })
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// A wait of no time is refused where every wait is, and warns.
	if err := call(func() Status { return wait(0) }); !errors.Is(err, ErrTimeout) {
		return err
	}
	result := make(chan Completion, 1)
	queue, token, err := expect(result)
	if err != nil {
		return err
	}
	handle := queue.Handle()
	if err := call(func() Status { return add(handle, token) }); err != nil {
		forget(token)
		return err
	}
	select {
	case end := <-result:
		handOver()
		if end.Status != raw.Ok {
			found := bare(end.Status, "")
			found.NativeCode = end.NativeCode
			return found
		}
		return nil
	case <-ctx.Done():
		forget(token)
		_, _ = queue.Cancel(token) // an entry that came in between is none to cancel
		return ctx.Err()
	}
}

func expect(result chan Completion) (*Queue, uint64, error) {
	reactor.Lock()
	defer reactor.Unlock()
	if reactor.queue == nil {
		queue, err := NewQueue(1 << 30)
		if err != nil {
			return nil, 0, err
		}
		queue.shared = true
		reactor.queue, reactor.waiting = queue, map[uint64]chan Completion{}
		go deliver(queue)
	}
	reactor.token++
	reactor.waiting[reactor.token] = result
	return reactor.queue, reactor.token, nil
}

func forget(token uint64) {
	reactor.Lock()
	delete(reactor.waiting, token)
	reactor.Unlock()
}

// deliver hands the entries to those who wait. If the queue breaks, all of them learn it and the next one makes another.
func deliver(queue *Queue) {
	entries := make([]Completion, 64)
	for {
		n, err := queue.Wait(context.Background(), entries)
		reactor.Lock()
		for _, end := range entries[:n] {
			if result, ok := reactor.waiting[end.Token]; ok {
				delete(reactor.waiting, end.Token)
				result <- end
			}
		}
		if err != nil {
			for _, result := range reactor.waiting {
				result <- Completion{Status: ErrInternal}
			}
			reactor.queue = nil
			reactor.Unlock()
			queue.Close()
			return
		}
		reactor.Unlock()
	}
}

// longestSlice is how late a context that is cancelled may be noticed.
const longestSlice = 10 * time.Millisecond

// inSlices waits in pieces, for what a queue cannot wait for.
func inSlices(ctx context.Context, wait func(ns int64) Status) error {
	if ctx.Done() == nil {
		return call(func() Status { return wait(-1) })
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := longestSlice + 1
		if deadline, ok := ctx.Deadline(); ok {
			left = max(time.Until(deadline), 0)
		}
		err := call(func() Status { return wait(min(left, longestSlice).Nanoseconds()) })
		if !errors.Is(err, ErrTimeout) {
			return err
		}
		if left <= longestSlice { // the context's timer may be late
			return context.DeadlineExceeded
		}
	}
}
