// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/driver_in_use.hpp"

#include <atomic>

#include "backend/cuda/discovery/device_identity.hpp"
#include "backend/cuda/discovery/settings.hpp"
#include "backend/cuda/driver/driver_errors.hpp"
#include "base/dynlib.hpp"
#include "base/fork_state.hpp"

namespace gs::cuda {
namespace {

// For forked children, which must not call the driver. kNotInUse: the driver was never seen initialised.
constinit std::atomic<int32_t> g_seen{kNotInUse};

// Before cuInit every driver function of this kind gives CUDA_ERROR_NOT_INITIALIZED and has no effect.
int32_t count_if_initialised(void *library) noexcept {
    auto get_count = reinterpret_cast<PFN_cuDeviceGetCount_v2000>(find_symbol(library, "cuDeviceGetCount"));
    if (!get_count) return kNotInUse;
    counting_thread().counters.driver_calls.add();
    int count = 0;
    return get_count(&count) == CUDA_SUCCESS && count >= 0 ? count : kNotInUse;
}

// Two threads may both do it: arming twice does no harm.
void remember_in_use(int32_t count) noexcept {
    if (g_seen.load(std::memory_order_acquire) != kNotInUse) return;
    arm_bad_fork();
    settings_were_read_unseen();
    g_seen.store(count, std::memory_order_release);
}

} // namespace

int32_t count_of_driver_in_use(const char *library) noexcept {
    if (in_bad_fork()) return g_seen.load(std::memory_order_acquire);
    void *loaded = loaded_library(library);
    const int32_t count = loaded ? count_if_initialised(loaded) : kNotInUse;
    if (count != kNotInUse) remember_in_use(count);
    return count;
}

Status identity_of_driver_in_use(int32_t ordinal, inventory::Identity *out, bool *out_known) {
    *out_known = false;
    bool overridden = false;
    const char *path = driver_library_path(&overridden);
    const int32_t count = count_of_driver_in_use(path);
    if (count == kNotInUse) return kOk;
    if (ordinal >= count) return no_such_device(ordinal, static_cast<size_t>(count));
    if (in_bad_fork()) return kOk;
    // A table for this call alone: the process's own is written when the backend starts.
    DriverTable driver{};
    int version = 0;
    GS_TRY(load_driver_table(loaded_library(path), find_symbol, &driver, &version));
    ThreadBlock &thread = counting_thread();
    CUdevice device = 0;
    if (const CUresult result = driver.device_get(thread, &device, ordinal); result != CUDA_SUCCESS)
        return map_error_no_device(result, {driver.device_get.name});
    gs_device_info_t info{};
    GS_TRY(read_identity(driver, thread, device, &info));
    *out = identity_of(info);
    *out_known = true;
    return kOk;
}

} // namespace gs::cuda
