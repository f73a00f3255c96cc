// SPDX-License-Identifier: Apache-2.0
// The work on one chunk: copy in, clear the result beside it, kernel, copy out.
#pragma once

#include "kernels.hpp"

namespace graphs {

class ChunkWork {
public:
    ChunkWork(gpustream::device device, const pipeline::Kernels &kernels, uint32_t most_bytes);
    ~ChunkWork();
    ChunkWork(const ChunkWork &) = delete;
    ChunkWork &operator=(const ChunkWork &) = delete;

    // Submits the work on the first `bytes` bytes of input(). Everything that is done is done in the order of stream():
    // a second stream leaves it and comes back.
    void submit(uint32_t bytes);

    gpustream::stream_ref stream() const { return stream_; }
    const pipeline::Kernels &kernels() const { return kernels_; }
    // The addresses are the same for every chunk, as a graph needs them.
    unsigned char *input() const { return host_input_.as<unsigned char>(); }
    const uint32_t *result() const { return host_result_.as<uint32_t>(); }
    void *device_input() const { return device_input_.data(); }
    void *device_result() const { return device_result_.data(); }

private:
    const pipeline::Kernels &kernels_;
    gpustream::stream stream_;
    gpustream::stream side_;
    gpustream::stream_guard guard_;
    gpustream::event forked_ = gpustream::event::create();
    gpustream::event joined_ = gpustream::event::create();
    gpustream::host_buffer host_input_;
    gpustream::host_buffer host_result_;
    gpustream::buffer device_input_;
    gpustream::buffer device_result_;
};

} // namespace graphs
