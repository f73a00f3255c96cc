// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/kernel_attributes.hpp"

#include <algorithm>

namespace gs::cuda {
namespace {

enum LaunchCaps : uint32_t { kAsked = 1, kCooperative = 2, kClusters = 4, kProgrammatic = 8 };

constexpr int kFirstProgrammatic = 9; // compute capability, major

Status ask(ThreadBlock &thread, const Device &device, CUdevice_attribute attribute, int *out) noexcept {
    const CUresult result = g_driver.device_get_attribute(thread, out, attribute, device.handle);
    return result == CUDA_SUCCESS ? kOk : map_error_no_device(result, {g_driver.device_get_attribute.name});
}

// Asked once: launches are made often.
Status launch_caps(ThreadBlock &thread, Device &device, uint32_t *out) noexcept {
    *out = device.launch_caps.load(std::memory_order_relaxed);
    if (*out != 0) return kOk;
    int cooperative = 0, clusters = 0, major = 0;
    GS_TRY(ask(thread, device, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, &cooperative));
    GS_TRY(ask(thread, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, &clusters));
    GS_TRY(ask(thread, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
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
