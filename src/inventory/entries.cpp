// SPDX-License-Identifier: Apache-2.0
#include "inventory/entries.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace gs::inventory {
namespace {

void copy_text(char (&out)[96], const std::string &text) noexcept {
    std::snprintf(out, sizeof out, "%s", text.c_str());
    make_printable(out);
}

bool matches(const Entry &entry, const Identity &identity) noexcept {
    if (!entry.uuid.empty()) return entry.uuid == identity.uuid;
    return !entry.is_instance() && !names_instance(identity.uuid) && entry.has_pci && identity.has_pci &&
           entry.pci_domain == identity.pci_domain && entry.pci_bus == identity.pci_bus &&
           entry.pci_device == identity.pci_device;
}

} // namespace

bool Inventory::place_is_settled(int32_t index) const noexcept {
    if (index < gpus) return true;
    const int32_t gpu = entries[static_cast<size_t>(index)].gpu;
    for (int32_t i = 0; i <= gpu; ++i)
        if (entries[static_cast<size_t>(i)].is_doubtful()) return false;
    return true;
}

int32_t Inventory::find(const Identity &identity) const noexcept {
    for (size_t i = 0; i < entries.size(); ++i)
        if (matches(entries[i], identity)) return static_cast<int32_t>(i);
    return -1;
}

void fill_public_entry(const Entry &entry, gs_inventory_entry_t *out) noexcept {
    out->status = entry.trouble == 0 ? GS_OK : GS_ERROR_DRIVER;
    out->native_code = entry.trouble;
    out->nvml_index = entry.gpu;
    out->is_mig = entry.is_instance() ? 1 : 0;
    out->mig_index = entry.instance;
    out->mig_enabled = entry.divided ? 1 : 0;
    out->has_pci = entry.has_pci ? 1 : 0;
    out->pci_domain = entry.pci_domain;
    out->pci_bus = entry.pci_bus;
    out->pci_device = entry.pci_device;
    copy_text(out->uuid, entry.uuid);
    copy_text(out->name, entry.name);
}

std::string uuid_text(const uint8_t (&uuid)[16], bool is_mig) {
    std::string text = is_mig ? "MIG-" : "GPU-";
    for (int i = 0; i < 16; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits;
    }
    return text;
}

bool names_instance(const std::string &uuid) noexcept { return uuid.compare(0, 4, "MIG-") == 0; }

} // namespace gs::inventory
