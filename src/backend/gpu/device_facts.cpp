// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/device_facts.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace gs::gpu {

bool HealthLatch::latch(State state, int32_t ordinal, const Cause &cause, uint64_t thread) noexcept {
    MutexLock lock(mutex_);
    if (latched()) return false;
    native_ = cause.native;
    text_ = cause.text;
    std::snprintf(origin_, sizeof origin_, "%s (%.*s, %d) on device %d, thread %" PRIu64, cause.native.function,
                  static_cast<int>(std::strcspn(cause.name, ":")), cause.name, cause.native.code, ordinal, thread);
    state_.store(state, std::memory_order_release);
    return true;
}

Status HealthLatch::status(int32_t ordinal) noexcept {
    MutexLock lock(mutex_);
    if (state_.load(std::memory_order_relaxed) == kReset)
        return fail_sticky(GS_ERROR_CONTEXT_LOST, native_, origin_,
                           "device %d was reset by gs_device_reset(): what was created on it is gone, and this process "
                           "cannot use it any more; %s",
                           ordinal, origin_);
    if (lost())
        return fail_sticky(GS_ERROR_CONTEXT_LOST, native_, origin_,
                           "the primary context of device %d was reset or destroyed by other code: what was created in "
                           "it is gone; first seen at %s",
                           ordinal, origin_);
    return fail_sticky(GS_ERROR_STICKY, native_, origin_,
                       "device %d cannot be used any more by this process: %s; first seen at %s", ordinal, text_,
                       origin_);
}

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
