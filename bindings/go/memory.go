// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"sync/atomic"

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

// Fill sets bytes to a value in stream order.
func (s *Stream) Fill(dst Memory, value byte, bytes int) error {
	if err := inside(bytes, dst); err != nil {
		return err
	}
	return s.using([]Memory{dst}, func(stream raw.Stream) Status {
		return raw.MemsetAsync(dst.Address(), int32(value), uintptr(bytes), stream)
	})
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
