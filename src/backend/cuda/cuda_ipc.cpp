// SPDX-License-Identifier: Apache-2.0
// Events between processes. The 64 bytes are the driver's own handle, so that programs without gpustream can open it.
#include <cstring>

#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {

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
    FailedCall call{g_driver.ipc_get_event_handle.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.ipc_get_event_handle(thread, &handle, to_event(event)); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
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
            return fail_native(GS_ERROR_NOT_SUPPORTED, failure,
                               "%s failed: %s (%d); an event cannot be opened in the process that exported it",
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
