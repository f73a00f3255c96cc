// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_backend.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/discovery/driver_in_use.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/module/module_loader.hpp"
#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/status.hpp"

namespace gs {

Backend &cuda_backend() noexcept {
    static constinit cuda::CudaBackend backend;
    return backend;
}

namespace cuda {
namespace {

constexpr char kDeviceFolder[] = "/dev";

Status open_driver(void **out) noexcept {
    bool overridden = false;
    const char *path = driver_library_path(&overridden);
    if (open_library(path, out).ok()) return kOk;
    char reason[256]; // the new record would overwrite the text it is made from
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_CUDA, "no CUDA driver: %s%s", reason,
                            overridden
                                ? " (GPUSTREAM_LIBCUDA names it)"
                                : "; install NVIDIA's driver, or set GPUSTREAM_BACKEND=host to compute on the CPU");
}

Status describe_device(ThreadBlock &thread, Device &device, int32_t ordinal) noexcept {
    device.ordinal = ordinal;
    if (const CUresult result = g_driver.device_get(thread, &device.handle, ordinal); result != CUDA_SUCCESS)
        return fail_start(result, g_driver.device_get.name);
    // Older drivers lack the attribute, and pools.
    int pools = 0;
    const CUresult result =
        g_driver.device_get_attribute(thread, &pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device.handle);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
        return fail_start(result, g_driver.device_get_attribute.name);
    device.memory_pools =
        result == CUDA_SUCCESS && pools != 0 && g_driver.mem_alloc_async.present() && g_driver.mem_free_async.present();
    return warn_if_too_old(thread, device.handle, ordinal);
}

Status no_device() noexcept {
    const char *visible = env_text(Variable::CudaVisible);
    if (apply_visible_devices(visible, std::max(count_device_nodes(kDeviceFolder), 1)) == 0) return kOk;
    void *library = nullptr;
    GS_TRY(open_driver(&library));
    return fail_unavailable(GS_REASON_NO_DEVICE, GS_BACKEND_CUDA, "there is no CUDA device");
}

} // namespace

uint32_t CudaBackend::caps() const noexcept {
    const bool ipc = g_driver.ipc_get_event_handle.present() && g_driver.ipc_open_event_handle.present();
    // With one device, any current context is on it.
    const uint32_t follows = g_device_count > 1 ? static_cast<uint32_t>(kCapFollows) : 0u;
    return kCapExternalEvents | kCapNvtxNames | follows | (ipc ? static_cast<uint32_t>(kCapIpcEvents) : 0u);
}

int32_t CudaBackend::probe_device_count() noexcept {
    ProbeInputs inputs{};
    inputs.library = driver_library_path(&inputs.library_overridden);
    if (const char *simulated = run_setting("simulated-devices")) inputs.simulated = std::atoi(simulated);
    inputs.device_folder = kDeviceFolder;
    inputs.visible_devices = env_text(Variable::CudaVisible);
    inputs.device_order = env_text(Variable::CudaOrder);
    return probe_devices(inputs);
}

Status CudaBackend::start() noexcept {
    void *library = nullptr;
    GS_TRY(open_driver(&library));
    int version = 0;
    GS_TRY(load_driver_table(library, find_symbol, &g_driver, &version));
    ThreadBlock &thread = counting_thread();
    bool overridden = false;
    const bool in_use = count_of_driver_in_use(driver_library_path(&overridden)) != kNotInUse;
    remember_settings(); // before the driver reads the variables
    const CUresult started = g_driver.init(thread, 0u);
    if (started == CUDA_ERROR_NOT_INITIALIZED) {
        // cuInit returns this only where the driver was initialised before a fork, by any library.
        settings_were_read_unseen();
        return fail_native(GS_ERROR_BAD_FORK, {GS_BACKEND_CUDA, started, g_driver.init.name},
                           "another library initialised CUDA before this process was forked: start workers by spawn or "
                           "exec, or fork before CUDA is first used");
    }
    if (started != CUDA_SUCCESS) return fail_start(started, g_driver.init.name);
    if (!in_use) settings_were_read();
    int count = 0;
    if (const CUresult result = g_driver.device_get_count(thread, &count); result != CUDA_SUCCESS)
        return fail_start(result, g_driver.device_get_count.name);
    if (count <= 0)
        return fail_unavailable(GS_REASON_NO_DEVICE, GS_BACKEND_CUDA, "the CUDA driver works but shows no device%s",
                                env_now(Variable::CudaVisible) ? ": CUDA_VISIBLE_DEVICES hides them" : "");
    Device *devices = new (std::nothrow) Device[static_cast<size_t>(count)];
    if (!devices) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the records of %d CUDA devices", count);
    for (int32_t i = 0; i < count; ++i) {
        if (Status status = describe_device(thread, devices[i], i); !status.ok()) {
            delete[] devices;
            return status;
        }
    }
    g_devices = devices;
    g_device_count = count;
    return kOk;
}

int32_t CudaBackend::device_count() const noexcept { return g_device_count; }

const char *CudaBackend::native_text(int32_t native) const noexcept { return find_error_text(native); }

} // namespace cuda

Status cuda_no_device() noexcept { return cuda::no_device(); }

} // namespace gs
