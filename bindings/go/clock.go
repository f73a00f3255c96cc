// SPDX-License-Identifier: Apache-2.0

package gpustream

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/raw"
)

// Calibrate compares the clocks of host and device, for Event.Time; the comparison is exact to the duration it returns, in
// both directions. It waits some ten microseconds, longer while the device is busy. Clocks drift: compare now and then.
func (d Device) Calibrate() (time.Duration, error) {
	ns, err := of(raw.DeviceCalibrate, raw.Device(d))
	return time.Duration(ns), err
}

// Time is when the record of an event with Timing happened, after a Calibrate of its device: at, give or take within.
// ErrNotReady: it is not reached yet.
func (e *Event) Time() (at time.Time, within time.Duration, err error) {
	var ns, exact int64
	if err := call(func() Status { return raw.EventTimeNs(e.Handle(), &ns, &exact) }); err != nil {
		return time.Time{}, 0, err
	}
	// The library has the time of CLOCK_MONOTONIC, which time.Time does not show.
	before, err := monotonic()
	if err != nil {
		return time.Time{}, 0, err
	}
	now := time.Now()
	after, err := monotonic()
	if err != nil {
		return time.Time{}, 0, err
	}
	middle := before + (after-before)/2
	return now.Add(time.Duration(ns - middle)), time.Duration(exact + after - before), nil
}

func monotonic() (int64, error) {
	const clockMonotonic = 1
	var now syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		return 0, os.NewSyscallError("clock_gettime", failed)
	}
	return now.Nano(), nil
}
