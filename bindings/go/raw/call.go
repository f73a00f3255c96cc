// SPDX-License-Identifier: Apache-2.0

package raw

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Statuses of this package, which no function of the library returns.
const (
	// NotLoaded: there is no library; Load says why.
	NotLoaded Status = -1 << 31
	// missing minus the place of a function: the library is older and lacks it.
	missing Status = -1 << 20
)

// What a call returns in the upper half if it never reached the library.
const unreached = 0x80005ea1

var (
	addresses [len(names)]uintptr
	loaded    atomic.Bool
	loading   sync.Mutex
	libPath   string
)

// Missing is the name of the function that a status says the library lacks, or "".
func Missing(status Status) string {
	if index := int(missing) - int(status); index >= 0 && index < len(names) && status > NotLoaded {
		return names[index]
	}
	return ""
}

// address is that of a function, or 0 and what the call returns instead.
func address(index int) (uintptr, uintptr) {
	if loaded.Load() { // first: what is read next was written before
		if fn := addresses[index]; fn != 0 {
			return fn, 0
		}
	}
	return late(index)
}

// late opens the library, as the first call does.
func late(index int) (uintptr, uintptr) {
	if Load("") != nil {
		return 0, refused(NotLoaded)
	}
	if addresses[index] == 0 {
		return 0, refused(missing - Status(index))
	}
	return addresses[index], 0
}

func refused(status Status) uintptr {
	return unreached<<32 | uintptr(uint32(status))
}

// word is the result of a function that returns no status, and 0 if the call is refused.
func word(result uintptr) uintptr {
	if result>>32 == unreached {
		return 0
	}
	return result
}

// textAt copies a C text.
func textAt(address uintptr) string {
	return Text((*byte)(pointerTo(address)))
}

// pointerTo is a C address as a pointer. C's memory never moves, so the rules of unsafe.Pointer are met.
func pointerTo(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// Text copies a NUL-terminated text; nil is "".
func Text(text *byte) string {
	if text == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}

// TextIn copies the text in an array of a struct.
func TextIn(array []byte) string {
	for n, b := range array {
		if b == 0 {
			return string(array[:n])
		}
	}
	return string(array)
}

// Bytes is memory of C's as a slice.
func Bytes(address uintptr, n int) []byte {
	return unsafe.Slice((*byte)(pointerTo(address)), n)
}

// answer is what gs_go_ask1 and trampolineAsk return: no status is negative.
func answer(packed int32) (bool, Status) {
	if packed == -1 {
		return true, Ok
	}
	return false, Status(packed)
}

// AskEvent is EventQuery without memory for its output.
func AskEvent(event Event) (done bool, status Status) { return ask1(inEventQuery, uintptr(event)) }

// AskStream is StreamQuery without memory for its output.
func AskStream(stream Stream) (done bool, status Status) { return ask1(inStreamQuery, uintptr(stream)) }
