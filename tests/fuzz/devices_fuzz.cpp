// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES, lists of UUIDs and names of devices. An input is lines of text: the variable, candidates, UUIDs,
// CUDA_DEVICE_ORDER, then one device a line.
#include <algorithm>
#include <set>

#include "fuzz/devices_model.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/texts.hpp"
#include "gpustream.h"
#include "inventory/visible_devices.hpp"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::KeepRepeatedDevice};

void start() {}

namespace {

std::string parsed(const std::string &value) {
    const char *list = nullptr;
    FUZZ_REQUIRE(gs_parse_visible_devices(value.c_str(), &list) == GS_OK, printable(value));
    return list;
}

std::string matched(const std::string &candidates, const std::string &uuids) {
    std::vector<size_t> positions;
    FUZZ_REQUIRE(inventory::match_uuids(model::split(candidates, ','), model::split(uuids, ','), &positions).ok(),
                 printable(candidates));
    std::string list;
    for (const size_t position : positions) list += (list.empty() ? "" : ",") + std::to_string(position);
    return list;
}

// "g name|uuid|bus" is a GPU, "d..." a divided one, "m..." an instance of the GPU before it, "x..." one that refuses
// queries, "?..." one that cannot say whether it is divided.
inventory::Inventory read_inventory(Bytes &input) {
    inventory::Inventory found;
    found.source = "NVML";
    std::vector<inventory::Entry> instances;
    static char handle;
    while (!input.empty() && found.entries.size() + instances.size() < 32) {
        const std::string line = input.line();
        const char kind = line.empty() ? 'g' : line[0];
        const auto fields = model::split(line.size() > 1 ? line.substr(1) : "", '|');
        inventory::Entry entry;
        entry.handle = kind == 'x' ? nullptr : &handle;
        entry.trouble = kind == 'x' || kind == '?' ? 999 : 0;
        entry.name = fields[0];
        entry.uuid = fields.size() > 1 ? fields[1] : "";
        entry.has_pci = fields.size() > 2;
        entry.pci_bus = entry.has_pci && !fields[2].empty() ? static_cast<unsigned char>(fields[2][0]) : 0;
        entry.divided = kind == 'd';
        if (kind == 'm' && !found.entries.empty()) {
            entry.gpu = static_cast<int32_t>(found.entries.size()) - 1;
            entry.instance = static_cast<int32_t>(instances.size());
            entry.gpu_instance = entry.pci_bus % 8;
            entry.compute_instance = entry.instance % 3 - 1;
            instances.push_back(entry);
        } else {
            entry.gpu = static_cast<int32_t>(found.entries.size());
            found.entries.push_back(entry);
        }
    }
    found.gpus = static_cast<int32_t>(found.entries.size());
    found.entries.insert(found.entries.end(), instances.begin(), instances.end());
    return found;
}

// What holds of every machine and every value: a device is an entry, none is there twice, and a process sees whole GPUs
// or one instance.
void check_order(const inventory::Inventory &machine, const std::string &value, const std::string &order) {
    const inventory::DeviceSettings settings{value.c_str(), order.c_str()};
    std::vector<int32_t> visible;
    const Status status = inventory::visible_entries(machine, settings, &visible);
    note("%s: %zu", gs_status_name(status.code), visible.size());
    if (!status.ok()) {
        FUZZ_REQUIRE(status.code == GS_ERROR_NOT_SUPPORTED, printable(value));
        return;
    }
    FUZZ_REQUIRE(visible.size() <= machine.entries.size(), printable(value));
    std::set<int32_t> seen;
    for (const int32_t index : visible) {
        note("%d", index);
        if (index == inventory::kNotKnown) continue;
        FUZZ_REQUIRE(index >= 0 && index < static_cast<int32_t>(machine.entries.size()), printable(value));
        FUZZ_REQUIRE(seen.insert(index).second, printable(value));
        const inventory::Entry &entry = machine.entries[static_cast<size_t>(index)];
        FUZZ_REQUIRE(!entry.is_instance() || visible.size() == 1, printable(value));
        FUZZ_REQUIRE(!entry.divided, printable(value));
    }
}

void check_entries(const inventory::Inventory &machine) {
    for (const inventory::Entry &entry : machine.entries) {
        gs_inventory_entry_t out{};
        inventory::fill_public_entry(entry, &out);
        FUZZ_REQUIRE(std::find(out.name, std::end(out.name), '\0') != std::end(out.name), printable(entry.name));
        FUZZ_REQUIRE(std::find(out.uuid, std::end(out.uuid), '\0') != std::end(out.uuid), printable(entry.uuid));
        // Also where it was cut, which leaves the rest as it is.
        const std::string name = out.name;
        FUZZ_REQUIRE(is_text(name), printable(entry.name));
        FUZZ_REQUIRE(!is_text(entry.name) || entry.name.compare(0, name.size(), name) == 0, printable(entry.name));
    }
}

} // namespace

void one(Bytes input) {
    // As a C program passes them: a NUL ends a text.
    const auto line = [&] { return std::string(input.line().c_str()); };
    const std::string value = line(), candidates = line(), uuids = line(), order = line();
    const std::string list = parsed(value);
    note("%s", list.c_str());
    FUZZ_REQUIRE(list == model::visible(value),
                 printable(value) + " is " + printable(list) + ", should be " + printable(model::visible(value)));
    const std::string found = matched(candidates, uuids);
    note("%s", found.c_str());
    FUZZ_REQUIRE(found == model::matches(candidates, uuids), printable(candidates) + " among " + printable(uuids) +
                                                                 " is " + printable(found) + ", should be " +
                                                                 printable(model::matches(candidates, uuids)));
    const inventory::Inventory machine = read_inventory(input);
    check_order(machine, value, order);
    check_entries(machine);
}

} // namespace gs::fuzz
