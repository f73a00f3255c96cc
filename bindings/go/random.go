// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// A RandomState is what kernels draw a device's random numbers from: a key and a position in its sequences of Philox
// 4x32-10, as PyTorch's generators have them. The offset counts numbers of 32 bits and is a multiple of 4.
type RandomState struct{ Seed, Offset uint64 }

// Seed sets the seed of the device's random state, and the offset to 0.
func (d Device) Seed(seed uint64) error {
	return call(func() Status { return raw.RngSetState(raw.Device(d), seed, 0) })
}

// RandomState is the device's random state.
func (d Device) RandomState() (RandomState, error) {
	return get(func(out *RandomState) Status { return raw.RngGetState(raw.Device(d), &out.Seed, &out.Offset) })
}

// SetRandomState sets the device's random state.
func (d Device) SetRandomState(state RandomState) error {
	return call(func() Status { return raw.RngSetState(raw.Device(d), state.Seed, state.Offset) })
}

// ReserveRandom reserves random numbers for each thread of a kernel that is launched next in the stream. In a capture the
// result has addresses, from which the kernel reads where its numbers begin.
func (s *Stream) ReserveRandom(count uint64) (raw.Philox, error) {
	philox := &raw.Philox{}
	philox.StructSize = uint32(unsafe.Sizeof(*philox))
	err := call(func() Status { return raw.RngReserve(s.Handle(), count, philox) })
	return *philox, err
}
