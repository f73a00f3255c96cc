/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for a driver with forms that the fake driver lacks: per-thread streams, two forms of one function with other
   arguments, and a function that no header has yet. What they return says which one was called, and with what. */
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuEventRecord(uintptr_t event, uintptr_t stream) { return (int)(event * 10 + stream); }
EXPORT int cuEventRecord_ptsz(uintptr_t event, uintptr_t stream) { return (int)(200 + event * 10 + stream); }
EXPORT int cuMemcpyBatchAsync(void *dst, void *src, void *sizes, size_t count, void *attributes, void *indices,
                              size_t n, size_t *fail, uintptr_t stream) {
    (void)dst, (void)src, (void)sizes, (void)count, (void)attributes, (void)indices, (void)n, (void)fail;
    return (int)stream;
}
static int later(uintptr_t one, uintptr_t other) { return (int)(900 + one * 10 + other); }

EXPORT int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *why);
EXPORT int cuGetProcAddress(const char *symbol, void **out, int version, uint64_t flags) {
    int why = 0;
    return cuGetProcAddress_v2(symbol, out, version, flags, &why);
}
EXPORT int cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags, int *why) {
    *why = 0;
    *out = NULL;
    if (strcmp(symbol, "cuEventRecord") == 0) *out = flags == 2 ? (void *)cuEventRecord_ptsz : (void *)cuEventRecord;
    if (strcmp(symbol, "cuMemcpyBatchAsync") == 0 && version >= 12080) *out = (void *)cuMemcpyBatchAsync;
    if (strcmp(symbol, "cuLaterThan") == 0) *out = (void *)later;
    if (strcmp(symbol, "cuGetProcAddress") == 0)
        *out = version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
    *why = *out ? 0 : 1;
    return *out ? 0 : 500;
}
