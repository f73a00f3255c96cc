/* SPDX-License-Identifier: Apache-2.0 */
/* A loop of C over a function, for bench/calls.mjs. Kind 0 calls f(a, b), kind 2 f(a, &out), kind 1 f(a, &out) and g(out).
 * Kind 3 calls f(-1, 0, 0, &out) and g(out), as streams are made. */
#include <stdint.h>

struct loop {
    int32_t (*f)(uint64_t, uint64_t, uint64_t, uint64_t);
    int32_t (*g)(uint64_t);
    uint64_t a, b, kind, count;
};

__attribute__((visibility("default"))) int64_t run_loop(struct loop *loop);

int64_t run_loop(struct loop *loop) {
    int64_t failed = 0;
    uint64_t out = 0;
    for (uint64_t i = 0; i < loop->count; ++i) {
        if (loop->kind == 3)
            failed |= loop->f((uint64_t)-1, 0, 0, (uint64_t)&out);
        else
            failed |= loop->f(loop->a, loop->kind == 0 ? loop->b : (uint64_t)&out, 0, 0);
        if (loop->g) failed |= loop->g(out);
    }
    return failed;
}
