// SPDX-License-Identifier: Apache-2.0
// What a device measures of itself, field by field.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "gpustream.h"

namespace gs::inventory {

inline constexpr uint32_t kEveryField = GS_TELEMETRY_UTILIZATION | GS_TELEMETRY_MEMORY_UTILIZATION |
                                        GS_TELEMETRY_TEMPERATURE | GS_TELEMETRY_POWER | GS_TELEMETRY_SM_CLOCK |
                                        GS_TELEMETRY_MEMORY;

// read(field) reads one of the fields into *out. Fails, as the last of them did, only if none can be read.
template <typename Read>
Status read_fields(uint32_t fields, gs_telemetry_t *out, Read &&read) noexcept {
    Status failure = kOk;
    for (uint32_t left = fields; left != 0; left &= left - 1) {
        const uint32_t field = left & (~left + 1);
        const Status status = read(field);
        if (status.ok())
            out->known |= field;
        else
            failure = status;
    }
    return out->known != 0 ? kOk : failure;
}

inline void set_memory(uint64_t used, uint64_t free, uint64_t total, gs_telemetry_t *out) noexcept {
    out->memory_used_bytes = used;
    out->memory_free_bytes = free;
    out->memory_total_bytes = total;
}

// By what a vendor's library finds a device.
struct Identity {
    std::string uuid; // "GPU-..." or "MIG-..."
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
};

} // namespace gs::inventory
