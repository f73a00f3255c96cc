// SPDX-License-Identifier: Apache-2.0
#include "chunk_work.hpp"

#include "kernel_layout.hpp"

namespace graphs {
namespace {

using namespace pipeline;

size_t result_bytes(uint32_t bytes) { return result_words(bytes) * sizeof(uint32_t); }

} // namespace

ChunkWork::ChunkWork(gpustream::device device, const Kernels &kernels, uint32_t most_bytes)
    : kernels_(kernels), stream_(gpustream::stream::create(device)), side_(gpustream::stream::create(device)),
      guard_(stream_), host_input_(gpustream::host_buffer::create(most_bytes)),
      host_result_(gpustream::host_buffer::create(result_bytes(most_bytes))),
      device_input_(gpustream::buffer::create(most_bytes, stream_)),
      device_result_(gpustream::buffer::create(result_bytes(most_bytes), stream_)) {
    stream_.synchronize(); // both streams may use the memory from here on
}

ChunkWork::~ChunkWork() { static_cast<void>(gs_stream_synchronize(stream_.get())); }

void ChunkWork::submit(uint32_t bytes) {
    stream_.record(forked_);
    side_.wait(forked_);
    gpustream::fill(device_result_.data(), 0, kBins * sizeof(uint32_t), side_);
    side_.record(joined_);

    gpustream::copy(device_input_.data(), host_input_.data(), bytes, stream_);
    stream_.wait(joined_);
    kernels_.launch(device_input_.data(), bytes, device_result_.data()); // into the current stream, which is stream_
    gpustream::copy(host_result_.data(), device_result_.data(), result_bytes(bytes), stream_);
}

} // namespace graphs
