// SPDX-License-Identifier: Apache-2.0
// Our own streams: creation, destruction and the calls on them.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {
namespace {

// CAPTURING when the stream is being captured. This query is the only one that never breaks a capture, so it comes
// before every call that can.
Status refuse_captured(ThreadBlock &thread, Device &device, CUstream stream, const char *intended) noexcept {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, stream, &status));
    if (status == CU_STREAM_CAPTURE_STATUS_NONE) return kOk;
    return fail_capturing(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                                                         : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                          intended);
}

Status set_attribute(ThreadBlock &thread, Device &device, StreamRef stream, CUstreamAttrID which,
                     const CUstreamAttrValue &value) noexcept {
    FailedCall call{g_driver.stream_set_attribute.name};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.stream_set_attribute(thread, to_stream(stream), which, &value); });
    // This driver or device lacks the attribute, so the attribute is unchanged.
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_INVALID_VALUE) return kOk;
    return map_error(result, call, device);
}

[[gnu::noinline]] Status wait_failed(ThreadBlock &thread, StreamRef stream, CUresult result) noexcept {
    Device &device = g_devices[stream.ordinal];
    const FailedCall call{g_driver.stream_wait_event.name, kLastRecordWasCaptured};
    if (is_sticky(result)) {
        // Perhaps only the event's device is broken. The stream's device is latched only if it is broken itself.
        GS_TRY(probe_sticky(thread, device));
        return map_error_no_device(result, call);
    }
    return map_error(result, call, device);
}

inline Status call_wait(ThreadBlock &thread, StreamRef stream, uintptr_t event, bool external) noexcept {
    const unsigned flags = external ? CU_EVENT_WAIT_EXTERNAL : CU_EVENT_WAIT_DEFAULT;
    const CUresult result = g_driver.stream_wait_event(thread, to_stream(stream), to_event(event), flags);
    return result == CUDA_SUCCESS ? kOk : wait_failed(thread, stream, result);
}

// The default stream needs a current context.
[[gnu::noinline]] Status wait_in_default(ThreadBlock &thread, StreamRef stream, uintptr_t event,
                                         bool external) noexcept {
    ContextScope scope(thread);
    GS_TRY(scope.enter(g_devices[stream.ordinal]));
    return call_wait(thread, stream, event, external);
}

} // namespace

Status CudaBackend::stream_create(const StreamSpec &spec, StreamNative *out) noexcept {
    Device &device = g_devices[spec.ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    gpu::PriorityRange range;
    GS_TRY(priority_range_in_context(thread, device, &range));
    const int32_t priority = gpu::clamp_priority(range, spec.priority);
    const unsigned flags = spec.blocking ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    CUstream stream = nullptr;
    const auto partition = reinterpret_cast<CUgreenCtx>(spec.partition);
    FailedCall call{partition ? g_driver.green_ctx_stream_create.name : g_driver.stream_create.name};
    const CUresult result = in_relaxed_mode(thread, &call, [&] {
        return partition ? g_driver.green_ctx_stream_create(thread, &stream, partition, flags, priority)
                         : g_driver.stream_create(thread, &stream, flags, priority);
    });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = {reinterpret_cast<uintptr_t>(stream), priority};
    return kOk;
}

Status CudaBackend::stream_destroy(StreamRef stream) noexcept {
    return end_in_context(counting_thread(), g_devices[stream.ordinal], g_driver.stream_destroy, to_stream(stream));
}

Status CudaBackend::stream_reset(StreamRef stream) noexcept {
    Device &device = g_devices[stream.ordinal];
    ThreadBlock &thread = counting_thread();
    GS_TRY(check_health(device));
    if (!g_driver.stream_set_attribute.present()) return kOk;
    CUstreamAttrValue value{};
    value.syncPolicy = CU_SYNC_POLICY_AUTO;
    GS_TRY(set_attribute(thread, device, stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, value));
    value = {}; // an empty window: no range of memory is treated differently
    value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_NORMAL;
    value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_NORMAL;
    GS_TRY(set_attribute(thread, device, stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, value));
    value = {};
    value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
    GS_TRY(set_attribute(thread, device, stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, value));
    value = {};
    value.memSyncDomainMap.default_ = 0;
    value.memSyncDomainMap.remote = 1;
    return set_attribute(thread, device, stream, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, value);
}

Status CudaBackend::stream_query(ThreadBlock &thread, StreamRef stream, bool *out_done) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing_for(stream, &present));
    if (!present) {
        *out_done = true;
        return kOk;
    }
    GS_TRY(refuse_captured(thread, device, to_stream(stream), g_driver.stream_query.name));
    FailedCall call{g_driver.stream_query.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.stream_query(thread, to_stream(stream)); });
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) return map_error(result, call, device);
    *out_done = result == CUDA_SUCCESS;
    return kOk;
}

Status CudaBackend::stream_synchronize(ThreadBlock &thread, StreamRef stream) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing_for(stream, &present));
    if (!present) return kOk;
    GS_TRY(refuse_captured(thread, device, to_stream(stream), g_driver.stream_synchronize.name));
    return relaxed_call(thread, device, g_driver.stream_synchronize, to_stream(stream));
}

Status CudaBackend::stream_wait_event(ThreadBlock &thread, StreamRef stream, uintptr_t event, bool external) noexcept {
    GS_TRY(check_health(g_devices[stream.ordinal]));
    if (is_default_word(stream.native)) return wait_in_default(thread, stream, event, external);
    return call_wait(thread, stream, event, external);
}

Status CudaBackend::wait_on_healthy(ThreadBlock &thread, StreamRef stream, uintptr_t event) noexcept {
    if (is_default_word(stream.native)) return wait_in_default(thread, stream, event, false);
    return call_wait(thread, stream, event, false);
}

Status CudaBackend::stream_driver_id(ThreadBlock &thread, StreamRef stream, uint64_t *out_id) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    bool present = false;
    unsigned long long id = 0;
    GS_TRY(scope.enter_existing_for(stream, &present));
    if (present) {
        GS_TRY(refuse_captured(thread, device, to_stream(stream), g_driver.stream_get_id.name));
        GS_TRY(relaxed_call(thread, device, g_driver.stream_get_id, to_stream(stream), &id));
    }
    *out_id = id;
    return kOk;
}

// All streams that this backend works with are of primary contexts: see stream_adopt().
Status CudaBackend::stream_context(ThreadBlock &thread, StreamRef stream, uintptr_t *out_context) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    CUcontext context = nullptr;
    GS_TRY(existing_context(thread, device, &context));
    *out_context = reinterpret_cast<uintptr_t>(context);
    return kOk;
}

} // namespace gs::cuda
