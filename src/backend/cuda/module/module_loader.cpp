// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/module/module_loader.hpp"

#include <cstring>
#include <iterator>

#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"

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

} // namespace gs::cuda
