// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes in the driver's form.
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

} // namespace gs::cuda
