// SPDX-License-Identifier: Apache-2.0
// The lists that dead event slots wait in. event_cache.hpp moves them in and out.
#pragma once

#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

// Free slots are kept by the flags of their driver event; those of the last class have none.
inline constexpr int kEventClasses = 5;
inline constexpr int kBareClass = 4;

inline int event_class(uint32_t flags) noexcept {
    if (flags & GS_EVENT_INTERPROCESS) return kBareClass;
    return static_cast<int>(flags & (GS_EVENT_TIMING | GS_EVENT_BLOCKING));
}
static_assert((GS_EVENT_TIMING | GS_EVENT_BLOCKING) < kBareClass);

struct EventList {
    EventSlot *head = nullptr;
    uint32_t count = 0;

    void push(EventSlot *slot) noexcept {
        slot->next = head;
        head = slot;
        ++count;
    }
    EventSlot *pop() noexcept {
        EventSlot *slot = head;
        if (slot) {
            head = slot->next;
            --count;
        }
        return slot;
    }
};

// A thread's own dead slots.
struct EventCache {
    EventList free[kEventClasses];
    EventList retired;
    EventList waiting;
    Grace grace; // of the waiting ones
};

} // namespace gs
