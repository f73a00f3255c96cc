/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of C over functions of the library, for loop.go: what Go is compared with. */
#include <stdint.h>

enum { CALL, WITH_OUTPUT, PAIR, STREAMS };

struct loop {
    int32_t (*f)(uint64_t, uint64_t, uint64_t, uint64_t);
    int32_t (*g)(uint64_t);
    uint64_t a, b, kind, count;
};

__attribute__((visibility("default"))) int64_t run_loop(struct loop *loop);

int64_t run_loop(struct loop *loop) {
    int64_t failed = 0;
    uint64_t out = 0, n;
    switch (loop->kind) {
    case CALL: /* f(a, b) */
        for (n = loop->count; n; --n) failed |= loop->f(loop->a, loop->b, 0, 0);
        break;
    case WITH_OUTPUT: /* f(a, &out) */
        for (n = loop->count; n; --n) failed |= loop->f(loop->a, (uint64_t)&out, 0, 0);
        break;
    case PAIR: /* f(a, &out), g(out) */
        for (n = loop->count; n; --n) failed |= loop->f(loop->a, (uint64_t)&out, 0, 0) | loop->g(out);
        break;
    case STREAMS: /* the same with a device, priority and flags */
        for (n = loop->count; n; --n) failed |= loop->f((uint64_t)-1, 0, 0, (uint64_t)&out) | loop->g(out);
        break;
    }
    return failed;
}
