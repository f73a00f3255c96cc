/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the conformance suite for the host backend; kernels.hpp and launch_kernels.hpp have the same ones in PTX. */
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "gpustream.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void fill_index(const gs_kernel_context_t *context, void **arguments);
EXPORT void add_one(const gs_kernel_context_t *context, void **arguments);
EXPORT void scratch(const gs_kernel_context_t *context, void **arguments);
EXPORT void primary(const gs_kernel_context_t *context, void **arguments);
EXPORT void secondary(const gs_kernel_context_t *context, void **arguments);

/* out[i] = base + i for every thread i of the grid (one dimension), below count */
EXPORT extern const size_t fill_index_argument_sizes[];
const size_t fill_index_argument_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t), sizeof(uint32_t), 0};
void fill_index(const gs_kernel_context_t *context, void **arguments) {
    uint32_t *out = *(uint32_t **)arguments[0];
    const uint32_t base = *(const uint32_t *)arguments[1];
    const uint32_t count = *(const uint32_t *)arguments[2];
    for (uint32_t thread = 0; thread < context->block_dim_x; ++thread) {
        const uint32_t i = context->block_x * context->block_dim_x + thread;
        if (i < count) out[i] = base + i;
    }
}

/* *counter += 1, by the first thread of the first block */
void add_one(const gs_kernel_context_t *context, void **arguments) {
    if (context->block_x == 0 && context->block_y == 0 && context->block_z == 0) ++**(uint32_t **)arguments[0];
}

/* *seen = size of the scratch memory, which is written to the last byte */
void scratch(const gs_kernel_context_t *context, void **arguments) {
    if (context->shared_memory) memset(context->shared_memory, 0x5A, context->shared_memory_bytes);
    **(uint32_t **)arguments[0] = context->shared_memory ? context->shared_memory_bytes : 0;
}

/* Lets others start, then writes whether *flag became 1 (1) or the time passed first (2). */
EXPORT extern const size_t primary_argument_sizes[];
const size_t primary_argument_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t *), sizeof(uint32_t), 0};
void primary(const gs_kernel_context_t *context, void **arguments) {
    const uint32_t *flag = *(uint32_t **)arguments[0];
    const struct timespec millisecond = {0, 1000000};
    uint32_t left = *(const uint32_t *)arguments[2];
    context->trigger(context->launch);
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0 && left-- > 0) nanosleep(&millisecond, NULL);
    **(uint32_t **)arguments[1] = __atomic_load_n(flag, __ATOMIC_ACQUIRE) ? 1 : 2;
}

/* Sets *flag, then notes what the kernel ahead has written. */
EXPORT extern const size_t secondary_argument_sizes[];
const size_t secondary_argument_sizes[] = {sizeof(uint32_t *), sizeof(uint32_t *), sizeof(uint32_t *), 0};
void secondary(const gs_kernel_context_t *context, void **arguments) {
    __atomic_store_n(*(uint32_t **)arguments[0], 1, __ATOMIC_RELEASE);
    context->wait_for_earlier(context->launch);
    **(uint32_t **)arguments[2] = **(const uint32_t **)arguments[1];
}
