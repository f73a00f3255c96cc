/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of tests/support/images as a function of the host, for `gpustream run --kernels`, and others. */
#include <gpustream.h>

__attribute__((visibility("default"))) void fill(const gs_kernel_context_t *context, void **arguments);

__attribute__((visibility("default"))) void move(const gs_kernel_context_t *context, void **arguments);
__attribute__((visibility("default"))) void put(const gs_kernel_context_t *context, void **arguments);

__attribute__((visibility("default"))) void nothing(const gs_kernel_context_t *context, void **arguments);
void nothing(const gs_kernel_context_t *context, void **arguments) { (void)context, (void)arguments; }

/* to[i] = from[i] + 1 for i < 64. */
void move(const gs_kernel_context_t *context, void **arguments) {
    uint64_t *to = *(uint64_t **)arguments[0];
    const uint64_t *from = *(uint64_t **)arguments[1];
    (void)context;
    for (int i = 0; i < 64; ++i) to[i] = from[i] + 1;
}

/* words[at] = value; both are numbers. */
void put(const gs_kernel_context_t *context, void **arguments) {
    uint64_t *words = *(uint64_t **)arguments[0];
    (void)context;
    words[*(uint64_t *)arguments[1]] = *(uint64_t *)arguments[2];
}

/* words[i] = value for i < count. */
void fill(const gs_kernel_context_t *context, void **arguments) {
    uint32_t *words = *(uint32_t **)arguments[0];
    const uint32_t count = *(uint32_t *)arguments[1], value = *(uint32_t *)arguments[2];
    const uint32_t first = context->block_x * context->block_dim_x;
    for (uint32_t i = first; i < first + context->block_dim_x && i < count; ++i) words[i] = value;
}
