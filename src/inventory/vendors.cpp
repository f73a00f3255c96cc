// SPDX-License-Identifier: Apache-2.0
#include "inventory/entries.hpp"
#include "inventory/nvml/nvml_vendor.hpp"

namespace gs::inventory {

std::span<Vendor *const> vendors() noexcept {
    static Vendor *const all[] = {&nvml_vendor()};
    return all;
}

} // namespace gs::inventory
