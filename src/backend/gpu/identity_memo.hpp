// SPDX-License-Identifier: Apache-2.0
// What the driver said of each device. A forked child, which may not ask the driver, gets the answer from here.
#pragma once

#include <atomic>
#include <cstdint>

#include "inventory/entries.hpp"

namespace gs::gpu {

class IdentityMemo {
public:
    // Keeps the first answer. No effect for ordinals beyond the table.
    void remember(int32_t ordinal, const inventory::Identity &identity) noexcept;
    // False if nothing was kept. Throws bad_alloc.
    bool recall(int32_t ordinal, inventory::Identity *out) const;

private:
    static constexpr int32_t kPlaces = 64;
    struct Place {
        enum State : uint32_t { kEmpty, kBeingWritten, kWritten };
        std::atomic<uint32_t> state{kEmpty};
        char uuid[64] = "";
        bool has_pci = false;
        int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
    };
    Place places_[kPlaces];
};

} // namespace gs::gpu
