// SPDX-License-Identifier: Apache-2.0
// Modules and their kernels.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/cuda/module/image.hpp"
#include "backend/cuda/module/module_loader.hpp"

namespace gs::cuda {
namespace {

CUmodule to_module(uintptr_t module) noexcept { return reinterpret_cast<CUmodule>(module); }

} // namespace

Status CudaBackend::module_load(int32_t ordinal, const void *image, size_t bytes, uintptr_t *out_module) noexcept {
    Image copy;
    GS_TRY(load_image(image, bytes, &copy));
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUmodule module = nullptr;
    GS_TRY(load_module(thread, device, copy.bytes.get(), &module));
    *out_module = reinterpret_cast<uintptr_t>(module);
    return kOk;
}

Status CudaBackend::module_destroy(int32_t ordinal, uintptr_t module) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    if (is_latched(device)) return kOk; // as for streams
    ContextScope scope(thread);
    if (Status status = scope.enter_to_create(device); !status.ok())
        return is_latched(device) || status.code == GS_ERROR_SHUTDOWN ? kOk : status;
    FailedCall call{g_driver.module_unload.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.module_unload(thread, to_module(module)); });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_DEINITIALIZED) return kOk;
    return map_error(result, call, device);
}

Status CudaBackend::module_get_kernel(int32_t ordinal, uintptr_t module, const char *name,
                                      uintptr_t *out_kernel) noexcept {
    Device &device = g_devices[ordinal];
    ThreadBlock &thread = counting_thread();
    ContextScope scope(thread);
    GS_TRY(scope.enter_to_create(device));
    CUfunction function = nullptr;
    FailedCall call{g_driver.module_get_function.name, GS_ERROR_INVALID_ARGUMENT};
    const CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.module_get_function(thread, &function, to_module(module), name); });
    if (result == CUDA_ERROR_NOT_FOUND)
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, CUDA_ERROR_NOT_FOUND, call.function},
                           "the module has no kernel '%s' (an extern \"C\" or .visible .entry name is needed)", name);
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    *out_kernel = reinterpret_cast<uintptr_t>(function);
    return kOk;
}

} // namespace gs::cuda
