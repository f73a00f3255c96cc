// SPDX-License-Identifier: Apache-2.0
// One vendor's management library: which GPUs exist and what they measure, without any driver or context. NVML is
// one. The library of another vendor fills the same functions. Only the library's own folder names it.
//
// Every function may be called from any thread, before a fork and after it. UNAVAILABLE: the library cannot be used.
// BAD_FORK: this process was forked while another thread was inside the library.
#pragma once

#include <span>

#include "inventory/entries.hpp"

namespace gs::inventory {

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
