// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes and launches in the driver's form.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/graphs.hpp"

namespace gs::cuda {

CUDA_KERNEL_NODE_PARAMS_v2 to_kernel_params(const NodeParams &params) noexcept;
CUDA_MEMCPY3D to_memcpy_params(const NodeParams &params) noexcept;
CUDA_MEMSET_NODE_PARAMS_v1 to_memset_params(const NodeParams &params) noexcept;
CUDA_HOST_NODE_PARAMS_v1 to_host_params(const NodeParams &params) noexcept;

// The answers to the same questions. A copy or fill that the form of NodeParams cannot express has 0 bytes.
void from_kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2 &driver, NodeParams *out) noexcept;
void from_memcpy_params(const CUDA_MEMCPY3D &driver, NodeParams *out) noexcept;
void from_memset_params(const CUDA_MEMSET_NODE_PARAMS_v1 &driver, NodeParams *out) noexcept;

int32_t to_node_kind(CUgraphNodeType type) noexcept; // GS_NODE_*

// Of a CUlaunchConfig or of a node, which name these members alike.
template <typename Driver>
void set_geometry(const gs_launch_config_t &config, Driver *out) noexcept {
    out->gridDimX = config.grid_x;
    out->gridDimY = config.grid_y;
    out->gridDimZ = config.grid_z;
    out->blockDimX = config.block_x;
    out->blockDimY = config.block_y;
    out->blockDimZ = config.block_z;
    out->sharedMemBytes = config.shared_memory_bytes;
}

// Attributes of launches as the driver has them.
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
