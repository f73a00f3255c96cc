// SPDX-License-Identifier: Apache-2.0

// Package gpustream has the device, stream, event and current-stream layer of libgpustream. It needs no C
// compiler: with CGO_ENABLED=0 it calls C through purego.
//
// # Threads
//
// Streams, events, graphs and queues may be used by any goroutine at any time, also while another one closes them. The
// current device and the current streams are state of an OS thread, which a goroutine leaves whenever the scheduler wants.
// What changes them therefore locks the goroutine to its thread: [Stream.Enter] and [Device.Enter] until their scope is
// closed, [LockThread] until the thread is released. A scope that is closed by another goroutine, or not as the innermost
// one, is refused with [ErrScope] and stays open. [Current] means the current stream of the thread that the call happens
// to run on, so it is of use in a scope only.
//
// # Errors
//
// Every error is an [*Error], or a context's. errors.Is(err, gpustream.ErrInvalidHandle) asks for a status.
//
// # Ownership
//
// What New, From and Clone functions return is closed by its Close, any number of times. Nothing is closed by the garbage
// collector: [OnLeak] reports what was forgotten.
package gpustream
