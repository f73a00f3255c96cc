/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of C calls for bench/python/bridges, in the process that has PyTorch loaded. Each returns ns per call, or a
   negative number if a call failed. */
#include <gpustream.h>
#include <stdint.h>
#include <time.h>

typedef int32_t (*shim_get)(int32_t ordinal, void **out_stream);
typedef int32_t (*shim_set)(void *stream, int32_t ordinal);

double time_push_pop(gs_stream_t stream, int64_t calls);
double time_current(int64_t calls);
double time_current_native(int64_t calls);
double time_wrap(uintptr_t native, int64_t calls);
double time_shim_get(shim_get get, int64_t calls);
double time_shim_set(shim_set set, void *stream, int64_t calls);

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define TIMED(calls, body)                                                                                             \
    int32_t failed = 0;                                                                                                \
    const double start = now();                                                                                        \
    for (int64_t i = 0; i < (calls); ++i) {                                                                            \
        body                                                                                                           \
    }                                                                                                                  \
    return failed ? -1.0 : (now() - start) / (double)(calls)

double time_push_pop(gs_stream_t stream, int64_t calls) {
    uint64_t scope = 0;
    TIMED(calls, failed |= gs_push_current_stream(stream, &scope); failed |= gs_pop_current_stream(scope););
}

double time_current(int64_t calls) {
    gs_stream_t stream = NULL;
    TIMED(calls, failed |= gs_current_stream(GS_DEVICE_CURRENT, &stream););
}

double time_current_native(int64_t calls) {
    uintptr_t native = 0;
    TIMED(calls, failed |= gs_current_native(GS_DEVICE_CURRENT, &native););
}

double time_wrap(uintptr_t native, int64_t calls) {
    gs_stream_t stream = NULL;
    TIMED(calls, failed |= gs_stream_from_native(GS_DEVICE_NONE, native, &stream);
          failed |= gs_stream_destroy(stream););
}

double time_shim_get(shim_get get, int64_t calls) {
    void *stream = NULL;
    TIMED(calls, failed |= get(0, &stream););
}

double time_shim_set(shim_set set, void *stream, int64_t calls) { TIMED(calls, failed |= set(stream, 0);); }
