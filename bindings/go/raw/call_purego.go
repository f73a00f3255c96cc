// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package raw

import _ "github.com/ebitengine/purego" // makes runtime.cgocall work without cgo

// The trampolines (trampolines_*.s): trampoline calls a function that returns a status, trampolineAsk one with an output of 32 bits.
var trampoline, trampolineAsk uintptr
