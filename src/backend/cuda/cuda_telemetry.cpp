// SPDX-License-Identifier: Apache-2.0
// Finds the entry of the inventory that a CUDA device is. Once the driver is initialised, its answers decide; before
// that, the environment. The position in a list never does.
#include <cstdio>
#include <new>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/discovery/driver_in_use.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/gpu/device_facts.hpp"
#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "base/status.hpp"
#include "inventory/entries.hpp"
#include "inventory/visible_devices.hpp"

namespace gs::cuda {

namespace {

// Call it with the inventory's failure in the pending record: its text becomes part of the new one. Creates no
// context. NOT_SUPPORTED for a device without a context, and inside a host function, which must not call the driver.
Status memory_from_driver(ThreadBlock &thread, Device &device, gs_telemetry_t *out) noexcept {
    char reason[256]; // the new record would overwrite the text it is made from
    std::snprintf(reason, sizeof reason, "%s", pending_text());
    if (thread.callback_depth > 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "%s; a host function must not call the CUDA driver, which could report it",
                    reason);
    ContextScope scope(thread);
    bool present = false;
    GS_TRY(scope.enter_existing(device, &present));
    if (!present)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "%s; the CUDA driver could report it inside a context, which device %d does not have yet "
                    "(creating a stream there makes one)",
                    reason, device.ordinal);
    size_t free_bytes = 0, total_bytes = 0;
    FailedCall call{g_driver.mem_get_info.name};
    const CUresult result =
        in_relaxed_mode(thread, &call, [&] { return g_driver.mem_get_info(thread, &free_bytes, &total_bytes); });
    if (result != CUDA_SUCCESS) return map_error(result, call, device);
    inventory::set_memory(total_bytes - free_bytes, free_bytes, total_bytes, out);
    return kOk;
}

using inventory::Identity;

constinit gpu::IdentityMemo g_memo{};

inventory::Vendor &gpus() noexcept { return *inventory::vendor_of(GS_BACKEND_CUDA); }

// Once the backend runs. *out_known false: this is the first question, and the driver must not be asked here.
Status identity_of_started(int32_t ordinal, Identity *out, bool *out_known) {
    *out_known = false;
    if (ordinal >= g_device_count) return no_such_device(ordinal, static_cast<size_t>(g_device_count));
    if (in_bad_fork()) return kOk;
    ThreadBlock &thread = counting_thread();
    if (thread.callback_depth > 0)
        return fail(
            GS_ERROR_NOT_SUPPORTED,
            "the identity of device %d is unknown inside a host function, which must not call the CUDA driver (query "
            "the device once before)",
            ordinal);
    gs_device_info_t info{};
    GS_TRY(read_identity(g_driver, thread, g_devices[ordinal].handle, &info));
    *out = identity_of(info);
    *out_known = true;
    return kOk;
}

Status identity_from_driver(int32_t ordinal, Identity *out, bool *out_known) {
    *out_known = g_memo.recall(ordinal, out);
    if (*out_known) return kOk;
    GS_TRY(backend_started(GS_BACKEND_CUDA) ? identity_of_started(ordinal, out, out_known)
                                            : identity_of_driver_in_use(ordinal, out, out_known));
    if (*out_known) g_memo.remember(ordinal, *out);
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
    return fail(GS_ERROR_NOT_SUPPORTED,
                "device %d is known once the driver is initialised: CUDA puts the fastest GPU "
                "first, or %s reports too little of one (set CUDA_DEVICE_ORDER=PCI_BUS_ID, or call gs_init)",
                ordinal, inventory.source);
}

Status find_entry(const inventory::Inventory &inventory, const Identity &identity, int32_t *out) {
    *out = inventory.find(identity);
    if (*out >= 0) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "%s lists no device %s: it describes other GPUs than the CUDA driver",
                inventory.source, identity.uuid.c_str());
}

Status out_of_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to find a device in the inventory"); }

Status identify(int32_t ordinal, Identity *out) {
    bool known = false;
    GS_TRY(identity_from_driver(ordinal, out, &known));
    if (known) return kOk;
    inventory::Inventory inventory;
    int32_t index = 0;
    GS_TRY(gpus().read(&inventory));
    GS_TRY(entry_from_settings(inventory, ordinal, &index));
    const inventory::Entry &entry = inventory.entries[static_cast<size_t>(index)];
    // The address would find the GPU that the instance lies on.
    if (entry.is_instance() && entry.uuid.empty())
        return fail(GS_ERROR_NOT_SUPPORTED, "%s does not report the UUID of the MIG instance that is device %d",
                    inventory.source, ordinal);
    *out = {entry.uuid, entry.has_pci, entry.pci_domain, entry.pci_bus, entry.pci_device};
    return kOk;
}

Status measure_by_inventory(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) {
    Identity identity;
    GS_TRY(identify(ordinal, &identity));
    return gpus().measure(identity, fields, out);
}

} // namespace

Status CudaBackend::measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept {
    try {
        const Status status = measure_by_inventory(ordinal, fields, out);
        // Any other failure concerns the device itself, such as a lost GPU, and is not covered up.
        const bool cannot_tell =
            status.ok() || status.code == GS_ERROR_UNAVAILABLE || status.code == GS_ERROR_NOT_SUPPORTED;
        const bool wanted = (fields & ~out->known & GS_TELEMETRY_MEMORY) != 0;
        if (!wanted || !cannot_tell || !backend_started(GS_BACKEND_CUDA) || in_bad_fork()) return status;
        ThreadBlock &thread = counting_thread();
        // A caller that asks for more fields hears why NVML is silent, instead of why the driver is.
        if (fields != GS_TELEMETRY_MEMORY && (thread.callback_depth > 0 || !has_context(ordinal))) return status;
        const Status asked = memory_from_driver(thread, g_devices[ordinal], out);
        if (asked.ok()) out->known |= GS_TELEMETRY_MEMORY;
        return status.ok() ? kOk : asked;
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

Status CudaBackend::inventory_index(int32_t ordinal, int32_t *out) noexcept {
    try {
        Identity identity;
        bool known = false;
        GS_TRY(identity_from_driver(ordinal, &identity, &known));
        inventory::Inventory inventory;
        GS_TRY(gpus().read(&inventory));
        GS_TRY(known ? find_entry(inventory, identity, out) : entry_from_settings(inventory, ordinal, out));
        if (inventory.place_is_settled(*out)) return kOk;
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "%s does not report every MIG instance, so the position of device %d among them is unknown",
                    inventory.source, ordinal);
    } catch (const std::bad_alloc &) {
        return out_of_memory();
    }
}

} // namespace gs::cuda
