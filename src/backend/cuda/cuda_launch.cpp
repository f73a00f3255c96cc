// SPDX-License-Identifier: Apache-2.0
// Work put into a stream: host functions, kernels, and the kernel of gs_stream_sleep.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/driver/relaxed_mode.hpp"
#include "backend/cuda/module/module_loader.hpp"
#include "backend/cuda/module/sleep_ptx.hpp"

namespace gs::cuda {
namespace {

// What a kernel may use without asking for it beforehand.
constexpr uint32_t kSharedMemoryWithoutOptIn = 48 * 1024;

// Raises the kernel's limit to all the device has beside the kernel's own static part. Always to the same value, so
// that two threads launching the same kernel with different sizes cannot lower it under each other.
Status allow_shared_memory(ThreadBlock &thread, Device &device, CUfunction function) noexcept {
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

Status fail_configuration(CUresult result, int32_t ordinal, const gs_launch_config_t &config) noexcept {
    return fail_native(
        GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, static_cast<int32_t>(result), g_driver.launch_kernel.name},
        "%s refused grid (%u, %u, %u), block (%u, %u, %u), %u bytes of shared memory on device %d: %s (%d)",
        g_driver.launch_kernel.name, config.grid_x, config.grid_y, config.grid_z, config.block_x, config.block_y,
        config.block_z, config.shared_memory_bytes, ordinal, error_text(result), static_cast<int>(result));
}

// The device's sleep kernel, loaded at its first use: a program that never sleeps compiles nothing. The context must be
// current.
Status sleep_kernel(ThreadBlock &thread, Device &device, CUfunction *out) noexcept {
    if (CUfunction known = device.sleep_kernel.load(std::memory_order_acquire)) {
        *out = known;
        return kOk;
    }
    CUmodule module = nullptr;
    GS_TRY(load_module(thread, device, kSleepPtx, &module));
    CUfunction function = nullptr;
    FailedCall call{g_driver.module_get_function.name};
    CUresult result = in_relaxed_mode(
        thread, &call, [&] { return g_driver.module_get_function(thread, &function, module, kSleepKernelName); });
    CUfunction first = nullptr;
    const bool ours = result == CUDA_SUCCESS &&
                      device.sleep_kernel.compare_exchange_strong(first, function, std::memory_order_acq_rel);
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

} // namespace

Status CudaBackend::launch_host(ThreadBlock &thread, StreamRef stream, void (*fn)(void *), void *arg) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    const CUresult result = g_driver.launch_host_func(thread, to_stream(stream), fn, arg);
    return result == CUDA_SUCCESS ? kOk : map_error(result, {g_driver.launch_host_func.name}, device);
}

Status CudaBackend::sleep(ThreadBlock &thread, StreamRef stream, uint64_t cycles) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    ContextScope scope(thread);
    CUfunction function = device.sleep_kernel.load(std::memory_order_acquire);
    if (!function) {
        GS_TRY(scope.enter_to_create(device));
        GS_TRY(sleep_kernel(thread, device, &function));
    } else if (is_default_word(stream.native)) {
        GS_TRY(scope.enter(device));
    }
    void *arguments[] = {&cycles};
    const CUresult result =
        g_driver.launch_kernel(thread, function, 1u, 1u, 1u, 1u, 1u, 1u, 0u, to_stream(stream), arguments, nullptr);
    return result == CUDA_SUCCESS ? kOk : map_error(result, {g_driver.launch_kernel.name}, device);
}

Status CudaBackend::kernel_launch(ThreadBlock &thread, StreamRef stream, uintptr_t kernel,
                                  const gs_launch_config_t &config, void **arguments) noexcept {
    Device &device = g_devices[stream.ordinal];
    GS_TRY(check_health(device));
    const auto function = reinterpret_cast<CUfunction>(kernel);
    ContextScope scope(thread);
    if (is_default_word(stream.native)) GS_TRY(scope.enter(device));
    if (config.shared_memory_bytes > kSharedMemoryWithoutOptIn) GS_TRY(allow_shared_memory(thread, device, function));
    const CUresult result = g_driver.launch_kernel(thread, function, config.grid_x, config.grid_y, config.grid_z,
                                                   config.block_x, config.block_y, config.block_z,
                                                   config.shared_memory_bytes, to_stream(stream), arguments, nullptr);
    if (__builtin_expect(result == CUDA_SUCCESS, 1)) return kOk;
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return fail_configuration(result, stream.ordinal, config);
    return map_error(result, {g_driver.launch_kernel.name}, device);
}

} // namespace gs::cuda
