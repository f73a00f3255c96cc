// SPDX-License-Identifier: Apache-2.0
// The other half of consumer.cpp.
#define GPUSTREAM_NOEXCEPT 1
#include <gpustream.hpp>

int32_t fill_without_exceptions(gs_stream_t stream, void *memory, int32_t value, size_t bytes);

int32_t fill_without_exceptions(gs_stream_t stream, void *memory, int32_t value, size_t bytes) {
    const gpustream::result<void> done = gpustream::fill(memory, value, bytes, gpustream::stream_ref(stream));
    return static_cast<int32_t>(done.status());
}
