// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/graph/node_params.hpp"

#include <algorithm>

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
    set_geometry(kernel.config, &out);
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

namespace {

enum LaunchCaps : uint32_t { kAsked = 1, kCooperative = 2, kClusters = 4, kProgrammatic = 8 };

constexpr int kFirstProgrammatic = 9; // compute capability, major

// Asked once: launches are made often.
Status launch_caps(ThreadBlock &thread, Device &device, uint32_t *out) noexcept {
    *out = device.launch_caps.load(std::memory_order_relaxed);
    if (*out != 0) return kOk;
    bool cooperative = false, clusters = false;
    int major = 0;
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &cooperative));
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters));
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    *out = kAsked | (cooperative ? kCooperative : 0u) | (clusters ? kClusters : 0u) |
           (major >= kFirstProgrammatic ? kProgrammatic : 0u);
    device.launch_caps.store(*out, std::memory_order_relaxed);
    return kOk;
}

Status check_caps(ThreadBlock &thread, Device &device, const gs_launch_config_t &config) noexcept {
    uint32_t caps = 0;
    GS_TRY(launch_caps(thread, device, &caps));
    const char *lacking = nullptr;
    if ((config.flags & GS_LAUNCH_COOPERATIVE) && !(caps & kCooperative))
        lacking = "cooperative launches; leave GS_LAUNCH_COOPERATIVE out, and let no block wait for another";
    else if (config.cluster_x != 0 && !(caps & kClusters))
        lacking = "clusters, which begin with compute capability 9.0; leave cluster_x, cluster_y and cluster_z 0";
    else if ((config.flags & GS_LAUNCH_PROGRAMMATIC) && !(caps & kProgrammatic))
        lacking = "programmatic launches, which begin with compute capability 9.0; leave GS_LAUNCH_PROGRAMMATIC out";
    else if (config.programmatic_event && !(caps & kProgrammatic))
        lacking = "programmatic events, which begin with compute capability 9.0; record the event behind the kernel";
    if (!lacking) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "CUDA device %d has no %s", device.ordinal, lacking);
}

Status clamp_priority(ThreadBlock &thread, Device &device, ContextScope &scope, int32_t *priority) noexcept {
    gpu::PriorityRange range;
    if (const uint64_t packed = device.priority_range.load(std::memory_order_acquire); packed != 0) {
        range = gpu::unpack_range(packed);
    } else {
        GS_TRY(scope.enter(device));
        GS_TRY(priority_range_in_context(thread, device, &range));
    }
    *priority = std::clamp(*priority, range.greatest, range.least);
    return kOk;
}

} // namespace

CUlaunchAttributeValue &LaunchAttributes::add(CUlaunchAttributeID id) noexcept {
    CUlaunchAttribute &attribute = list_[count_++];
    attribute.id = id;
    return attribute.value;
}

Status LaunchAttributes::fill(ThreadBlock &thread, Device &device, ContextScope &scope,
                              const gs_launch_config_t &config) noexcept {
    GS_TRY(check_caps(thread, device, config));
    if (config.flags & GS_LAUNCH_COOPERATIVE) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (config.flags & GS_LAUNCH_PROGRAMMATIC)
        add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
    if (config.flags & GS_LAUNCH_REMOTE_DOMAIN)
        add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    if (config.cluster_x != 0) {
        auto &cluster = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
        cluster.x = config.cluster_x;
        cluster.y = config.cluster_y;
        cluster.z = config.cluster_z;
    }
    if (config.programmatic_event)
        add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT).programmaticEvent.event =
            reinterpret_cast<CUevent>(config.programmatic_event);
    if ((config.flags & GS_LAUNCH_PRIORITY) == 0) return kOk;
    int32_t priority = config.priority;
    GS_TRY(clamp_priority(thread, device, scope, &priority));
    add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = priority;
    return kOk;
}

} // namespace gs::cuda
