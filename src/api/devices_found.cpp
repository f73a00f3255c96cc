// SPDX-License-Identifier: Apache-2.0
// Devices: which can reach which, which has a PCI address, and their limits.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "api/with.hpp"
#include "core/device/device_table.hpp"

using namespace gs::api;

namespace {

struct PciAddress {
    int32_t domain = 0, bus = 0, device = 0;
};

// Hexadecimal digits up to the end of the field; false: none, too many, or something else.
bool read_field(const char **at, size_t most, long *out) noexcept {
    char digits[9] = {};
    size_t length = 0;
    for (const char *from = *at; length <= most && std::strchr("0123456789abcdefABCDEF", from[length]); ++length) {
        if (from[length] == '\0') break;
        if (length == most) return false;
        digits[length] = from[length];
    }
    *at += length;
    *out = std::strtol(digits, nullptr, 16);
    return length > 0;
}

// "0000:3b:00.0", "3b:00.0", "0000:3b:00" or "3b:00".
bool parse_pci(const char *text, PciAddress *out) noexcept {
    long fields[3] = {};
    int count = 0;
    do {
        if (count == 3 || !read_field(&text, 8, &fields[count])) return false;
        ++count;
    } while (*text == ':' && *++text != '\0');
    long function = 0;
    if (*text == '.' && (!read_field(&++text, 1, &function) || function > 7)) return false;
    if (*text != '\0' || count < 2) return false;
    const long domain = count == 3 ? fields[0] : 0, bus = fields[count - 2], device = fields[count - 1];
    if (bus > 0xFF || device > 0x1F || domain > INT32_MAX) return false;
    *out = {static_cast<int32_t>(domain), static_cast<int32_t>(bus), static_cast<int32_t>(device)};
    return true;
}

int32_t devices_of(const Backend &backend) noexcept { return std::min(backend.device_count(), kMaxDevicesPerBackend); }

Status check_limit(int32_t limit) noexcept {
    if (limit >= GS_LIMIT_STACK_SIZE && limit <= GS_LIMIT_PERSISTING_L2_CACHE_SIZE) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%d is no limit of a device", limit);
}

} // namespace

extern "C" {

gs_status_t gs_device_peers(gs_device_t device, gs_device_t *out_devices, size_t capacity, size_t *out_count) {
    return boundary<Rule::Device>(Call(__func__, device), GS_OUT(out_count), [&](ThreadBlock &thread) -> Status {
        if (capacity != 0) GS_INPUT(out_devices);
        Device *from = nullptr;
        GS_TRY(find_device(thread, device, &from));
        size_t count = 0;
        for (int32_t ordinal = 0; ordinal < devices_of(*from->backend); ++ordinal) {
            const Device *to = started_device(from->kind, ordinal);
            bool reached = false;
            if (to == from) continue;
            GS_TRY(from->backend->can_access_peer(from->ordinal, ordinal, &reached));
            if (!reached) continue;
            if (count < capacity) out_devices[count] = device_number(*to);
            ++count;
        }
        *out_count = count;
        return kOk;
    });
}

gs_status_t gs_device_from_pci(const char *address, gs_device_t *out_device) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_device), [&](ThreadBlock &) -> Status {
        GS_INPUT(address);
        PciAddress wanted;
        if (!parse_pci(address, &wanted))
            return fail(GS_ERROR_INVALID_ARGUMENT, "'%.32s' is no PCI address such as 0000:3b:00.0", address);
        GS_TRY(ensure_initialized());
        const Backend *backend = started_default_backend();
        for (int32_t ordinal = 0; ordinal < devices_of(*backend); ++ordinal) {
            Device *found = started_device(backend->kind(), ordinal);
            gs_device_info_t info;
            GS_TRY(device_info(*found, &info));
            if (!info.has_pci || info.pci_domain != wanted.domain || info.pci_bus != wanted.bus ||
                info.pci_device != wanted.device)
                continue;
            *out_device = device_number(*found);
            return kOk;
        }
        return fail(GS_ERROR_INVALID_DEVICE, "no device of %s has the PCI address %.32s", backend->name(), address);
    });
}

gs_status_t gs_device_get_limit(gs_device_t device, int32_t limit, uint64_t *out_value) {
    return boundary<Rule::Device>(Call(__func__, device), GS_OUT(out_value), [&](ThreadBlock &thread) -> Status {
        GS_TRY(check_limit(limit));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return target->backend->get_limit(target->ordinal, limit, out_value);
    });
}

gs_status_t gs_device_set_limit(gs_device_t device, int32_t limit, uint64_t value) {
    return boundary<Rule::Blocking>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_TRY(check_limit(limit));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return target->backend->set_limit(target->ordinal, limit, value);
    });
}

} // extern "C"
