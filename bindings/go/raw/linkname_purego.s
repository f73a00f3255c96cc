//go:build !cgo

// SPDX-License-Identifier: Apache-2.0
// Lets the compiler accept a function without a body (call_purego.go).
