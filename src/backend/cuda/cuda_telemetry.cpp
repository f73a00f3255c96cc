// SPDX-License-Identifier: Apache-2.0
// Which of NVML's devices a CUDA device is: by what the driver says of it once somebody has initialised it, before that
// by what the environment decides. Never by position.
#include <atomic>
#include <cstring>
#include <new>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/context/memory_use.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/discovery/device_identity.hpp"
#include "backend/cuda/discovery/driver_in_use.hpp"
#include "backend/cuda/discovery/settings.hpp"
#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "inventory/visible_order.hpp"

namespace gs::cuda {
namespace {

using inventory::Identity;

constexpr int32_t kRemembered = 64;

// What the driver said of a device, so that a forked child, which may not ask the driver, still knows.
struct Remembered {
    enum State : uint32_t { kEmpty, kBeingWritten, kWritten };
    std::atomic<uint32_t> state{kEmpty};
    char uuid[64] = "";
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
};
constinit Remembered g_remembered[kRemembered];

void remember(int32_t ordinal, const Identity &identity) noexcept {
    if (ordinal >= kRemembered) return;
    Remembered &place = g_remembered[ordinal];
    uint32_t empty = Remembered::kEmpty;
    if (!place.state.compare_exchange_strong(empty, Remembered::kBeingWritten, std::memory_order_acquire)) return;
    std::strncpy(place.uuid, identity.uuid.c_str(), sizeof place.uuid - 1);
    place.has_pci = identity.has_pci;
    place.pci_domain = identity.pci_domain;
    place.pci_bus = identity.pci_bus;
    place.pci_device = identity.pci_device;
    place.state.store(Remembered::kWritten, std::memory_order_release);
}

bool recall(int32_t ordinal, Identity *out) {
    if (ordinal >= kRemembered) return false;
    const Remembered &place = g_remembered[ordinal];
    if (place.state.load(std::memory_order_acquire) != Remembered::kWritten) return false;
    *out = {place.uuid, place.has_pci, place.pci_domain, place.pci_bus, place.pci_device};
    return true;
}

// Once the backend runs. Not known: the driver has not been asked yet and must not be asked here.
Status identity_of_started(int32_t ordinal, Identity *out, bool *out_known) {
    *out_known = false;
    if (ordinal >= g_device_count) return no_such_device(ordinal, static_cast<size_t>(g_device_count));
    if (in_bad_fork()) return kOk;
    ThreadBlock &thread = counting_thread();
    if (thread.callback_depth > 0)
        return fail(
            GS_ERROR_NOT_SUPPORTED,
            "which GPU device %d is has not been asked yet, and inside a host function the CUDA driver cannot be "
            "asked (ask for anything of the device before)",
            ordinal);
    gs_device_info_t info{};
    GS_TRY(read_identity(g_driver, thread, g_devices[ordinal].handle, &info));
    *out = identity_of(info);
    *out_known = true;
    return kOk;
}

Status identity_from_driver(int32_t ordinal, Identity *out, bool *out_known) {
    *out_known = recall(ordinal, out);
    if (*out_known) return kOk;
    GS_TRY(backend_started(GS_BACKEND_CUDA) ? identity_of_started(ordinal, out, out_known)
                                            : identity_of_driver_in_use(ordinal, out, out_known));
    if (*out_known) remember(ordinal, *out);
    return kOk;
}

Status entry_from_settings(const inventory::Inventory &inventory, int32_t ordinal, int32_t *out) {
    inventory::DeviceSettings settings{};
    GS_TRY(settings_in_force(&settings));
    std::vector<int32_t> visible;
    GS_TRY(inventory::visible_entries(inventory, settings, &visible));
    if (static_cast<size_t>(ordinal) >= visible.size()) return no_such_device(ordinal, visible.size());
    *out = visible[static_cast<size_t>(ordinal)];
    if (*out != inventory::kNotKnown) return kOk;
    return fail(
        GS_ERROR_NOT_SUPPORTED,
        "which GPU device %d is cannot be known before the driver is initialised: the GPUs differ and CUDA puts "
        "the fastest first, or NVML does not tell enough of one (set CUDA_DEVICE_ORDER=PCI_BUS_ID, or call gs_init)",
        ordinal);
}

bool is_meant(const inventory::Entry &entry, const Identity &identity) {
    if (!entry.uuid.empty()) return entry.uuid == identity.uuid;
    return !entry.is_mig() && identity.uuid.compare(0, 4, "MIG-") != 0 && entry.has_pci && identity.has_pci &&
           entry.pci_domain == identity.pci_domain && entry.pci_bus == identity.pci_bus &&
           entry.pci_device == identity.pci_device;
}

Status find_entry(const inventory::Inventory &inventory, const Identity &identity, int32_t *out) {
    for (size_t i = 0; i < inventory.entries.size(); ++i) {
        if (!is_meant(inventory.entries[i], identity)) continue;
        *out = static_cast<int32_t>(i);
        return kOk;
    }
    return fail(GS_ERROR_NOT_SUPPORTED, "NVML lists no device %s: it describes other GPUs than the CUDA driver",
                identity.uuid.c_str());
}

Status out_of_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to find a device among NVML's"); }

Status identify(int32_t ordinal, Identity *out) {
    bool known = false;
    GS_TRY(identity_from_driver(ordinal, out, &known));
    if (known) return kOk;
    inventory::NvmlUse nvml;
    inventory::Inventory inventory;
    int32_t index = 0;
    GS_TRY(nvml.ready());
    GS_TRY(read_inventory(nvml, &inventory));
    GS_TRY(entry_from_settings(inventory, ordinal, &index));
    const inventory::Entry &entry = inventory.entries[static_cast<size_t>(index)];
    // The address would find the GPU that the instance lies on.
    if (entry.is_mig() && entry.uuid.empty())
        return fail(GS_ERROR_NOT_SUPPORTED, "NVML does not tell the UUID of the MIG instance that is device %d",
                    ordinal);
    *out = {entry.uuid, entry.has_pci, entry.pci_domain, entry.pci_bus, entry.pci_device};
    return kOk;
}

} // namespace

Status CudaBackend::measure(int32_t ordinal, inventory::Quantity quantity, int32_t *out) noexcept {
    try {
        Identity identity;
        GS_TRY(identify(ordinal, &identity));
        return inventory::measure_gpu(identity, quantity, out);
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

namespace {

Status memory_from_nvml(int32_t ordinal, inventory::MemoryUse *out) {
    Identity identity;
    GS_TRY(identify(ordinal, &identity));
    return inventory::measure_gpu_memory(identity, out);
}

} // namespace

Status CudaBackend::measure_memory(int32_t ordinal, inventory::MemoryUse *out) noexcept {
    try {
        const Status status = memory_from_nvml(ordinal, out);
        // A failure other than these is about the device, and the driver would be no better informed.
        const bool cannot_tell = status.code == GS_ERROR_UNAVAILABLE || status.code == GS_ERROR_NOT_SUPPORTED;
        if (!cannot_tell || !backend_started(GS_BACKEND_CUDA) || in_bad_fork()) return status;
        return memory_from_driver(counting_thread(), g_devices[ordinal], out);
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

Status CudaBackend::inventory_index(int32_t ordinal, int32_t *out) noexcept {
    try {
        Identity identity;
        bool known = false;
        GS_TRY(identity_from_driver(ordinal, &identity, &known));
        inventory::NvmlUse nvml;
        inventory::Inventory inventory;
        GS_TRY(nvml.ready());
        GS_TRY(read_inventory(nvml, &inventory));
        GS_TRY(known ? find_entry(inventory, identity, out) : entry_from_settings(inventory, ordinal, out));
        if (inventory.place_is_settled(*out)) return kOk;
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "NVML does not tell every MIG instance, so the place of device %d among them is "
                    "not known",
                    ordinal);
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

} // namespace gs::cuda
