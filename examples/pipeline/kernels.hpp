// SPDX-License-Identifier: Apache-2.0
// The kernel of a device's backend.
#pragma once

#include <gpustream.hpp>

namespace pipeline {

class Kernels {
public:
    explicit Kernels(gpustream::device device);
    // Submits the analysis of `bytes` bytes of device memory to the current stream; see kernel_layout.hpp for the
    // result, whose bins must be zero.
    void launch(const void *data, uint32_t bytes, void *result) const;
    // What a launch on that many bytes needs, for graphs.
    static gpustream::launch_config config(uint32_t bytes);
    gpustream::kernel handle() const { return kernel_; }

private:
    gpustream::module module_;
    gpustream::kernel kernel_;
};

} // namespace pipeline
