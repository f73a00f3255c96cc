// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_slot.hpp"

#include "base/futex.hpp"
#include "core/timeline/shared_timeline.hpp"

namespace gs {
namespace {

uint32_t *narrow_word(const TimelineSlot &slot) noexcept { return reinterpret_cast<uint32_t *>(slot.word.host); }

} // namespace

gs_status_t aborted_status(const TimelineSlot &slot) noexcept {
    const gs_status_t status = slot.aborted.load(std::memory_order_acquire);
    return !slot.shared || status != GS_OK ? status : shared_status(*slot.shared->memory);
}

uint64_t current_value_of_unusual(TimelineSlot &slot) noexcept {
    if (!slot.narrow) {
        const uint64_t value = __atomic_load_n(slot.word.host, __ATOMIC_ACQUIRE);
        if (slot.shared && value < kTimelineEnd) slot.last.store(value, std::memory_order_relaxed);
        return value;
    }
    uint64_t last = slot.last.load(std::memory_order_acquire);
    for (;;) {
        const uint32_t low = __atomic_load_n(narrow_word(slot), __ATOMIC_ACQUIRE);
        const auto grown = static_cast<int32_t>(low - static_cast<uint32_t>(last));
        if (grown <= 0) return last;
        if (slot.last.compare_exchange_weak(last, last + static_cast<uint32_t>(grown), std::memory_order_acq_rel))
            return last + static_cast<uint32_t>(grown);
    }
}

uint64_t known_value(TimelineSlot &slot) noexcept {
    if (slot.interprocess.load(std::memory_order_acquire)) return slot.last.load(std::memory_order_relaxed);
    return current_value(slot);
}

bool raise_word(TimelineSlot &slot, uint64_t value) noexcept {
    uint64_t seen = current_value(slot);
    if (slot.narrow) {
        auto low = static_cast<uint32_t>(seen);
        do {
            if (seen >= value) return false;
            if (__atomic_compare_exchange_n(narrow_word(slot), &low, static_cast<uint32_t>(value), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
                return true;
            seen = current_value(slot);
        } while (true);
    }
    do {
        if (seen >= value) return false;
    } while (!__atomic_compare_exchange_n(slot.word.host, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    return true;
}

void end_word(TimelineSlot &slot) noexcept {
    if (!slot.narrow) {
        __atomic_store_n(slot.word.host, kTimelineEnd, __ATOMIC_SEQ_CST);
        return;
    }
    // Half a circle above the value, which all waits are below.
    const uint64_t now = current_value(slot);
    const uint64_t end = slot.highest_wait > now ? slot.highest_wait : now;
    slot.last.store(end, std::memory_order_release);
    __atomic_store_n(narrow_word(slot), static_cast<uint32_t>(end), __ATOMIC_SEQ_CST);
}

void wake_streams(TimelineSlot &slot) noexcept { slot.device->backend->value_written(slot.word.address); }

void wake_threads(TimelineSlot &slot) noexcept {
    for (TimelineWaiter *waiter = slot.waiters; waiter; waiter = waiter->next) {
        waiter->signal->fetch_add(1, std::memory_order_acq_rel);
        futex_wake(*waiter->signal, 1);
    }
}

} // namespace gs
