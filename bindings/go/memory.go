// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Memory is what copies and fills work on: an address and a size in bytes. Memory of no bytes has the address 0.
type Memory interface {
	Address() uintptr
	Len() int
}

// A block is the word of an open owner of memory: the address, which is even, and 1. It is 0 once that is closed.
type block struct{ atomic.Uintptr }

const open = 1

func (b *block) begin(address uintptr) { b.Store(address | open) }
func (b *block) address() uintptr      { return b.Load() &^ open }

// A HostBuffer is page-locked memory of the host, which devices reach. It is no memory of Go's.
type HostBuffer struct {
	block block
	bytes int
}

// NewHostBuffer allocates page-locked memory. It may wait for devices.
func NewHostBuffer(bytes int) (*HostBuffer, error) {
	address, err := get(func(out *uintptr) Status { return raw.MallocHost(uintptr(bytes), out) })
	if err != nil {
		return nil, err
	}
	b := &HostBuffer{bytes: bytes}
	b.block.begin(address)
	watch(b, "host buffer", (*HostBuffer).isOpen)
	return b, nil
}

// Bytes is the memory; nil if the buffer is nil or closed. It must not be used after Close.
func (b *HostBuffer) Bytes() []byte {
	if !b.isOpen() {
		return nil
	}
	return raw.Bytes(b.Address(), b.bytes)
}

// Address is that of the first byte; 0 if the buffer is nil or closed.
func (b *HostBuffer) Address() uintptr {
	if b == nil {
		return 0
	}
	return b.block.address()
}

func (b *HostBuffer) isOpen() bool { return b != nil && b.block.Load() != 0 }

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
	return end(&b.block, func(word uintptr) Status { return raw.FreeHost(word &^ open) })
}

// Copy copies bytes in stream order. Both memories stay alive until that is done.
func (s *Stream) Copy(dst, src Memory, bytes int) error {
	if err := inside(bytes, dst, src); err != nil {
		return err
	}
	return s.using([]Memory{dst, src}, func(stream raw.Stream) Status {
		return raw.MemcpyAsync(dst.Address(), src.Address(), uintptr(bytes), stream)
	})
}

// A Transfer is one copy of CopyBatch.
type Transfer struct {
	Dst, Src Memory
	Bytes    int
}

// When CopyBatch reads its sources: in stream order, until it returns, or at any time until the copies are done. All but
// AccessOrderStream do not wait for the stream's earlier work.
const (
	AccessOrderStream     = raw.AccessOrderStream
	AccessOrderDuringCall = raw.AccessOrderDuringCall
	AccessOrderAny        = raw.AccessOrderAny
)

// CopyBatch submits copies, in one call of the driver where it has one. They may run in any order and at the same time. All
// memories stay alive until that is done.
func (s *Stream) CopyBatch(transfers []Transfer, order int32) error {
	var all []Memory
	for _, one := range transfers {
		if err := inside(one.Bytes, one.Dst, one.Src); err != nil {
			return err
		}
		all = append(all, one.Dst, one.Src)
	}
	return s.using(all, func(stream raw.Stream) Status {
		copies := make([]raw.Copy, len(transfers)+1) // one more: there is a first one
		for i, one := range transfers {
			copies[i] = raw.Copy{Dst: one.Dst.Address(), Src: one.Src.Address(), Bytes: uint64(one.Bytes)}
		}
		return raw.MemcpyBatchAsync(&copies[0], uintptr(len(transfers)), order, stream)
	})
}

// Fill sets bytes to a value in stream order.
func (s *Stream) Fill(dst Memory, value byte, bytes int) error {
	if err := inside(bytes, dst); err != nil {
		return err
	}
	return s.using([]Memory{dst}, func(stream raw.Stream) Status {
		return raw.MemsetAsync(dst.Address(), int32(value), uintptr(bytes), stream)
	})
}

// Fill sets all bytes to a value, in the current stream of the buffer's device or in the stream that is named.
func (b *Buffer) Fill(value byte, stream ...*Stream) error {
	return b.in(stream, func(s *Stream) error { return s.Fill(b, value, b.Len()) })
}

// CopyFrom copies as many bytes as the buffer has; the stream is that of Fill. Both memories stay alive until that is done.
func (b *Buffer) CopyFrom(src Memory, stream ...*Stream) error {
	return b.in(stream, func(s *Stream) error { return s.Copy(b, src, b.Len()) })
}

// CopyTo copies all bytes of the buffer; otherwise as CopyFrom.
func (b *Buffer) CopyTo(dst Memory, stream ...*Stream) error {
	return b.in(stream, func(s *Stream) error { return s.Copy(dst, b, b.Len()) })
}

func (b *Buffer) in(named []*Stream, work func(s *Stream) error) error {
	if !b.isOpen() {
		return inside(0, b)
	}
	if len(named) > 0 {
		return work(named[0])
	}
	device, err := b.stream.Device()
	if err != nil {
		return err
	}
	current, err := GetStream(device)
	if err != nil {
		return err
	}
	defer func() { _ = current.Close() }() // gives back what GetStream took
	return work(current)
}

// using submits work to the stream, behind the allocation of the buffers that it uses.
func (s *Stream) using(all []Memory, submit func(stream raw.Stream) Status) error {
	return s.settled(func(s *Stream) error { return s.usingNow(all, submit) })
}

func (s *Stream) usingNow(all []Memory, submit func(stream raw.Stream) Status) error {
	var buffers []*Buffer
	for _, one := range all {
		if buffer, is := one.(*Buffer); is {
			buffers = append(buffers, buffer)
		}
	}
	// Until the work is submitted no other goroutine frees them. In this order no two callers wait for each other.
	slices.SortFunc(buffers, func(a, b *Buffer) int { return cmp.Compare(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b))) })
	buffers = slices.Compact(buffers)
	for _, buffer := range buffers {
		buffer.mutex.Lock()
		defer buffer.mutex.Unlock()
	}
	for _, buffer := range buffers {
		if err := inside(0, buffer); err != nil {
			return err
		}
		if err := buffer.use(s); err != nil {
			return err
		}
	}
	return call(func() Status { return submit(s.Handle()) })
}

func inside(bytes int, all ...Memory) error {
	for _, one := range all {
		if one == nil || isClosed(one) {
			return bare(ErrInvalidArgument, "the memory is nil or closed")
		}
		if bytes < 0 || bytes > one.Len() {
			return bare(ErrInvalidArgument, "the memory is smaller than that")
		}
	}
	return nil
}

func isClosed(one Memory) bool {
	if own, is := one.(interface{ isOpen() bool }); is {
		return !own.isOpen()
	}
	return one.Address() == 0 && one.Len() > 0 // of other types only the program knows more
}
