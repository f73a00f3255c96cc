// SPDX-License-Identifier: Apache-2.0
// The pipeline's host kernel with one fault added, chosen when it is compiled.
#define crc_and_histogram right_crc_and_histogram
#include "kernels_host.cpp"
#undef crc_and_histogram

#if !defined(WRONG_name) // the kernel is missing
EXPORTED void crc_and_histogram(const gs_kernel_context_t *context, void **arguments);
void crc_and_histogram(const gs_kernel_context_t *context, void **arguments) {
    right_crc_and_histogram(context, arguments);
    auto *result = *static_cast<uint32_t **>(arguments[2]);
#if defined(WRONG_crc)
    if (context->block_x == 0) result[pipeline::kBins] ^= 1u;
#elif defined(WRONG_histogram)
    if (context->block_x == 0) __atomic_fetch_add(&result[0], 1u, __ATOMIC_RELAXED);
#elif defined(WRONG_last_slice)
    if (context->block_x + 1 == context->grid_dim_x) result[pipeline::kBins + context->block_x] = 0;
#else
#error "which fault?"
#endif
}
#endif
