// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/module_loader.hpp"

#include <cstring>
#include <iterator>

#include "backend/cuda/context/device_context.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "base/log.hpp"

namespace gs::cuda {
namespace {

// The image is the caller's argument: if it is rejected, the driver has not failed.
gs_status_t image_status(CUresult result) noexcept {
    switch (static_cast<int>(result)) {
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: return GS_ERROR_INVALID_ARGUMENT;
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case 227: // CUDA_ERROR_INSUFFICIENT_LOADER_VERSION, newer than the oldest headers we build with
        return GS_ERROR_NOT_SUPPORTED;
    default: return GS_OK; // not about the image
    }
}

} // namespace

Status load_module(ThreadBlock &thread, Device &device, const void *image, CUmodule *out) noexcept {
    char log[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    FailedCall call{g_driver.module_load_data_ex.name, GS_ERROR_INVALID_ARGUMENT};
    CUmodule module = nullptr;
    const CUresult result = in_relaxed_mode(thread, &call, [&] {
        return g_driver.module_load_data_ex(thread, &module, image, static_cast<unsigned>(std::size(options)), options,
                                            values);
    });
    if (result == CUDA_SUCCESS) {
        *out = module;
        return kOk;
    }
    // A failure to change the capture mode says nothing about the image.
    const gs_status_t status = call.function == g_driver.module_load_data_ex.name ? image_status(result) : GS_OK;
    if (status == GS_OK) return map_error(result, call, device);
    log[sizeof log - 1] = '\0';
    for (size_t end = std::strlen(log); end > 0 && (log[end - 1] == '\n' || log[end - 1] == ' '); --end)
        log[end - 1] = '\0';
    return fail_native(status, {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function},
                       "the module cannot be loaded on device %d: %s (%d)%s%s", device.ordinal, error_text(result),
                       static_cast<int>(result), log[0] != '\0' ? ": " : "", log);
}

Status own_kernel(ThreadBlock &thread, Device &device, std::atomic<CUfunction> &slot, const char *ptx, const char *name,
                  CUfunction *out) noexcept {
    if (CUfunction known = slot.load(std::memory_order_acquire)) {
        *out = known;
        return kOk;
    }
    CUmodule module = nullptr;
    GS_TRY(load_module(thread, device, ptx, &module));
    CUfunction function = nullptr;
    FailedCall call{g_driver.module_get_function.name};
    CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.module_get_function(thread, &function, module, name); });
    CUfunction first = nullptr;
    const bool ours =
        result == CUDA_SUCCESS && slot.compare_exchange_strong(first, function, std::memory_order_acq_rel);
    if (ours) {
        *out = function;
        return kOk;
    }
    // It failed, or another thread was first: this copy has no use.
    FailedCall unload{g_driver.module_unload.name};
    (void)in_relaxed_mode(thread, &unload, [&] { return g_driver.module_unload(thread, module); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out = first;
    return kOk;
}

Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept {
    int parts[2] = {};
    constexpr CUdevice_attribute kParts[] = {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
    for (int i = 0; i < 2; ++i) {
        const CUresult result = g_driver.device_get_attribute(thread, &parts[i], kParts[i], device);
        if (result != CUDA_SUCCESS) return fail_start(result, g_driver.device_get_attribute.name);
    }
    if (10 * parts[0] + parts[1] < kEmbeddedArch)
        log_message(GS_LOG_WARNING,
                    "CUDA device %d has compute capability %d.%d; the kernels of gpustream need %d.%d or later: "
                    "gs_stream_sleep() will fail on it",
                    ordinal, parts[0], parts[1], kEmbeddedArch / 10, kEmbeddedArch % 10);
    return kOk;
}

// Always the same value: two threads that launch the same kernel with different sizes would lower each other's limit.
Status raise_shared_memory_limit(ThreadBlock &thread, Device &device, CUfunction function) noexcept {
    if (!g_driver.func_set_attribute.present()) return fail_absent(g_driver.func_set_attribute.name);
    int most = 0;
    CUresult result = g_driver.device_get_attribute(
        thread, &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device.handle);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.device_get_attribute.name}, device);
    int fixed = 0;
    result = g_driver.func_get_attribute(thread, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    if (result != CUDA_SUCCESS) return map_error(result, {g_driver.func_get_attribute.name}, device);
    result =
        g_driver.func_set_attribute(thread, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - fixed);
    if (result != CUDA_SUCCESS)
        return map_error(result, {g_driver.func_set_attribute.name, GS_ERROR_INVALID_ARGUMENT}, device);
    return kOk;
}

} // namespace gs::cuda
