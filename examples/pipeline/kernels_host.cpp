// SPDX-License-Identifier: Apache-2.0
// The kernel for the host backend: a shared object of its own, loaded by gs_module_load() like PTX is on CUDA.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "crc_tables.hpp"
#include "gpustream.h"
#include "kernel_layout.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

// Several counters per bin, so that a run of equal bytes does not wait for its own last increment each time.
using Bins = std::array<std::array<uint32_t, pipeline::kBins>, 4>;

uint32_t crc_and_count(const unsigned char *data, size_t bytes, Bins &bins) {
    uint32_t crc = 0;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        crc = pipeline::raw_crc_of_eight(crc, data);
        for (size_t i = 0; i < 8; ++i) ++bins[i % 4][data[i]];
    }
    for (; bytes != 0; --bytes, ++data) {
        crc = pipeline::raw_crc_of_one(crc, *data);
        ++bins[0][*data];
    }
    return crc;
}

} // namespace

// With this array next to the kernel the launch copies the values of the arguments, as CUDA does.
EXPORTED const size_t crc_and_histogram_argument_sizes[];
const size_t crc_and_histogram_argument_sizes[] = {sizeof(void *), sizeof(uint32_t), sizeof(void *), 0};

EXPORTED void crc_and_histogram(const gs_kernel_context_t *context, void **arguments);
void crc_and_histogram(const gs_kernel_context_t *context, void **arguments) {
    const auto *data = *static_cast<const unsigned char **>(arguments[0]);
    const uint32_t bytes = *static_cast<uint32_t *>(arguments[1]);
    auto *result = *static_cast<uint32_t **>(arguments[2]);

    const uint32_t begin = context->block_x * pipeline::kSliceBytes;
    Bins bins{};
    result[pipeline::kBins + context->block_x] =
        crc_and_count(data + begin, std::min(bytes - begin, pipeline::kSliceBytes), bins);
    // Blocks of one launch may run at the same time, so the common bins are added to atomically.
    for (uint32_t bin = 0; bin < pipeline::kBins; ++bin) {
        const uint32_t count = bins[0][bin] + bins[1][bin] + bins[2][bin] + bins[3][bin];
        if (count != 0) __atomic_fetch_add(&result[bin], count, __ATOMIC_RELAXED);
    }
}
