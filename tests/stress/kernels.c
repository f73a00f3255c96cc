/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the host backend for the stress tests: loaded and unloaded while other threads launch them. */
#include <stddef.h>
#include <stdint.h>

#include "gpustream.h"

__attribute__((visibility("default"))) void count(const gs_kernel_context_t *context, void **arguments);
__attribute__((visibility("default"))) void nothing(const gs_kernel_context_t *context, void **arguments);

__attribute__((visibility("default"))) const size_t count_argument_sizes[] = {sizeof(uint64_t *), 0};

/* Adds one for each thread of the block. */
void count(const gs_kernel_context_t *context, void **arguments) {
    uint64_t *counter = *(uint64_t **)arguments[0];
    const uint64_t threads = (uint64_t)context->block_dim_x * context->block_dim_y * context->block_dim_z;
    __atomic_fetch_add(counter, threads, __ATOMIC_SEQ_CST);
}

__attribute__((visibility("default"))) const size_t nothing_argument_sizes[] = {0};
void nothing(const gs_kernel_context_t *context, void **arguments) {
    (void)context;
    (void)arguments;
}
