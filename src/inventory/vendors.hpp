// SPDX-License-Identifier: Apache-2.0
// The table of vendors' libraries.
#pragma once

#include <span>

#include "inventory/vendor.hpp"

namespace gs::inventory {

// All of them. The inventory of the machine is that of the first one that can be used.
std::span<Vendor *const> vendors() noexcept;

// The library that lists the devices of this backend, nullptr if there is none.
inline Vendor *vendor_of(gs_backend_t backend) noexcept {
    for (Vendor *vendor : vendors())
        if (vendor->backend() == backend) return vendor;
    return nullptr; // not reached: every backend that asks has a vendor
}

} // namespace gs::inventory
