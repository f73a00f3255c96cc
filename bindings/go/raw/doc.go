// SPDX-License-Identifier: Apache-2.0

// Package raw has the functions of gpustream.h under their own names, without gs_: numbers go in, statuses come out, and
// the header documents them.
//
// Addresses that C owns, functions and their arguments are uintptr. A uintptr(unsafe.Pointer(p)) written as an argument
// keeps what it points to alive during the call, as with syscall.Syscall. Failures are recorded for each OS thread: lock
// the goroutine to its thread around a call and LastError.
//
// The library is opened by the first call, or by Load: through cgo where a program is built with it, and through purego
// with CGO_ENABLED=0, which needs no C compiler.
package raw
