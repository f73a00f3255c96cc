// SPDX-License-Identifier: Apache-2.0
#include "core/stream/device_reset.hpp"

#include <time.h>

#include "core/slots.hpp"
#include "core/stream/stream_sync.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

void take_a_nap() noexcept {
    constexpr timespec kNap{0, 50000};
    nanosleep(&kNap, nullptr);
}

Device *device_of(const StreamSlot &slot) noexcept { return slot.device; }
// Published with the slot's record, as in model first_record_is_seen_whole.
Device *device_of(const EventSlot &slot) noexcept { return slot.device.load(std::memory_order_acquire); }

// Blocking calls hold no mark, but a pin. Their driver calls return, since the device has nothing to do any more.
template <typename Slots>
void let_pins_go(Slots &slots, const Device &device) noexcept {
    const uint32_t last = slots.last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        const auto &slot = *slots.at(index);
        // A slot that is pinned keeps its device until it is not. Pins are seen as in model event_ends_blocking.
        while (slot.pins.load(std::memory_order_seq_cst) != 0 && device_of(slot) == &device) take_a_nap();
    }
}

} // namespace

// Calls that begin once the device is latched do not reach the driver. Those that had looked before it was are waited for:
// first the marked ones, which may have taken a pin, then the pinned ones.
Status reset_device(ThreadBlock &thread, Device &device) noexcept {
    GS_TRY(synchronize_device(thread, device));
    bool begun = false;
    GS_TRY(device.backend->reset_begin(device.ordinal, &begun));
    if (!begun) return kOk;
    wait_for_calls(thread);
    let_pins_go(stream_slots(), device);
    let_pins_go(event_slots(), device);
    return device.backend->reset_end(device.ordinal);
}

} // namespace gs
