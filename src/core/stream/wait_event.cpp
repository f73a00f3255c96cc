// SPDX-License-Identifier: Apache-2.0
#include "core/stream/wait_event.hpp"

#include "core/event/spare_events.hpp"

namespace gs {

Status make_wait_event(StreamSlot &stream, uintptr_t *out) noexcept {
    uintptr_t made = 0;
    GS_TRY(take_native_event(*stream.device, 0, &made));
    uintptr_t known = 0;
    *out = made;
    if (stream.wait_event.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return kOk;
    *out = known; // another thread was faster
    give_native_event(*stream.device, 0, made);
    return kOk;
}

void drop_wait_event(StreamSlot &slot) noexcept {
    const uintptr_t native = slot.wait_event.exchange(0, std::memory_order_relaxed);
    if (native) give_native_event(*slot.device, 0, native);
}

} // namespace gs
