// SPDX-License-Identifier: Apache-2.0
// Inventory and telemetry: what the library can report without starting a backend.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/device/unstarted_device.hpp"
#include "inventory/entries.hpp"
#include "inventory/visible_devices.hpp"

namespace gs::api {
namespace {

// A text that the call gives to its thread, kept until the thread's next such call: the elements, separated by commas.
Status give_list(ThreadBlock &thread, const std::vector<std::string> &elements, const char **out) noexcept {
    size_t bytes = 1;
    for (const std::string &element : elements) bytes += element.size() + 1;
    auto *text = static_cast<char *>(std::realloc(thread.text, bytes));
    if (!text) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a list of %zu bytes", bytes);
    thread.text = text;
    size_t used = 0;
    for (const std::string &element : elements) {
        if (used > 0) text[used++] = ',';
        std::memcpy(text + used, element.data(), element.size());
        used += element.size();
    }
    text[used] = '\0';
    *out = text;
    return kOk;
}

} // namespace
} // namespace gs::api

using namespace gs::api;

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
    return boundary<Rule::Any>(Call(__func__, device), GS_OUT(out_index), [&](ThreadBlock &thread) -> Status {
        UnstartedDevice target{};
        GS_TRY(find_unstarted(thread, device, &target));
        int32_t index = 0;
        GS_TRY(target.backend->inventory_index(target.ordinal, &index));
        *out_index = index;
        return kOk;
    });
}

gs_status_t gs_parse_visible_devices(const char *value, const char **out_list) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_list), [&](ThreadBlock &thread) -> Status {
        inventory::VisibleList list;
        GS_TRY(inventory::parse_visible_devices(value, &list));
        return give_list(thread, list.elements, out_list);
    });
}

gs_status_t gs_device_get_telemetry(gs_device_t device, uint32_t fields, gs_telemetry_t *out_telemetry) {
    return boundary<Rule::Getter>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_telemetry);
        if ((fields & ~inventory::kEveryField) != 0)
            return fail(GS_ERROR_INVALID_ARGUMENT, "fields %#x contain an unknown bit (GS_TELEMETRY_*)", fields);
        UnstartedDevice target{};
        GS_TRY(find_unstarted(thread, device, &target));
        gs_telemetry_t found{};
        GS_TRY(target.backend->measure(target.ordinal, fields == 0 ? inventory::kEveryField : fields, &found));
        return write_sized(out_telemetry, found);
    });
}

} // extern "C"
