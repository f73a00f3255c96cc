// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package main

/*
#include <stdint.h>

typedef int32_t (*one)(uint64_t);
typedef int32_t (*two)(uint64_t, uint64_t);

static int32_t loop(const char *what, uintptr_t f, uintptr_t g, uint64_t a, uint64_t b, int n) {
	int32_t failed = 0;
	uint64_t out = 0;
	switch (what[0]) {
	case 'q': // query: an output
		for (; n; --n) failed |= ((two)f)(a, (uint64_t)&out);
		break;
	case '2':
		for (; n; --n) failed |= ((two)f)(a, b);
		break;
	case 'p': // push and pop
		for (; n; --n) {
			failed |= ((two)f)(a, (uint64_t)&out);
			failed |= ((one)g)(out);
		}
		break;
	case 'e': // events
		for (; n; --n) {
			failed |= ((two)f)(0, (uint64_t)&out);
			failed |= ((one)g)(out);
		}
		break;
	case 's': // streams
		for (; n; --n) {
			failed |= ((int32_t(*)(uint64_t, uint64_t, uint64_t, uint64_t))f)(-1, 0, 0, (uint64_t)&out);
			failed |= ((one)g)(out);
		}
	}
	return failed;
}
*/
import "C"

import (
	"fmt"

	"github.com/gpustream/gpustream/bindings/go/internal/dl"
	"github.com/gpustream/gpustream/bindings/go/raw"
)

// loopOf is a loop of C over a function and, for a pair, the one that undoes it.
func loopOf(name string, handles ...uint64) func(n int) {
	library, reason := dl.Open(raw.Path(), false)
	if library == 0 {
		check(fmt.Errorf("%s", reason))
	}
	kind, first, second := "2", name, name
	switch name {
	case "gs_event_query":
		kind = "q"
	case "scope":
		kind, first, second = "p", "gs_push_current_stream", "gs_pop_current_stream"
	case "event":
		kind, first, second = "e", "gs_event_create", "gs_event_destroy"
	case "stream":
		kind, first, second = "s", "gs_stream_create", "gs_stream_destroy"
	}
	f, g := C.uintptr_t(dl.Symbol(library, first)), C.uintptr_t(dl.Symbol(library, second))
	handles = append(handles, 0, 0)
	text := C.CString(kind)
	return func(n int) {
		status(raw.Status(C.loop(text, f, g, C.uint64_t(handles[0]), C.uint64_t(handles[1]), C.int(n))))
	}
}
