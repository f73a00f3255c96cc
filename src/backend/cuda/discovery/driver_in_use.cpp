// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/driver_in_use.hpp"

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
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

namespace {

bool is_device_node(const char *name) noexcept {
    constexpr const char kPrefix[] = "nvidia";
    if (std::strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) return false;
    const char *number = name + sizeof kPrefix - 1; // nvidiactl, nvidia-uvm and the like are not devices
    return *number != '\0' && std::strspn(number, "0123456789") == std::strlen(number);
}

} // namespace

int32_t count_device_nodes(const char *folder) noexcept {
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int32_t nodes = 0;
    bool paravirtual = false;
    while (const dirent *entry = readdir(directory)) {
        if (is_device_node(entry->d_name)) ++nodes;
        if (std::strcmp(entry->d_name, "dxg") == 0) paravirtual = true;
    }
    closedir(directory);
    return nodes > 0 ? nodes : paravirtual ? 1 : 0;
}

int32_t apply_visible_devices(const char *value, int32_t nodes) noexcept {
    using Kind = inventory::VisibleList::Kind;
    inventory::VisibleList list;
    if (!value || !inventory::parse_visible_devices(value, &list).ok()) return nodes;
    size_t taken = list.elements.size();
    if (list.kind == Kind::Numbers) inventory::taken_numbers(list, static_cast<size_t>(nodes), &taken);
    const auto entries = static_cast<int32_t>(std::min(taken, static_cast<size_t>(nodes)));
    return list.kind == Kind::MigInstances ? std::min(entries, 1) : entries; // a process sees one instance
}

namespace {

// -1 where the inventory does not report it.
int32_t count_by_inventory(const ProbeInputs &inputs) noexcept {
    inventory::Inventory inventory;
    std::vector<int32_t> visible;
    inventory::Vendor *vendor = inventory::vendor_of(GS_BACKEND_CUDA);
    if (!vendor || !vendor->read(&inventory).ok()) return -1;
    const inventory::DeviceSettings settings{inputs.visible_devices, inputs.device_order};
    if (!inventory::visible_entries(inventory, settings, &visible).ok()) return -1;
    return static_cast<int32_t>(visible.size());
}

} // namespace

int32_t probe_devices(const ProbeInputs &inputs) noexcept {
    int32_t nodes = inputs.simulated;
    if (nodes == 0) nodes = inputs.library_overridden ? 1 : count_device_nodes(inputs.device_folder);
    if (nodes == 0) return 0;
    if (const int32_t count = count_of_driver_in_use(inputs.library); count != kNotInUse) return count;
    const bool is_simulated = inputs.simulated > 0;
    int32_t count = is_simulated ? -1 : count_by_inventory(inputs); // the inventory has the machine's own devices
    if (count < 0)
        count =
            inputs.library_overridden && !is_simulated ? nodes : apply_visible_devices(inputs.visible_devices, nodes);
    // The device nodes first: only where there are some, the library is loaded.
    void *library = nullptr;
    return count > 0 && open_library(inputs.library, &library).ok() ? count : 0;
}

} // namespace gs::cuda
