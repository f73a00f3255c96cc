// SPDX-License-Identifier: Apache-2.0
// When a driver call may be left out. E1: never recorded (always). E2: the record is on the waiting stream itself.
// E3: the record is known complete. GPUSTREAM_ELIDE=0 turns E2 and E3 off.
//
// Rules that keep it sound: a record is published only after its driver call returned 0, by compare-exchange against the
// word read before the call, so a recorder that lost a race publishes "unknown stream"; complete is only ever set to
// the ticket read before a query that succeeded.
#pragma once

#include "core/slots.hpp"

namespace gs {

bool elision_enabled() noexcept; // reads GPUSTREAM_ELIDE once

extern std::atomic<int8_t> g_elide __attribute__((visibility("hidden"))); // -1: not read yet

inline bool may_elide() noexcept {
    const int8_t state = g_elide.load(std::memory_order_relaxed);
    return __builtin_expect(state >= 0, 1) ? state != 0 : elision_enabled();
}

inline bool never_recorded(uint64_t word) noexcept { return word_stream(word) == kNeverRecorded; }

inline bool known_complete(const EventSlot &event, uint64_t word) noexcept {
    return event.complete.load(std::memory_order_acquire) == word_ticket(word) &&
           (event.traits.load(std::memory_order_relaxed) & kEventForeign) == 0 && may_elide();
}

// The wait of this stream for the event's record would change nothing. Waits on the null, per-thread and external
// streams are never left out: each is an action in them.
inline bool wait_is_void(const EventSlot &event, uint64_t word, const StreamSlot &stream) noexcept {
    if (stream.uid == kUnknownStream) return false;
    if (event.traits.load(std::memory_order_relaxed) & kEventForeign) return false;
    const bool same = word_stream(word) == stream.uid;
    const bool done = event.complete.load(std::memory_order_acquire) == word_ticket(word);
    return (same || done) && may_elide();
}

// After the driver's record call: `before` is the word read ahead of it.
inline void publish_record(EventSlot &event, uint64_t before, uint32_t stream_uid) noexcept {
    const uint64_t after = record_word(stream_uid, word_ticket(before) + 1);
    uint64_t expected = before;
    if (__builtin_expect(event.word.compare_exchange_strong(expected, after, std::memory_order_acq_rel), 1)) return;
    // Another record came in between: which of the two the driver holds is unknown.
    while (!event.word.compare_exchange_weak(expected, record_word(kUnknownStream, word_ticket(expected) + 1),
                                             std::memory_order_acq_rel)) {}
}

// The driver's record call failed; it may have taken effect all the same.
inline void spoil_record(EventSlot &event, uint64_t before) noexcept {
    if (never_recorded(before) && event.word.load(std::memory_order_acquire) == before)
        return; // still never, for all we told
    publish_record(event, before, kUnknownStream);
}

inline void publish_complete(EventSlot &event, uint64_t word) noexcept {
    event.complete.store(word_ticket(word), std::memory_order_release);
}

} // namespace gs
