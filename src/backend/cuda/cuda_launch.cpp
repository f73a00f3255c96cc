// SPDX-License-Identifier: Apache-2.0
// Modules and kernels, and what is launched.
#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/cuda/graph/node_params.hpp"
#include "backend/cuda/module/module_loader.hpp"
#include "backend/cuda/module/own_ptx.hpp"

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
    return end_in_context<true>(counting_thread(), g_devices[ordinal], g_driver.module_unload, to_module(module));
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

namespace {

Status fail_configuration(CUresult result, const char *function, int32_t ordinal,
                          const gs_launch_config_t &config) noexcept {
    return fail_native(
        GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_CUDA, static_cast<int32_t>(result), function},
        "%s refused grid (%u, %u, %u), block (%u, %u, %u), %u bytes of shared memory on device %d: %s (%d)", function,
        config.grid_x, config.grid_y, config.grid_z, config.block_x, config.block_y, config.block_z,
        config.shared_memory_bytes, ordinal, error_text(result), static_cast<int>(result));
}

// What the driver says about the numbers of a launch.
bool blames_configuration(CUresult result) noexcept {
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES ||
           result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE || result == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

Status launch_with_attributes(ThreadBlock &thread, Device &device, ContextScope &scope, StreamRef stream,
                              CUfunction function, const gs_launch_config_t &config, void **arguments) noexcept {
    if (!g_driver.launch_kernel_ex.present()) return fail_absent(g_driver.launch_kernel_ex.name);
    LaunchAttributes attributes;
    GS_TRY(attributes.fill(thread, device, scope, config));
    CUlaunchConfig launch{};
    set_geometry(config, &launch);
    launch.hStream = to_stream(stream);
    launch.attrs = attributes.begin();
    launch.numAttrs = static_cast<unsigned>(attributes.end() - attributes.begin());
    const CUresult result = g_driver.launch_kernel_ex(thread, &launch, function, arguments, nullptr);
    if (result == CUDA_SUCCESS) return kOk;
    const char *name = g_driver.launch_kernel_ex.name;
    if (blames_configuration(result)) return fail_configuration(result, name, stream.ordinal, config);
    return map_error(result, {name}, device);
}

} // namespace

Status CudaBackend::launch_host(ThreadBlock &thread, StreamRef stream, void (*fn)(void *), void *arg) noexcept {
    Device &device = g_devices[stream.ordinal];
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    return driver_call(thread, device, g_driver.launch_host_func, to_stream(stream), fn, arg);
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
    return driver_call(thread, device, g_driver.launch_kernel, function, 1u, 1u, 1u, 1u, 1u, 1u, 0u, to_stream(stream),
                       arguments, nullptr);
}

Status CudaBackend::kernel_launch(ThreadBlock &thread, StreamRef stream, uintptr_t kernel,
                                  const gs_launch_config_t &config, void **arguments) noexcept {
    Device &device = g_devices[stream.ordinal];
    const auto function = reinterpret_cast<CUfunction>(kernel);
    ContextScope scope(thread);
    GS_TRY(scope.enter_for(stream));
    GS_TRY(allow_shared_memory(thread, device, function, config.shared_memory_bytes));
    if (has_attributes(config))
        return launch_with_attributes(thread, device, scope, stream, function, config, arguments);
    const CUresult result = g_driver.launch_kernel(thread, function, config.grid_x, config.grid_y, config.grid_z,
                                                   config.block_x, config.block_y, config.block_z,
                                                   config.shared_memory_bytes, to_stream(stream), arguments, nullptr);
    if (result == CUDA_SUCCESS) return kOk;
    const char *name = g_driver.launch_kernel.name;
    if (blames_configuration(result)) return fail_configuration(result, name, stream.ordinal, config);
    return map_error(result, {name}, device);
}

} // namespace gs::cuda
