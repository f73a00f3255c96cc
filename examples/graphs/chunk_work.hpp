// SPDX-License-Identifier: Apache-2.0
// The work on one chunk: copy in, clear the result beside it, kernel, copy out.
#pragma once

#include "gpustream_raii.hpp"
#include "kernels.hpp"

namespace graphs {

class ChunkWork {
public:
    ChunkWork(gs_device_t device, const pipeline::Kernels &kernels, uint32_t most_bytes);
    ~ChunkWork();
    ChunkWork(const ChunkWork &) = delete;
    ChunkWork &operator=(const ChunkWork &) = delete;

    // Submits the work on the first `bytes` bytes of input(). Everything that is done is done in the order of stream():
    // a second stream leaves it and comes back.
    void submit(uint32_t bytes);

    gs_stream_t stream() const { return stream_.get(); }
    const pipeline::Kernels &kernels() const { return kernels_; }
    // The addresses are the same for every chunk, as a graph needs them.
    unsigned char *input() const { return static_cast<unsigned char *>(host_input_.get()); }
    const uint32_t *result() const { return static_cast<const uint32_t *>(host_result_.get()); }
    void *device_input() const { return device_input_.get(); }
    void *device_result() const { return device_result_.get(); }

private:
    const pipeline::Kernels &kernels_;
    pipeline::Stream stream_;
    pipeline::Stream side_;
    pipeline::CurrentStreamScope scope_;
    pipeline::Event forked_;
    pipeline::Event joined_;
    pipeline::PinnedMemory host_input_;
    pipeline::PinnedMemory host_result_;
    pipeline::DeviceMemory device_input_;
    pipeline::DeviceMemory device_result_;
};

} // namespace graphs
