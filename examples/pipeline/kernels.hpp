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

private:
    Module module_;
    gs_kernel_t kernel_ = nullptr;
};

} // namespace pipeline
