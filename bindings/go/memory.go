// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"errors"
	"sync/atomic"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Memory is what copies and fills work on: an address and a size in bytes.
type Memory interface {
	Address() uintptr
	Len() int
}

// A Buffer is device memory that was allocated in stream order.
type Buffer struct {
	address atomic.Uintptr
	bytes   int
	stream  *Stream
}

// Malloc allocates memory that the stream's later work may use, and that of others after a wait.
func (s *Stream) Malloc(bytes int) (*Buffer, error) {
	return s.allocate(bytes, func(stream raw.Stream, out *uintptr) Status { return raw.MallocAsync(uintptr(bytes), stream, out) })
}

// allocate takes an owner of the stream first: the memory is freed on that one.
func (s *Stream) allocate(bytes int, malloc func(stream raw.Stream, out *uintptr) Status) (*Buffer, error) {
	owner, err := s.Clone()
	if err != nil {
		return nil, err
	}
	address, err := get(func(out *uintptr) Status { return malloc(owner.Handle(), out) })
	if err != nil {
		_ = owner.Close() // the first failure says why
		return nil, err
	}
	b := &Buffer{bytes: bytes, stream: owner}
	b.address.Store(address)
	watch(b, "buffer", func(b *Buffer) bool { return b.address.Load() != 0 })
	return b, nil
}

// Address is that of the first byte; 0 if the buffer is nil or closed.
func (b *Buffer) Address() uintptr {
	if b == nil {
		return 0
	}
	return b.address.Load()
}

// Len is the size in bytes.
func (b *Buffer) Len() int {
	if b == nil {
		return 0
	}
	return b.bytes
}

// Close frees the memory when the stream of its allocation has done what it has now. While that stream is being captured
// it fails with ErrCapturing and the buffer is as it was: close it after the capture, or call CloseAfter, which keeps the
// memory as long as the graph.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	address := b.address.Swap(0)
	if address == 0 {
		return nil
	}
	err := call(func() Status { return raw.FreeAsync(address, b.stream.Handle()) })
	if errors.Is(err, ErrCapturing) || errors.Is(err, ErrNotPermitted) {
		b.address.Store(address)
		return err
	}
	if closed := b.stream.Close(); err == nil {
		err = closed
	}
	return err
}

// CloseAfter frees the memory when these streams have done what they have now; none of them waits. After a failure the
// buffer is as it was.
func (b *Buffer) CloseAfter(streams ...*Stream) error {
	address := b.Address()
	if len(streams) == 0 || address == 0 || !b.address.CompareAndSwap(address, 0) {
		return bare(ErrInvalidArgument, "the buffer is nil or closed, or no stream is named")
	}
	users := make([]raw.Stream, len(streams))
	for i, one := range streams {
		users[i] = one.Handle()
	}
	if err := call(func() Status { return raw.FreeAfter(address, &users[0], uintptr(len(users))) }); err != nil {
		b.address.Store(address)
		return err
	}
	return b.stream.Close()
}

// A HostBuffer is page-locked memory of the host, which devices reach. It is no memory of Go's.
type HostBuffer struct {
	address atomic.Uintptr
	bytes   int
}

// NewHostBuffer allocates page-locked memory. It may wait for devices.
func NewHostBuffer(bytes int) (*HostBuffer, error) {
	address, err := get(func(out *uintptr) Status { return raw.MallocHost(uintptr(bytes), out) })
	if err != nil {
		return nil, err
	}
	b := &HostBuffer{bytes: bytes}
	b.address.Store(address)
	watch(b, "host buffer", func(b *HostBuffer) bool { return b.address.Load() != 0 })
	return b, nil
}

// Bytes is the memory; nil if the buffer is nil or closed. It must not be used after Close.
func (b *HostBuffer) Bytes() []byte {
	if b.Address() == 0 {
		return nil
	}
	return raw.Bytes(b.Address(), b.bytes)
}

// Address is that of the first byte; 0 if the buffer is nil or closed.
func (b *HostBuffer) Address() uintptr {
	if b == nil {
		return 0
	}
	return b.address.Load()
}

// Len is the size in bytes.
func (b *HostBuffer) Len() int {
	if b == nil {
		return 0
	}
	return b.bytes
}

// Close frees the memory. It may wait for devices; work that uses the memory has to be done.
func (b *HostBuffer) Close() error {
	if b == nil {
		return nil
	}
	return end(&b.address, raw.FreeHost)
}

// Copy copies bytes in stream order. Both memories stay alive until that is done.
func (s *Stream) Copy(dst, src Memory, bytes int) error {
	if err := inside(bytes, dst, src); err != nil {
		return err
	}
	return call(func() Status { return raw.MemcpyAsync(dst.Address(), src.Address(), uintptr(bytes), s.Handle()) })
}

// Fill sets bytes to a value in stream order.
func (s *Stream) Fill(dst Memory, value byte, bytes int) error {
	if err := inside(bytes, dst); err != nil {
		return err
	}
	return call(func() Status { return raw.MemsetAsync(dst.Address(), int32(value), uintptr(bytes), s.Handle()) })
}

func inside(bytes int, all ...Memory) error {
	for _, one := range all {
		if one == nil || one.Address() == 0 {
			return bare(ErrInvalidArgument, "the memory is nil or closed")
		}
		if bytes < 0 || bytes > one.Len() {
			return bare(ErrInvalidArgument, "the memory is smaller than that")
		}
	}
	return nil
}
