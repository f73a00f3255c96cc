// SPDX-License-Identifier: Apache-2.0
// Attributes of launches as the driver has them.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

inline bool has_attributes(const gs_launch_config_t &config) noexcept {
    return (config.flags | config.cluster_x) != 0 || config.programmatic_event != nullptr;
}

class LaunchAttributes {
public:
    // NOT_SUPPORTED: the device lacks one. scope: may become one of the device.
    Status fill(ThreadBlock &thread, Device &device, ContextScope &scope, const gs_launch_config_t &config) noexcept;
    CUlaunchAttribute *begin() noexcept { return list_; }
    CUlaunchAttribute *end() noexcept { return list_ + count_; }

private:
    CUlaunchAttributeValue &add(CUlaunchAttributeID id) noexcept;
    CUlaunchAttribute list_[6] = {};
    unsigned count_ = 0;
};

} // namespace gs::cuda
