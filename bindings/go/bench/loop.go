// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // of the loops of C
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

//go:embed loop/loop.c
var source []byte

// The kinds of loops in loop.c.
const (
	call = iota
	withOutput
	pair
	streams
)

// A loop as C sees it.
type loop struct {
	f, g    uintptr
	a, b    uint64
	kind, n uint64
}

// runLoop is the address of run_loop, which the C compiler makes at the first use: also in a program without cgo.
var runLoop = sync.OnceValue(func() uintptr {
	folder := value(os.MkdirTemp("", "gpustream-bench-"))
	defer os.RemoveAll(folder)
	file, library := filepath.Join(folder, "loop.c"), filepath.Join(folder, "loop.so")
	check(os.WriteFile(file, source, 0o600))
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	command := exec.Command(compiler, "-O2", "-shared", "-fPIC", "-o", library, file)
	command.Stderr = os.Stderr
	check(command.Run())
	handle, reason := dl.Open(library, false)
	if handle == 0 {
		check(errors.New(reason))
	}
	return dl.Symbol(handle, "run_loop")
})

// inC is a loop of C over a function and, for a pair, the one that undoes it.
func inC(kind uint64, first, second string, a, b uint64) func(n int) {
	library, reason := dl.Open(raw.Path(), false)
	if library == 0 {
		check(errors.New(reason))
	}
	one := &loop{f: dl.Symbol(library, first), a: a, b: b, kind: kind}
	if second != "" {
		one.g = dl.Symbol(library, second)
	}
	run := runLoop()
	return func(n int) {
		one.n = uint64(n)
		failed := dl.Call(run, uintptr(unsafe.Pointer(one)), 0)
		runtime.KeepAlive(one)
		if failed != 0 {
			check(errors.New(first + " failed"))
		}
	}
}
