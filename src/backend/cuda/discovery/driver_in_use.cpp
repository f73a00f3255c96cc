// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/driver_in_use.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "backend/cuda/driver/driver_errors.hpp"
#include "base/dynlib.hpp"
#include "base/env.hpp"
#include "base/fork_state.hpp"
#include "inventory/entries.hpp"

namespace gs::cuda {
namespace {

constexpr size_t kLongest = 4096;

struct Kept {
    bool was_set = false;
    bool cut = false; // it was too long; all zero at first, which costs the library's file nothing
    char value[kLongest] = {};

    void keep(const char *now) noexcept {
        was_set = now != nullptr;
        if (!now) return;
        cut = std::strlen(now) >= sizeof value;
        std::strncpy(value, now, sizeof value - 1);
    }
    const char *text() const noexcept { return was_set ? value : nullptr; }
};

// Written before start() returns OK, only read afterwards.
constinit Kept g_visible{}, g_order{};

enum Reading : int { kNotRead, kReadAsKept, kReadUnseen };
constinit std::atomic<int> g_reading{kNotRead};

} // namespace

// cuInit reads the variables in the next moment, so they are read here once more, even if their values were kept.
void remember_settings() noexcept {
    g_visible.keep(env_now(Variable::CudaVisible));
    g_order.keep(env_now(Variable::CudaOrder));
}

// Overrides the other state: a thread that looks during start() takes this library for another one.
void settings_were_read() noexcept { g_reading.store(kReadAsKept, std::memory_order_release); }

void settings_were_read_unseen() noexcept {
    int not_read = kNotRead;
    g_reading.compare_exchange_strong(not_read, kReadUnseen, std::memory_order_acq_rel);
}

Status settings_in_force(inventory::DeviceSettings *out) noexcept {
    const int reading = g_reading.load(std::memory_order_acquire);
    if (reading == kReadUnseen)
        return fail(
            GS_ERROR_NOT_SUPPORTED,
            "which GPU it is cannot be determined: another library initialised CUDA, and the values of %s and %s at "
            "that time are unknown",
            name_of(Variable::CudaVisible), name_of(Variable::CudaOrder));
    if (reading == kReadAsKept && (g_visible.cut || g_order.cut))
        return fail(GS_ERROR_NOT_SUPPORTED, "which GPU it is cannot be determined: %s or %s was too long to be kept",
                    name_of(Variable::CudaVisible), name_of(Variable::CudaOrder));
    *out = reading == kNotRead
               ? inventory::DeviceSettings{env_text(Variable::CudaVisible), env_text(Variable::CudaOrder)}
               : inventory::DeviceSettings{g_visible.text(), g_order.text()};
    return kOk;
}

namespace {

Status read_names(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    CUresult result = driver.device_get_name(thread, info->name, static_cast<int>(sizeof info->name), device);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {driver.device_get_name.name});
    info->name[sizeof info->name - 1] = '\0';
    CUuuid instance{};
    result = driver.device_get_uuid(thread, &instance, device);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {driver.device_get_uuid.name});
    std::memcpy(info->uuid, instance.bytes, sizeof info->uuid);
    info->has_uuid = 1;
    // The newer form names a MIG instance where the older one names the whole GPU.
    CUuuid gpu{};
    if (driver.device_get_gpu_uuid.present() && driver.device_get_gpu_uuid(thread, &gpu, device) == CUDA_SUCCESS)
        info->is_mig = std::memcmp(&gpu, &instance, sizeof gpu) != 0;
    else
        info->is_mig = std::strstr(info->name, " MIG ") != nullptr;
    return kOk;
}

Status read_pci(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &info->pci_domain));
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &info->pci_bus));
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &info->pci_device));
    // Integrated and paravirtual devices answer with zeros.
    info->has_pci = info->pci_domain != 0 || info->pci_bus != 0 || info->pci_device != 0;
    return kOk;
}

} // namespace

// An attribute that this driver or device does not know is 0.
Status read_attribute(const DriverTable &driver, ThreadBlock &thread, CUdevice device, CUdevice_attribute attribute,
                      int *out) noexcept {
    int value = 0;
    const CUresult result = driver.device_get_attribute(thread, &value, attribute, device);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
        return map_error_no_device(result, {driver.device_get_attribute.name});
    *out = result == CUDA_SUCCESS ? value : 0;
    return kOk;
}

Status read_identity(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    GS_TRY(read_names(driver, thread, device, info));
    return read_pci(driver, thread, device, info);
}

inventory::Identity identity_of(const gs_device_info_t &info) {
    return {inventory::uuid_text(info.uuid, info.is_mig != 0), info.has_pci != 0, info.pci_domain, info.pci_bus,
            info.pci_device};
}

Status no_such_device(int32_t ordinal, size_t count) noexcept {
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the cuda backend has %zu device(s)", ordinal,
                count);
}

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
