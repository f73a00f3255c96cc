// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package dl

import "github.com/ebitengine/purego"

// Mode says how this build calls C: "purego" or "cgo".
const Mode = "purego"

const noLoad = 4 // RTLD_NOLOAD of Linux

// Open opens a library permanently; with onlyIfLoaded only one that is in the process. The reason is that of a failure.
func Open(name string, onlyIfLoaded bool) (handle uintptr, reason string) {
	flags := purego.RTLD_NOW | purego.RTLD_LOCAL
	if onlyIfLoaded {
		flags |= noLoad
	}
	handle, err := purego.Dlopen(name, flags)
	if err != nil {
		return 0, err.Error()
	}
	return handle, ""
}

// Symbol is the address of a symbol, or 0.
func Symbol(handle uintptr, name string) uintptr {
	address, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return address
}

// Call calls a function of C that takes up to three integers or addresses.
func Call(fn, a, b, c uintptr) uintptr {
	result, _, _ := purego.SyscallN(fn, a, b, c)
	return result
}
