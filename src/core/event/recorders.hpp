// SPDX-License-Identifier: Apache-2.0
// Which threads record an event. The thread that made it publishes its records by a plain store for as long as no other one
// records it; the first record of another thread ends that, and from then on all of them publish by compare-exchange.
//
// It ends by a membarrier and a look at the blocks of all threads, so that the usual record pays nothing for it: either the event's
// maker sees that it is no longer alone, or the other thread sees that it is about to publish and waits for that, a few
// instructions. Threads that only query the event or wait for it end nothing. Model two_records_race tries two threads,
// tests/schedule/event_record_test.cpp three.
#pragma once

#include "core/event/elision.hpp"
#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

// The thread's own event, which no other one records.
inline bool records_alone(const ThreadBlock &thread, const EventSlot &event) noexcept {
    return (event.owner.load(std::memory_order_relaxed) & ~kUsedByOthers) == thread.id;
}

// Before a thread that is not the event's maker, or code that records unseen, changes the record's word.
void end_being_alone(EventSlot &event) noexcept __attribute__((cold));
// Before the thread looks at the word that it will replace.
inline void join_recorders(const ThreadBlock &thread, EventSlot &event) noexcept {
    const uint32_t owner = event.owner.load(std::memory_order_acquire);
    if ((owner & ~kUsedByOthers) != thread.id && owner != kManyOwners) end_being_alone(event);
}

// The same as publish_record(), out of line.
uint64_t publish_beside_others(EventSlot &event, uint64_t before, uint32_t stream_uid) noexcept;
// publish_record() for a thread that has joined the recorders.
[[gnu::always_inline]] inline uint64_t publish_own_record(ThreadBlock &thread, EventSlot &event, uint64_t before,
                                                          uint32_t stream_uid) noexcept {
    if (!g_light_marks.load(std::memory_order_relaxed)) // one-sided: as the kernel has it
        return publish_beside_others(event, before, stream_uid);
    thread.publishing.store(&event, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // for the compiler; see model two_records_race
    // A call inside the driver's may have recorded the event, too.
    if ((records_alone(thread, event) || GS_BUG(AloneBeyondTheEnd)) &&
        event.word.load(std::memory_order_relaxed) == before) {
        const uint64_t after = record_word(stream_uid, word_ticket(before) + 1);
        event.word.store(after, std::memory_order_release);          // model first_record_is_seen_whole
        thread.publishing.store(nullptr, std::memory_order_release); // model two_records_race
        return after;
    }
    thread.publishing.store(nullptr, std::memory_order_relaxed);
    return publish_beside_others(event, before, stream_uid);
}

} // namespace gs
