// SPDX-License-Identifier: Apache-2.0
// The kernel of a device's backend.
#pragma once

#include "gpustream_raii.hpp"

namespace pipeline {

class Kernels {
public:
    explicit Kernels(gs_device_t device);
    // Submits the analysis of `bytes` bytes of device memory to the current stream; see kernel_layout.hpp for the
    // result, whose bins must be zero.
    void launch(const void *data, uint32_t bytes, void *result) const;
    // What a launch on that many bytes needs, for graphs.
    static gs_launch_config_t config(uint32_t bytes);
    gs_kernel_t handle() const { return kernel_; }

private:
    Module module_;
    gs_kernel_t kernel_ = nullptr;
};

} // namespace pipeline
