// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"context"
	"fmt"
	"math"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Backend is a kind of device.
type Backend = raw.Backend

// The backends.
const (
	DefaultBackend = raw.BackendDefault
	Host           = raw.BackendHost
	CUDA           = raw.BackendCuda
)

// A Device is an ordinal of the default backend, or a number made by On.
type Device raw.Device

// CurrentDevice stands for the current device of the thread that a call runs on.
const CurrentDevice = Device(raw.DeviceCurrent)

// On is a device of a backend, whatever the default one is.
func On(backend Backend, ordinal int) Device {
	return Device(raw.DeviceMake(backend, int32(min(max(ordinal, -1), math.MaxInt32)))) // both are no device
}

// DeviceCount counts the devices of a backend.
func DeviceCount(backend Backend) (int, error) {
	count, err := of(raw.DeviceCount, backend)
	return int(count), err
}

// Ordinal is the device's number in its backend.
func (d Device) Ordinal() int { return int(raw.DeviceOrdinal(raw.Device(d))) }

// Backend is the device's backend; DefaultBackend for a plain ordinal.
func (d Device) Backend() Backend { return raw.DeviceBackend(raw.Device(d)) }

func (d Device) String() string { return fmt.Sprintf("device %d", d.Ordinal()) }

// Info describes a device.
func (d Device) Info() (raw.DeviceInfo, error) {
	return sized(raw.DeviceGetInfo, raw.Device(d))
}

// Name is the name in Info.
func (d Device) Name() (string, error) {
	info, err := d.Info()
	return raw.TextIn(info.Name[:]), err
}

// PriorityRange is the range of streams' priorities; lower numbers are more urgent.
func (d Device) PriorityRange() (least, greatest int, err error) {
	var low, high int32
	err = call(func() Status { return raw.DevicePriorityRange(raw.Device(d), &low, &high) })
	return int(low), int(high), err
}

// Synchronize waits until everything submitted to the device is done, at most until the context's deadline. It blocks an
// OS thread; a context that is cancelled without a deadline is noticed within 10 ms.
func (d Device) Synchronize(ctx context.Context) error {
	return inSlices(ctx, func(ns int64) Status { return raw.DeviceSynchronizeFor(raw.Device(d), ns) })
}

// Reset waits for the device and ends it for this process, with all that was made on it: later calls return ErrContextLost.
// Raw handles and memory that other libraries have of it are dead.
func (d Device) Reset() error { return call(func() Status { return raw.DeviceReset(raw.Device(d)) }) }

// Enter makes the device current for this goroutine until the scope is closed, with the stream that it has current.
func (d Device) Enter() (Scope, error) {
	return enter(func(out *uint64) Status {
		var stream raw.Stream
		if status := raw.CurrentStream(raw.Device(d), &stream); status != raw.Ok {
			return status
		}
		return raw.PushCurrentStream(stream, out)
	})
}
