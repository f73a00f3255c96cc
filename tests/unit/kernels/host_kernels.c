/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the host backend for the unit tests; compiled to a shared object. */
#include <stddef.h>
#include <stdint.h>

#include "gpustream.h"

__attribute__((visibility("default")))
const size_t add_argument_sizes[] = {sizeof(int64_t *), sizeof(int32_t), sizeof(char), 0};

/* out[block] += value, once per block; the third argument only checks the packing. */
__attribute__((visibility("default"))) void add(const gs_kernel_context_t *context, void **arguments) {
    int64_t *out = *(int64_t **)arguments[0];
    const int32_t value = *(const int32_t *)arguments[1];
    const uint32_t block =
        context->block_x + context->grid_dim_x * (context->block_y + context->grid_dim_y * context->block_z);
    out[block] += value + *(const char *)arguments[2];
}

/* Without exported sizes: *arguments[0] is read when the kernel runs. */
__attribute__((visibility("default"))) void late(const gs_kernel_context_t *context, void **arguments) {
    (void)context;
    **(int64_t **)arguments[0] = *(const int64_t *)arguments[1];
}

/* Counts the bytes of shared memory that are not zero, then dirties them all. */
__attribute__((visibility("default"))) void dirty(const gs_kernel_context_t *context, void **arguments) {
    int64_t *count = (int64_t *)arguments[0];
    unsigned char *shared = (unsigned char *)context->shared_memory;
    for (uint32_t i = 0; i < context->shared_memory_bytes; ++i) {
        *count += shared[i] != 0;
        shared[i] = 0xff;
    }
    *count += context->struct_size != sizeof(gs_kernel_context_t);
}

__attribute__((visibility("default"))) const size_t absurd_argument_sizes[] = {SIZE_MAX, 0};
__attribute__((visibility("default"))) void absurd(const gs_kernel_context_t *context, void **arguments) {
    (void)context;
    (void)arguments;
}
