// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A Buffer is device memory that was allocated in stream order. It knows the streams in which copies, fills and kernels use it.
// The first use in another stream than that of the allocation waits for what the latter has then; between uses in different
// streams nothing waits by itself.
type Buffer struct {
	block    block
	bytes    int
	stream   *Stream
	captured bool // by a capture, whose graph has the memory

	mutex sync.Mutex // held while work with it is submitted, too
	users []*Stream  // other streams that use it
	begun *Event     // behind the allocation, once another stream uses it
}

// From so many users on, those that have done their work are forgotten: else a buffer that lives long would keep every stream.
const manyUsers = 16

// The number of each thread's own stream, as gs_stream_id has it.
const perThread = 2

// Malloc allocates memory that the stream's later work may use. Of 0 bytes nothing is allocated, and the address is 0.
func (s *Stream) Malloc(bytes int) (*Buffer, error) {
	return s.allocate(bytes, func(stream raw.Stream, out *uintptr) Status { return raw.MallocAsync(uintptr(bytes), stream, out) })
}

// allocate takes an owner of the stream first: the memory is freed on that one.
func (s *Stream) allocate(bytes int, malloc func(stream raw.Stream, out *uintptr) Status) (*Buffer, error) {
	owner, err := s.forAll()
	if err != nil {
		return nil, err
	}
	b := &Buffer{bytes: bytes, stream: owner}
	address, err := get(func(out *uintptr) Status { return malloc(owner.Handle(), out) })
	if err == nil {
		b.captured, err = owner.Capturing()
	}
	if err != nil {
		_ = owner.Close() // the first failure says why
		return nil, err
	}
	b.block.begin(address)
	watch(b, "buffer", (*Buffer).isOpen)
	return b, nil
}

// Address is that of the first byte; 0 if the buffer is nil or closed.
func (b *Buffer) Address() uintptr {
	if b == nil {
		return 0
	}
	return b.block.address()
}

func (b *Buffer) isOpen() bool { return b != nil && b.block.Load() != 0 }

// Len is the size in bytes.
func (b *Buffer) Len() int {
	if b == nil {
		return 0
	}
	return b.bytes
}

// use, under the mutex, orders the stream behind the allocation, and has the memory freed behind its work.
func (b *Buffer) use(s *Stream) error {
	if b.Len() == 0 {
		return nil
	}
	if b.knows(s) {
		return nil
	}
	user, err := s.forAll()
	if err != nil {
		return err
	}
	if user.Handle() != b.stream.Handle() {
		err = b.order(s)
	}
	if err != nil || b.knows(user) {
		return errors.Join(err, user.Close())
	}
	if len(b.users) >= manyUsers {
		b.users = slices.DeleteFunc(b.users, func(one *Stream) bool {
			done, err := one.Done()
			return err == nil && done && one.Close() == nil
		})
	}
	b.users = append(b.users, user)
	return nil
}

func (b *Buffer) knows(s *Stream) bool {
	return s.Handle() == b.stream.Handle() ||
		slices.ContainsFunc(b.users, func(one *Stream) bool { return one.Handle() == s.Handle() })
}

// forAll is an owner of the stream. A per-thread stream is another one on each thread; the default stream stands for it, whose
// work comes after that of all of them.
func (s *Stream) forAll() (*Stream, error) {
	owner, err := s.Clone()
	if err != nil {
		return nil, err
	}
	id, err := of(raw.StreamId, owner.Handle())
	if err == nil && id != perThread {
		return owner, nil
	}
	defer func() { _ = owner.Close() }() // gives back what Clone took
	if err != nil {
		return nil, err
	}
	device, err := owner.Device()
	if err != nil {
		return nil, err
	}
	return DefaultStream(device)
}

// order orders the stream behind the allocation. A graph cannot wait for work from outside of it, so the host does.
func (b *Buffer) order(s *Stream) error {
	hidden, err := b.stream.Capturing()
	if err != nil {
		return err
	}
	if b.captured {
		if hidden {
			return s.WaitStream(b.stream) // takes part in the capture
		}
		return nil
	}
	capturing, err := s.Capturing()
	if err != nil || capturing && hidden && b.begun == nil {
		return err
	}
	if b.begun == nil {
		if hidden {
			return bare(ErrCapturing, "the buffer's stream is being captured, so that another one cannot wait for the allocation: use the buffer there before")
		}
		event, err := NewEvent()
		if err != nil {
			return err
		}
		if err := event.Record(b.stream); err != nil {
			return errors.Join(err, event.Close())
		}
		b.begun = event
	}
	if capturing {
		return b.begun.Synchronize(context.Background())
	}
	return s.WaitEvent(b.begun)
}

// Close frees the memory when all streams that used it have done what they have now. If one of them is being captured, the
// memory lives as long as the graph. CloseAfter is for streams that use the address alone.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.free(nil)
}

// CloseAfter is Close behind these streams, too; none of them waits. After a failure the buffer is as it was.
func (b *Buffer) CloseAfter(streams ...*Stream) error {
	if len(streams) == 0 || !b.isOpen() {
		return bare(ErrInvalidArgument, "the buffer is nil or closed, or no stream is named")
	}
	return b.free(streams)
}

func (b *Buffer) free(named []*Stream) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	word := b.block.Swap(0)
	if word == 0 {
		return nil
	}
	err := b.freeBehind(word&^open, slices.Concat(b.users, named))
	if err != nil && (named != nil || errors.Is(err, ErrNotPermitted)) {
		b.block.Store(word)
		return err
	}
	for _, user := range b.users {
		err = errors.Join(err, user.Close())
	}
	b.users = nil
	return errors.Join(err, b.begun.Close(), b.stream.Close())
}

func (b *Buffer) freeBehind(address uintptr, others []*Stream) error {
	if b.captured {
		return b.freeInCapture(address, others)
	}
	if len(others) == 0 {
		err := call(func() Status { return raw.FreeAsync(address, b.stream.Handle()) })
		if !errors.Is(err, ErrCapturing) {
			return err
		}
	}
	all := []raw.Stream{b.stream.Handle()}
	for _, one := range others {
		all = append(all, one.Handle())
	}
	return call(func() Status { return raw.FreeAfter(address, &all[0], uintptr(len(all))) })
}

// freeInCapture frees memory that a graph has: in the capture behind those that take part, later as the stream has it then.
func (b *Buffer) freeInCapture(address uintptr, others []*Stream) error {
	capturing, err := b.stream.Capturing()
	for i := 0; i < len(others) && capturing && err == nil; i++ {
		err = b.stream.WaitStream(others[i])
	}
	if err != nil {
		return err
	}
	return call(func() Status { return raw.FreeAsync(address, b.stream.Handle()) })
}
