// SPDX-License-Identifier: Apache-2.0
#include "core/device/unstarted_device.hpp"

#include <algorithm>

#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "inventory/entries.hpp"

namespace gs {

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
    if (number < 0 || (kind != GS_BACKEND_DEFAULT && !is_backend_kind(kind)))
        return fail(GS_ERROR_INVALID_DEVICE, "there is no device numbered %d", number);
    if (kind == GS_BACKEND_DEFAULT) GS_TRY(choose_default_backend(&kind));
    Backend *backend = backend_instance(kind);
    if (!backend) return fail(GS_ERROR_INVALID_DEVICE, "this build of gpustream has no backend of device %d", number);
    *out = {backend, number & 0xFFFF};
    return kOk;
}

namespace {

using inventory::Inventory;
using inventory::Vendor;

constexpr int32_t kNotVisible = -1;
constexpr int32_t kOrdinalNotKnown = -2;

// Asks the vendors in turn until one has a usable library.
template <typename Ask>
Status ask_vendors(Ask &&ask) noexcept {
    Status status = kOk;
    for (Vendor *vendor : inventory::vendors()) {
        status = ask(*vendor);
        if (status.code != GS_ERROR_UNAVAILABLE) break;
    }
    return status;
}

// The ordinal that an entry has in this process among the devices of its backend.
int32_t ordinal_of_entry(gs_backend_t kind, int32_t index) noexcept {
    Backend *backend = backend_instance(kind);
    if (!backend) return kNotVisible;
    const int32_t count = std::min(known_device_count(kind), kMaxDevicesPerBackend);
    int32_t answer = kNotVisible;
    for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
        int32_t found = 0;
        if (!backend->inventory_index(ordinal, &found).ok()) {
            answer = kOrdinalNotKnown; // it may be this one
        } else if (found == index) {
            return ordinal;
        }
    }
    return answer;
}

} // namespace

Status count_inventory(int32_t *out_gpus, int32_t *out_entries) noexcept {
    Inventory inventory;
    GS_TRY(ask_vendors([&](Vendor &vendor) noexcept { return vendor.read(&inventory); }));
    *out_gpus = inventory.gpus;
    *out_entries = static_cast<int32_t>(inventory.entries.size());
    return kOk;
}

Status inventory_entry(int32_t index, gs_inventory_entry_t *out) noexcept {
    return ask_vendors([&](Vendor &vendor) noexcept -> Status {
        Inventory inventory;
        GS_TRY(vendor.read_entry(index, &inventory, out));
        out->ordinal = inventory.place_is_settled(index) ? ordinal_of_entry(vendor.backend(), index) : kOrdinalNotKnown;
        return kOk;
    });
}

} // namespace gs
