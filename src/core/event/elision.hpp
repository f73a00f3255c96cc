// SPDX-License-Identifier: Apache-2.0
// When a driver call can be omitted. E1: never recorded (always). E2: the record is on the waiting stream itself.
// E3: the record is known to be complete. GPUSTREAM_ELIDE=0 turns E2 and E3 off.
//
// Two rules keep this sound. A record is published only after its driver call returned 0, by compare-exchange against the word
// that was read before the call: a recorder that lost a race publishes "unknown stream". And `complete` is only set to the
// ticket that was read before a query that succeeded.
#pragma once

#include "core/slots.hpp"

namespace gs {

bool elision_enabled() noexcept; // reads GPUSTREAM_ELIDE once

extern std::atomic<int8_t> g_elide __attribute__((visibility("hidden"))); // -1: not read yet

inline bool may_elide() noexcept {
    const int8_t state = g_elide.load(std::memory_order_relaxed);
    return state >= 0 ? state != 0 : elision_enabled();
}

inline bool never_recorded(uint64_t word) noexcept { return word_stream(word) == kNeverRecorded; }

inline bool known_complete(const EventSlot &event, uint64_t word) noexcept {
    return event.complete.load(std::memory_order_acquire) == word_ticket(word) &&
           (event.traits.load(std::memory_order_relaxed) & kEventForeign) == 0 && may_elide();
}

// The wait of this stream for the event's record would change nothing. Waits on the null, per-thread and external
// streams are never omitted: each one takes effect in them.
inline bool wait_is_void(const EventSlot &event, uint64_t word, const StreamSlot &stream) noexcept {
    if (stream.uid == kUnknownStream) return false;
    if (event.traits.load(std::memory_order_relaxed) & kEventForeign) return false;
    const bool same = word_stream(word) == stream.uid;
    const bool done = event.complete.load(std::memory_order_acquire) == word_ticket(word);
    return (same || done) && may_elide();
}

// Called after the driver's record call. before: the word that was read ahead of it.
inline void publish_record(EventSlot &event, uint64_t before, uint32_t stream_uid) noexcept {
    const uint64_t after = record_word(stream_uid, word_ticket(before) + 1);
    uint64_t expected = before;
    if (event.word.compare_exchange_strong(expected, after, std::memory_order_acq_rel)) return;
    // Another record came in between. Which of the two the driver holds is unknown.
    const uint32_t uid = GS_BUG(LostRecorderPublishes) ? stream_uid : kUnknownStream;
    while (!event.word.compare_exchange_weak(expected, record_word(uid, word_ticket(expected) + 1),
                                             std::memory_order_acq_rel)) {}
}

// The driver's record call failed; it may still have taken effect.
inline void spoil_record(EventSlot &event, uint64_t before) noexcept {
    if (never_recorded(before) && event.word.load(std::memory_order_acquire) == before) return; // still never recorded
    publish_record(event, before, kUnknownStream);
}

inline void publish_complete(EventSlot &event, uint64_t word) noexcept {
    event.complete.store(word_ticket(word), std::memory_order_release);
}

} // namespace gs
