// SPDX-License-Identifier: Apache-2.0
// Timeline semaphores that another API has exported.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/context/primary_context.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/cuda_values.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

namespace gs::cuda {
namespace {

CUexternalSemaphore to_semaphore(uintptr_t semaphore) noexcept {
    return reinterpret_cast<CUexternalSemaphore>(semaphore);
}

bool has_semaphores() noexcept {
    return g_driver.import_external_semaphore.present() && g_driver.destroy_external_semaphore.present() &&
           g_driver.signal_external_semaphores_async.present() && g_driver.wait_external_semaphores_async.present();
}

} // namespace

Status CudaBackend::import_semaphore(int32_t ordinal, int32_t type, int fd, uintptr_t *out) noexcept {
    if (type == GS_FD_D3D12_FENCE)
        return fail(GS_ERROR_NOT_SUPPORTED, "the driver has fences of D3D12 as handles of Windows only");
    if (!has_semaphores()) return fail(GS_ERROR_NOT_SUPPORTED, "the driver cannot import semaphores");
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    bool can = false;
    GS_TRY(ask_attribute(thread, device, CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, &can));
    if (!can) return fail(GS_ERROR_NOT_SUPPORTED, "cuda device %d cannot import timeline semaphores", ordinal);
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    description.handle.fd = fd;
    CUexternalSemaphore imported = nullptr;
    FailedCall call{g_driver.import_external_semaphore.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.import_external_semaphore(thread, &imported, &description); });
    // What driver 580 returns for a file descriptor that is closed or no semaphore.
    if (result == CUDA_ERROR_UNKNOWN)
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, result, call.function},
                           "%s: file descriptor %d is no timeline semaphore that cuda device %d can read",
                           call.function, fd, ordinal);
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = reinterpret_cast<uintptr_t>(imported);
    return kOk;
}

Status CudaBackend::destroy_semaphore(int32_t ordinal, uintptr_t semaphore) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    // It ends with the context, or can no longer be reached.
    if (is_latched(device)) return kOk;
    if (Status status = verify_context(thread, device); !status.ok())
        return is_latched(device) || status.code == GS_ERROR_SHUTDOWN ? kOk : status;
    ContextScope scope(thread);
    GS_TRY(scope.enter(device));
    FailedCall call{g_driver.destroy_external_semaphore.name};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.destroy_external_semaphore(thread, to_semaphore(semaphore)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    return map_error(result, call, device);
}

Status CudaBackend::signal_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                                     uint64_t value) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const CUexternalSemaphore which = to_semaphore(semaphore);
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
    signal.params.fence.value = value;
    const CUresult result = g_driver.signal_external_semaphores_async(thread, &which, &signal, 1u, to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    return map_error(result, {g_driver.signal_external_semaphores_async.name}, device);
}

Status CudaBackend::wait_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                                   uint64_t value) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const CUexternalSemaphore which = to_semaphore(semaphore);
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
    wait.params.fence.value = value;
    const CUresult result = g_driver.wait_external_semaphores_async(thread, &which, &wait, 1u, to_stream(stream));
    if (result == CUDA_SUCCESS) return kOk;
    return map_error(result, {g_driver.wait_external_semaphores_async.name}, device);
}

} // namespace gs::cuda
