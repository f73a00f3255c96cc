// SPDX-License-Identifier: Apache-2.0
// Inventory and telemetry: what the library can report without starting a backend.
#include "base/decimal.hpp"
#include "inventory/visible_devices.hpp"

#include "api/text_result.hpp"
#include "api/with.hpp"
#include "backend/device_inventory.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/device/unstarted_device.hpp"
#include "core/stream/native_map.hpp"

using namespace gs::api;

namespace {

gs_status_t measure(const char *function, gs_device_t device, inventory::Quantity quantity, int32_t *out,
                    const char *out_name) noexcept {
    zero(out);
    return boundary<Rule::Getter>(Call(function, device), [&](ThreadBlock &thread) -> Status {
        if (!out) return null_argument(out_name);
        UnstartedDevice target{};
        GS_TRY(find_unstarted(thread, device, &target));
        int32_t value = 0;
        GS_TRY(target.backend->measure(target.ordinal, quantity, &value));
        *out = value;
        return kOk;
    });
}

const Backend *backend_of(gs_backend_t kind) noexcept {
    if (kind == GS_BACKEND_DEFAULT && !choose_default_backend(&kind).ok()) return nullptr;
    return backend_instance(kind);
}

} // namespace

extern "C" {

gs_status_t gs_inventory_count(int32_t *out_gpus, int32_t *out_entries) {
    zero(out_gpus);
    zero(out_entries);
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_gpus);
        GS_INPUT(out_entries);
        return count_inventory(out_gpus, out_entries);
    });
}

gs_status_t gs_inventory_get(int32_t index, gs_inventory_entry_t *out_entry) {
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_entry);
        gs_inventory_entry_t entry{};
        GS_TRY(inventory_entry(index, &entry));
        return write_sized(out_entry, entry);
    });
}

gs_status_t gs_inventory_index(gs_device_t device, int32_t *out_index) {
    zero(out_index);
    return boundary<Rule::Any>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_index);
        UnstartedDevice target{};
        GS_TRY(find_unstarted(thread, device, &target));
        int32_t index = 0;
        GS_TRY(target.backend->inventory_index(target.ordinal, &index));
        *out_index = index;
        return kOk;
    });
}

gs_status_t gs_parse_visible_devices(const char *value, const char **out_list) {
    zero(out_list);
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_list);
        inventory::VisibleList list;
        GS_TRY(inventory::parse_visible_devices(value, &list));
        return give_list(thread, list.elements, out_list);
    });
}

gs_status_t gs_match_uuids(const char *candidates, const char *uuids, const char **out_list) {
    zero(out_list);
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(candidates);
        GS_INPUT(uuids);
        GS_INPUT(out_list);
        std::vector<std::string> wanted, known, numbers;
        std::vector<size_t> found;
        GS_TRY(inventory::split_list(candidates, &wanted));
        GS_TRY(inventory::split_list(uuids, &known));
        GS_TRY(inventory::match_uuids(wanted, known, &found));
        for (const size_t position : found) numbers.push_back(decimal(position));
        return give_list(thread, numbers, out_list);
    });
}

gs_status_t gs_device_utilization_percent(gs_device_t device, int32_t *out_percent) {
    return measure(__func__, device, inventory::Quantity::UtilizationPercent, out_percent, "out_percent");
}

gs_status_t gs_device_memory_utilization_percent(gs_device_t device, int32_t *out_percent) {
    return measure(__func__, device, inventory::Quantity::MemoryUtilizationPercent, out_percent, "out_percent");
}

gs_status_t gs_device_temperature_celsius(gs_device_t device, int32_t *out_celsius) {
    return measure(__func__, device, inventory::Quantity::TemperatureCelsius, out_celsius, "out_celsius");
}

gs_status_t gs_device_power_milliwatts(gs_device_t device, int32_t *out_milliwatts) {
    return measure(__func__, device, inventory::Quantity::PowerMilliwatts, out_milliwatts, "out_milliwatts");
}

gs_status_t gs_device_sm_clock_mhz(gs_device_t device, int32_t *out_mhz) {
    return measure(__func__, device, inventory::Quantity::SmClockMhz, out_mhz, "out_mhz");
}

gs_status_t gs_device_memory_bytes(gs_device_t device, uint64_t *out_used, uint64_t *out_free, uint64_t *out_total) {
    zero(out_used);
    zero(out_free);
    zero(out_total);
    return boundary<Rule::Getter>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_used);
        GS_INPUT(out_free);
        GS_INPUT(out_total);
        UnstartedDevice target{};
        GS_TRY(find_unstarted(thread, device, &target));
        inventory::MemoryUse use{};
        GS_TRY(target.backend->measure_memory(target.ordinal, &use));
        *out_used = use.used;
        *out_free = use.free;
        *out_total = use.total;
        return kOk;
    });
}

const char *gs_arch_list(gs_backend_t backend) {
    const Backend *found = backend_of(backend);
    return found ? found->arch_list() : "";
}

const char *gs_gencode_flags(gs_backend_t backend) {
    const Backend *found = backend_of(backend);
    return found ? found->gencode_flags() : "";
}

gs_status_t gs_current_blas_handle(uintptr_t *out_handle) {
    zero(out_handle);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_handle);
        GS_TRY(ensure_initialized());
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(optional_stream(thread, handle_bits(GS_STREAM_CURRENT), &slot));
        GS_TRY(check_health(*slot->device));
        mark_used(*slot);
        if (!slot->immortal()) GS_TRY(remember_native(*slot)); // cuBLAS has the raw handle from now on
        uintptr_t handle = 0;
        GS_TRY(slot->backend->blas_handle(thread, slot->ref(), &handle));
        *out_handle = handle;
        return kOk;
    });
}

} // extern "C"
