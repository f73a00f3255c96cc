// SPDX-License-Identifier: Apache-2.0
// What a vendor's library lists and measures: the GPUs of the machine and their instances. Entries 0 to gpus - 1 are the GPUs by
// the library's index, the rest the instances, by GPU and then by their index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "gpustream.h"

namespace gs::inventory {

// What a device measures of itself, field by field.
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

struct Entry {
    void *handle = nullptr; // the library's; nullptr: listed, but it cannot be queried
    // The library's code for its failure; with a handle, for failing to say whether and how the GPU is divided. 0: no
    // failure.
    int32_t trouble = 0;
    bool not_permitted = false;                       // no handle for want of permission: drivers skip such a GPU
    int32_t gpu = 0;                                  // the library's index of the GPU
    int32_t instance = -1;                            // the index of an instance on its GPU, -1 for a whole GPU
    int32_t gpu_instance = -1, compute_instance = -1; // ids of an instance on its GPU; -1: not reported
    bool divided = false;                             // into instances
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
    std::string uuid, name;

    bool is_instance() const noexcept { return instance >= 0; }
    // How the driver sees this GPU is unknown.
    bool is_doubtful() const noexcept { return trouble != 0 && !not_permitted; }
};

struct Inventory {
    const char *source = ""; // the library, for messages
    std::vector<Entry> entries;
    int32_t gpus = 0;

    // False for an instance that may stand elsewhere in the next reading, since the number of those before it is
    // unknown.
    bool place_is_settled(int32_t index) const noexcept;
    // The entry with this identity, -1 if there is none.
    int32_t find(const Identity &identity) const noexcept;
};

// Fills the fields of the public struct that an entry has; all others stay as they are.
void fill_public_entry(const Entry &entry, gs_inventory_entry_t *out) noexcept;

// "GPU-" or "MIG-" and the 16 bytes as 8-4-4-4-12 hexadecimal digits. Throws bad_alloc.
std::string uuid_text(const uint8_t (&uuid)[16], bool is_mig);
// Does the name belong to an instance rather than a whole GPU?
bool names_instance(const std::string &uuid) noexcept;

// One vendor's management library: which GPUs exist and what they measure, without any driver or context. NVML is
// one. The library of another vendor fills the same functions. Only the library's own folder names it.
//
// Every function may be called from any thread, before a fork and after it. UNAVAILABLE: the library cannot be used.
// BAD_FORK: this process was forked while another thread was inside the library.

class Vendor {
public:
    // The backend whose devices the library lists.
    virtual gs_backend_t backend() const noexcept = 0;

    // A GPU that cannot be queried becomes an entry with its failure; the function fails only where all GPUs are
    // concerned.
    virtual Status read(Inventory *out) noexcept = 0;
    // Reads the inventory and every field but struct_size and ordinal of one entry. INVALID_ARGUMENT: no such entry.
    virtual Status read_entry(int32_t index, Inventory *out, gs_inventory_entry_t *out_entry) noexcept = 0;

    // Adds those of the fields (GS_TELEMETRY_*) that can be read. NOT_SUPPORTED: the device measures none of them.
    virtual Status measure(const Identity &identity, uint32_t fields, gs_telemetry_t *out) noexcept = 0;

protected:
    ~Vendor() = default; // instances are immortal
};

// All of them. The inventory of the machine is that of the first one that can be used.
std::span<Vendor *const> vendors() noexcept;

// The library that lists the devices of this backend, nullptr if there is none.
inline Vendor *vendor_of(gs_backend_t backend) noexcept {
    for (Vendor *vendor : vendors())
        if (vendor->backend() == backend) return vendor;
    return nullptr; // not reached: every backend that asks has a vendor
}

} // namespace gs::inventory
