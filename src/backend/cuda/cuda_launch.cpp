// SPDX-License-Identifier: Apache-2.0
// Work put into a stream: host functions, kernels, and the kernel of gs_stream_sleep.
#include "backend/cuda/context/context_scope.hpp"
#include "backend/cuda/context/device_errors.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/native_words.hpp"
#include "backend/cuda/module/own_kernel.hpp"
#include "backend/cuda/module/shared_memory.hpp"
#include "backend/cuda/module/sleep_ptx.hpp"

namespace gs::cuda {
namespace {

Status fail_configuration(CUresult result, int32_t ordinal, const gs_launch_config_t &config) noexcept {
    return fail_native(
        GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, static_cast<int32_t>(result), g_driver.launch_kernel.name},
        "%s refused grid (%u, %u, %u), block (%u, %u, %u), %u bytes of shared memory on device %d: %s (%d)",
        g_driver.launch_kernel.name, config.grid_x, config.grid_y, config.grid_z, config.block_x, config.block_y,
        config.block_z, config.shared_memory_bytes, ordinal, error_text(result), static_cast<int>(result));
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
        GS_TRY(own_kernel(thread, device, device.sleep_kernel, kSleepPtx, kSleepKernelName, &function));
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
    GS_TRY(allow_shared_memory(thread, device, function, config.shared_memory_bytes));
    const CUresult result = g_driver.launch_kernel(thread, function, config.grid_x, config.grid_y, config.grid_z,
                                                   config.block_x, config.block_y, config.block_z,
                                                   config.shared_memory_bytes, to_stream(stream), arguments, nullptr);
    if (result == CUDA_SUCCESS) return kOk;
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return fail_configuration(result, stream.ordinal, config);
    return map_error(result, {g_driver.launch_kernel.name}, device);
}

} // namespace gs::cuda
