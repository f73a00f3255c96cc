// SPDX-License-Identifier: Apache-2.0

package raw

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
)

// Mode says how this build calls C: "purego" or "cgo".
const Mode = dl.Mode

const libraryName = "libgpustream.so.0"

// An Attempt is a place where the library was looked for, and why it was not used.
type Attempt struct {
	Name   string
	Reason string
}

// A LoadError says why there is no library.
type LoadError struct {
	// The places tried, if no library was found.
	Attempts []Attempt
	// The file that was found, if it could not be used.
	Path string
	// What is wrong with it.
	Problem error
}

// What is wrong with a library that was found.
var (
	ErrNotGpustream = errors.New("this is not libgpustream")
	ErrWrongABI     = errors.New("its ABI version is not the one of this module")
	ErrAlready      = errors.New("the process uses this file of the library already")
)

func (e *LoadError) Error() string {
	if e.Problem != nil {
		return fmt.Sprintf("%s: %v", e.Path, e.Problem)
	}
	text := "libgpustream was not found:"
	for _, one := range e.Attempts {
		text += fmt.Sprintf(" %s (%s);", one.Name, one.Reason)
	}
	return text + " set GPUSTREAM_LIBRARY to the file"
}

func (e *LoadError) Unwrap() error { return e.Problem }

// Load opens the library, once per process. A copy that another language has loaded comes first, then the given file, then
// the file that GPUSTREAM_LIBRARY names, then libgpustream.so.0 on the system loader's path. The first call of any function
// loads with an empty path. A failure is not remembered.
func Load(path string) error {
	loading.Lock()
	defer loading.Unlock()
	if loaded.Load() {
		if path != "" && !sameFile(path, libPath) {
			return &LoadError{Path: libPath, Problem: ErrAlready}
		}
		return nil
	}
	handle, err := find(path)
	if err != nil {
		return err
	}
	abi := dl.Symbol(handle, "gs_abi_version")
	found := fileOf(abi)
	if abi == 0 {
		return &LoadError{Path: path, Problem: ErrNotGpustream}
	}
	if path != "" && !sameFile(path, found) {
		return &LoadError{Path: found, Problem: ErrAlready}
	}
	if version := uint32(dl.Call(abi, 0, 0, 0)); version != uint32(HeaderAbiVersion) {
		return &LoadError{Path: found, Problem: fmt.Errorf("%w: it has %d, wanted is %d", ErrWrongABI, version, HeaderAbiVersion)}
	}
	for index, name := range names {
		addresses[index] = dl.Symbol(handle, name)
	}
	libPath = found
	loaded.Store(true)
	return nil
}

// Path is the file from which the library was loaded; "" before that.
func Path() string {
	loading.Lock()
	defer loading.Unlock()
	return libPath
}

// find returns the loader's handle. The library is never closed: its threads and handles outlive every owner.
func find(path string) (uintptr, error) {
	// A copy that another language has loaded, from any file: a second one would have its own current streams.
	if handle, _ := dl.Open(libraryName, true); handle != 0 {
		return handle, nil
	}
	if _, err := dl.Text(path); err != nil {
		return 0, &LoadError{Path: path, Problem: err}
	}
	if path == "" {
		path = trustedVariable("GPUSTREAM_LIBRARY")
	}
	if path == "" {
		path = libraryName
	}
	handle, reason := dl.Open(path, false)
	if handle == 0 {
		return 0, &LoadError{Attempts: []Attempt{{path, reason}}}
	}
	return handle, nil
}

func sameFile(one, other string) bool {
	left, err := os.Stat(one)
	if err != nil {
		return false
	}
	right, err := os.Stat(other)
	return err == nil && os.SameFile(left, right)
}

// trustedVariable is a variable of the environment; empty in a process with more rights than the user who set it.
func trustedVariable(name string) string {
	const secure = 23 // AT_SECURE
	vector, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return ""
	}
	for ; len(vector) >= 16; vector = vector[16:] {
		if binary.NativeEndian.Uint64(vector) == secure && binary.NativeEndian.Uint64(vector[8:]) != 0 {
			return ""
		}
	}
	return os.Getenv(name)
}

// fileOf is the file from which the code at an address was loaded, or "".
func fileOf(address uintptr) string {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x", &from, &to); n == 2 && from <= address && address < to {
			if at := strings.IndexByte(lines.Text(), '/'); at >= 0 {
				return lines.Text()[at:]
			}
		}
	}
	return ""
}
