// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "base/clock.hpp"

namespace gs::cuda {
namespace {

unsigned driver_flags(uint32_t flags) noexcept {
    unsigned result = CU_EVENT_DEFAULT;
    // A timed record costs the driver many times an untimed one.
    if (!(flags & GS_EVENT_TIMING)) result |= CU_EVENT_DISABLE_TIMING;
    if (flags & GS_EVENT_BLOCKING) result |= CU_EVENT_BLOCKING_SYNC;
    if (flags & GS_EVENT_INTERPROCESS) result |= CU_EVENT_INTERPROCESS;
    return result;
}

// In the default stream, which needs a current context, or as a node of a graph.
[[gnu::noinline]] Status record_unusual(ThreadBlock &thread, CUevent event, StreamRef stream, bool external) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    if (!external) return driver_call(thread, device, g_driver.event_record, event, to_stream(stream));
    // Only a captured stream takes such a record.
    return driver_call<GS_ERROR_INVALID_ARGUMENT>(thread, device, g_driver.event_record_with_flags, event,
                                                  to_stream(stream), unsigned{CU_EVENT_RECORD_EXTERNAL});
}

} // namespace

Status CudaBackend::event_create(int32_t ordinal, uint32_t flags, uintptr_t *out_event) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUevent event = nullptr;
    GS_TRY(relaxed_call(thread, device, g_driver.event_create, &event, driver_flags(flags)));
    *out_event = reinterpret_cast<uintptr_t>(event);
    return kOk;
}

Status CudaBackend::event_destroy(int32_t ordinal, uintptr_t event) noexcept {
    return end_in_context(counting_thread(), g_devices[ordinal], g_driver.event_destroy, to_event(event));
}

Status CudaBackend::event_record(ThreadBlock &thread, uintptr_t event, StreamRef stream, bool external) noexcept {
    GS_TRY(check_health(g_devices[stream.ordinal]));
    if (external) return record_unusual(thread, to_event(event), stream, true);
    return record_on_healthy(thread, event, stream);
}

Status CudaBackend::record_on_healthy(ThreadBlock &thread, uintptr_t event, StreamRef stream) noexcept {
    if (is_default_word(stream.native)) return record_unusual(thread, to_event(event), stream, false);
    const CUresult result = g_driver.event_record(thread, to_event(event), to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk; // the usual record does not look at the device
    return map_error(result, {g_driver.event_record.name}, g_devices[stream.ordinal]);
}

Status CudaBackend::event_query(ThreadBlock &thread, int32_t ordinal, uintptr_t event, bool *out_done) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    FailedCall call{g_driver.event_query.name, kLastRecordWasCaptured};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.event_query(thread, to_event(event)); });
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) return map_error(result, call, device);
    *out_done = result == CUDA_SUCCESS;
    return kOk;
}

Status CudaBackend::event_synchronize(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    return relaxed_call<kLastRecordWasCaptured>(thread, device, g_driver.event_synchronize, to_event(event));
}

Status CudaBackend::device_record(ThreadBlock &thread, int32_t ordinal, uintptr_t event) noexcept {
    if (!g_driver.ctx_record_event.present()) return Backend::device_record(thread, ordinal, event);
    Device &device = g_devices[ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter(device));
    CUcontext context = nullptr;
    GS_TRY(driver_call(thread, device, g_driver.ctx_get_current, &context));
    // As in device_synchronize: a capture on a blocking stream shows at the legacy stream and is left alone.
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    GS_TRY(driver_call(thread, device, g_driver.stream_is_capturing, CU_STREAM_LEGACY, &status));
    return relaxed_call(thread, device, g_driver.ctx_record_event, context, to_event(event));
}

Status CudaBackend::event_elapsed_ms(ThreadBlock &thread, int32_t ordinal, uintptr_t start, uintptr_t end,
                                     double *out_ms) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    float milliseconds = 0.0f;
    // The newer form need not report errors of earlier work. A caller that asks for a time has queried both events
    // before.
    const bool newer = g_driver.event_elapsed_time_v2.present();
    const FailedCall call{newer ? g_driver.event_elapsed_time_v2.name : g_driver.event_elapsed_time.name,
                          kLastRecordWasCaptured};
    // This call is safe during any capture, in any thread and mode (P3 in docs/design/cuda.md): the mode stays.
    const CUresult result = newer
                                ? g_driver.event_elapsed_time_v2(thread, &milliseconds, to_event(start), to_event(end))
                                : g_driver.event_elapsed_time(thread, &milliseconds, to_event(start), to_event(end));
    if (result != CUDA_SUCCESS) {
        const Status status = map_error(result, call, device);
        if (status.code != GS_ERROR_INVALID_HANDLE) return status;
        // The handles are alive. Wrapped events count as recorded and timed, though only the driver knows.
        return fail_native(GS_ERROR_NOT_RECORDED, {GS_BACKEND_CUDA, result, call.function},
                           "%s: the driver has no time of one of the events: it lacks a record or a time stamp",
                           call.function);
    }
    *out_ms = static_cast<double>(milliseconds);
    return kOk;
}

// The driver's documentation gives half a microsecond for each of the two times, and rounds to a float.
int64_t CudaBackend::elapsed_error_ns(double ms) const noexcept {
    const double rounding = std::fabs(ms) * 1e6 * static_cast<double>(std::numeric_limits<float>::epsilon());
    return 1000 + round_up(rounding);
}

// Events between processes. The 64 bytes are the driver's own handle, so that programs without gpustream can open it.
static_assert(sizeof(CUipcEventHandle) == sizeof(gs_ipc_handle_t));

Status CudaBackend::event_ipc_export(int32_t ordinal, uintptr_t event, gs_ipc_handle_t *out) noexcept {
    Device &device = g_devices[ordinal];
    GS_TRY(check_health(device));
    if (!g_driver.ipc_get_event_handle.present()) return fail_absent(g_driver.ipc_get_event_handle.name);
    ThreadBlock &thread = counting_thread();
    // Unlike other calls on an existing event, this one returns 201 if no context is current.
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUipcEventHandle handle{};
    GS_TRY(relaxed_call(thread, device, g_driver.ipc_get_event_handle, &handle, to_event(event)));
    std::memcpy(out->data, handle.reserved, sizeof out->data);
    return kOk;
}

Status CudaBackend::event_ipc_open(int32_t ordinal, const gs_ipc_handle_t &handle, uintptr_t *out_event) noexcept {
    Device &device = g_devices[ordinal];
    if (!g_driver.ipc_open_event_handle.present()) return fail_absent(g_driver.ipc_open_event_handle.name);
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUipcEventHandle native{};
    std::memcpy(native.reserved, handle.data, sizeof native.reserved);
    CUevent event = nullptr;
    FailedCall call{g_driver.ipc_open_event_handle.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.ipc_open_event_handle(thread, &event, native); });
    if (result == CUDA_SUCCESS) {
        *out_event = reinterpret_cast<uintptr_t>(event);
        return kOk;
    }
    const NativeError failure{GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function};
    switch (result) {
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_INVALID_HANDLE: {
        // Both codes have their own meaning here, unless the context has just been lost.
        GS_TRY(verify_context(thread, device));
        if (result == CUDA_ERROR_INVALID_CONTEXT)
            return fail_native(
                GS_ERROR_NOT_SUPPORTED, failure,
                "%s failed: %s (%d); an event cannot be opened in the process that exported it, nor in one of "
                "another pid namespace",
                call.function, error_text(result), static_cast<int>(result));
        return fail_native(GS_ERROR_INVALID_ARGUMENT, failure,
                           "%s failed: the 64 bytes are not an event handle: %s (%d)", call.function,
                           error_text(result), static_cast<int>(result));
    }
    case CUDA_ERROR_MAP_FAILED:
        // The driver returns this for any bytes that name no event. A handle whose exporter ended still opens.
        return fail_native(GS_ERROR_INVALID_ARGUMENT, failure,
                           "%s failed: the 64 bytes are not an event handle: %s (%d)", call.function,
                           error_text(result), static_cast<int>(result));
    case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
        return fail_native(GS_ERROR_NOT_SUPPORTED, failure, "%s failed on device %d: %s (%d)", call.function, ordinal,
                           error_text(result), static_cast<int>(result));
    default: return map_error(result, call, device);
    }
}

} // namespace gs::cuda
