// SPDX-License-Identifier: Apache-2.0
#include "core/device/unstarted_device.hpp"

#include <algorithm>

#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "core/runtime.hpp"
#include "core/thread/current_stream.hpp"
#include "inventory/entries.hpp"

namespace gs {
namespace {

constexpr int32_t kNotVisible = -1;
constexpr int32_t kOrdinalNotKnown = -2;

// The CUDA device that an entry is in this process.
int32_t ordinal_of_entry(int32_t index) noexcept {
    Backend *cuda = backend_instance(GS_BACKEND_CUDA);
    if (!cuda) return kNotVisible;
    const int32_t count = known_device_count(GS_BACKEND_CUDA);
    int32_t answer = kNotVisible;
    for (int32_t ordinal = 0; ordinal < std::min(count, kMaxDevicesPerBackend); ++ordinal) {
        int32_t found = 0;
        if (!cuda->inventory_index(ordinal, &found).ok()) {
            answer = kOrdinalNotKnown; // it may be this one
        } else if (found == index) {
            return ordinal;
        }
    }
    return answer;
}

} // namespace

Status find_unstarted(ThreadBlock &thread, gs_device_t number, UnstartedDevice *out) noexcept {
    if (number == GS_DEVICE_CURRENT) {
        if (in_bad_fork())
            return fail(GS_ERROR_BAD_FORK, "a forked child has no current device: name the device by its number");
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(current_device(thread, &device));
        *out = {device->backend, device->ordinal};
        return kOk;
    }
    gs_backend_t kind = number >> 16;
    if (number < 0 || kind > kBackendKinds)
        return fail(GS_ERROR_INVALID_DEVICE, "there is no device numbered %d", number);
    if (kind == GS_BACKEND_DEFAULT) GS_TRY(choose_default_backend(&kind));
    Backend *backend = backend_instance(kind);
    if (!backend) return fail(GS_ERROR_INVALID_DEVICE, "this build of gpustream has no backend of device %d", number);
    *out = {backend, number & 0xFFFF};
    return kOk;
}

Status count_inventory(int32_t *out_gpus, int32_t *out_entries) noexcept {
    inventory::NvmlUse nvml;
    inventory::Inventory inventory;
    GS_TRY(nvml.ready());
    GS_TRY(inventory::read_inventory(nvml, &inventory));
    *out_gpus = inventory.gpus;
    *out_entries = static_cast<int32_t>(inventory.entries.size());
    return kOk;
}

Status inventory_entry(int32_t index, gs_inventory_entry_t *out) noexcept {
    inventory::NvmlUse nvml;
    inventory::Inventory inventory;
    GS_TRY(nvml.ready());
    GS_TRY(inventory::read_inventory(nvml, &inventory));
    if (index < 0 || static_cast<size_t>(index) >= inventory.entries.size())
        return fail(GS_ERROR_INVALID_ARGUMENT, "entry %d does not exist: the inventory has %zu", index,
                    inventory.entries.size());
    inventory::describe_entry(nvml, inventory.entries[static_cast<size_t>(index)], out);
    out->ordinal = inventory.place_is_settled(index) ? ordinal_of_entry(index) : kOrdinalNotKnown;
    return kOk;
}

} // namespace gs
