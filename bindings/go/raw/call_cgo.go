// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package raw

/*
#include <stdint.h>

typedef uintptr_t word;
// As the struct of Go.
struct registers { word fn, a, b, c, d, e, f, g, h; };

// All arguments of the library's functions are integers or pointers, which take one register or slot of the stack each. A function
// does not see those after its own.
static int32_t gs_go_call(const struct registers *r) {
    return ((int32_t(*)(word, word, word, word, word, word, word, word))r->fn)(r->a, r->b, r->c, r->d, r->e, r->f, r->g, r->h);
}
// A function with a handle and an output that is 0 or 1: -1 for 1, else the status.
static int32_t gs_go_ask(const struct registers *r) {
    int32_t out = 0;
    const int32_t status = ((int32_t(*)(word, int32_t *))r->fn)(r->a, &out);
    return status == 0 && out != 0 ? -1 : status;
}
static word gs_go_call_at(void) { return (word)gs_go_call; }
static word gs_go_ask_at(void) { return (word)gs_go_ask; }
*/
import "C"

// The trampolines: trampoline calls a function that returns a status, trampolineAsk one with an output of 32 bits.
var trampoline, trampolineAsk = uintptr(C.gs_go_call_at()), uintptr(C.gs_go_ask_at())
