// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/identity_memo.hpp"

#include <cstring>

namespace gs::gpu {

void IdentityMemo::remember(int32_t ordinal, const inventory::Identity &identity) noexcept {
    if (ordinal >= kPlaces) return; // one-sided: no machine has so many devices
    Place &place = places_[ordinal];
    uint32_t empty = Place::kEmpty;
    if (!place.state.compare_exchange_strong(empty, Place::kBeingWritten, std::memory_order_acquire)) return;
    std::strncpy(place.uuid, identity.uuid.c_str(), sizeof place.uuid - 1);
    place.has_pci = identity.has_pci;
    place.pci_domain = identity.pci_domain;
    place.pci_bus = identity.pci_bus;
    place.pci_device = identity.pci_device;
    place.state.store(Place::kWritten, std::memory_order_release);
}

bool IdentityMemo::recall(int32_t ordinal, inventory::Identity *out) const {
    if (ordinal >= kPlaces) return false;
    const Place &place = places_[ordinal];
    if (place.state.load(std::memory_order_acquire) != Place::kWritten) return false;
    *out = {place.uuid, place.has_pci, place.pci_domain, place.pci_bus, place.pci_device};
    return true;
}

} // namespace gs::gpu
