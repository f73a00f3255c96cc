// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/graph/node_params.hpp"

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {
namespace {

// Where a one-dimensional copy begins on one side; nullptr: in an array.
void *side(CUmemorytype type, const void *host, CUdeviceptr device, size_t offset) noexcept {
    switch (type) {
    case CU_MEMORYTYPE_HOST: return static_cast<char *>(const_cast<void *>(host)) + offset;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED: return reinterpret_cast<void *>(device + offset);
    default: return nullptr;
    }
}

} // namespace

CUDA_KERNEL_NODE_PARAMS_v2 to_kernel_params(const NodeParams &params) noexcept {
    const auto &kernel = params.kernel;
    CUDA_KERNEL_NODE_PARAMS_v2 out{};
    out.func = reinterpret_cast<CUfunction>(kernel.function);
    out.gridDimX = kernel.config.grid_x;
    out.gridDimY = kernel.config.grid_y;
    out.gridDimZ = kernel.config.grid_z;
    out.blockDimX = kernel.config.block_x;
    out.blockDimY = kernel.config.block_y;
    out.blockDimZ = kernel.config.block_z;
    out.sharedMemBytes = kernel.config.shared_memory_bytes;
    out.kernelParams = kernel.arguments;
    return out;
}

// The driver finds out from the addresses what is host and what is device memory, as in memcpy_async().
CUDA_MEMCPY3D to_memcpy_params(const NodeParams &params) noexcept {
    CUDA_MEMCPY3D out{};
    out.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    out.srcDevice = to_address(params.copy.src);
    out.srcPitch = params.copy.bytes;
    out.srcHeight = 1;
    out.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    out.dstDevice = to_address(params.copy.dst);
    out.dstPitch = params.copy.bytes;
    out.dstHeight = 1;
    out.WidthInBytes = params.copy.bytes;
    out.Height = 1;
    out.Depth = 1;
    return out;
}

CUDA_MEMSET_NODE_PARAMS_v1 to_memset_params(const NodeParams &params) noexcept {
    CUDA_MEMSET_NODE_PARAMS_v1 out{};
    out.dst = to_address(params.fill.dst);
    out.value = params.fill.value;
    out.elementSize = 1;
    out.width = params.fill.bytes;
    out.height = 1;
    return out;
}

CUDA_HOST_NODE_PARAMS_v1 to_host_params(const NodeParams &params) noexcept {
    CUDA_HOST_NODE_PARAMS_v1 out{};
    out.fn = params.host.fn;
    out.userData = params.host.arg;
    return out;
}

void from_kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2 &driver, NodeParams *out) noexcept {
    auto &kernel = out->kernel;
    kernel.function = reinterpret_cast<uintptr_t>(driver.func);
    kernel.config.grid_x = driver.gridDimX;
    kernel.config.grid_y = driver.gridDimY;
    kernel.config.grid_z = driver.gridDimZ;
    kernel.config.block_x = driver.blockDimX;
    kernel.config.block_y = driver.blockDimY;
    kernel.config.block_z = driver.blockDimZ;
    kernel.config.shared_memory_bytes = driver.sharedMemBytes;
    kernel.arguments = driver.kernelParams;
}

void from_memcpy_params(const CUDA_MEMCPY3D &driver, NodeParams *out) noexcept {
    void *dst = side(driver.dstMemoryType, driver.dstHost, driver.dstDevice, driver.dstXInBytes);
    void *src = side(driver.srcMemoryType, driver.srcHost, driver.srcDevice, driver.srcXInBytes);
    const bool flat = driver.Height <= 1 && driver.Depth <= 1 && driver.dstY == 0 && driver.dstZ == 0 &&
                      driver.srcY == 0 && driver.srcZ == 0;
    if (!flat || !dst || !src) return;
    out->copy = {dst, src, driver.WidthInBytes};
}

void from_memset_params(const CUDA_MEMSET_NODE_PARAMS_v1 &driver, NodeParams *out) noexcept {
    if (driver.height > 1 || driver.elementSize != 1) return;
    out->fill = {reinterpret_cast<void *>(driver.dst), static_cast<uint8_t>(driver.value), driver.width};
}

int32_t to_node_kind(CUgraphNodeType type) noexcept {
    switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return GS_NODE_KERNEL;
    case CU_GRAPH_NODE_TYPE_MEMCPY: return GS_NODE_MEMCPY;
    case CU_GRAPH_NODE_TYPE_MEMSET: return GS_NODE_MEMSET;
    case CU_GRAPH_NODE_TYPE_HOST: return GS_NODE_HOST;
    case CU_GRAPH_NODE_TYPE_GRAPH: return GS_NODE_GRAPH;
    case CU_GRAPH_NODE_TYPE_EMPTY: return GS_NODE_EMPTY;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return GS_NODE_WAIT;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return GS_NODE_RECORD;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return GS_NODE_MALLOC;
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return GS_NODE_FREE;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return GS_NODE_CONDITION;
    default: return GS_NODE_OTHER;
    }
}

} // namespace gs::cuda
