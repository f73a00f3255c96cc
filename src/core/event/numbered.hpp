// SPDX-License-Identifier: Apache-2.0
// The numbers of an event's records. Once a caller has asked for one, each record is marked while its driver call lasts: a wait
// for one record can then find out whether the driver may have seen another.
#pragma once

#include "core/event/elision.hpp"
#include "core/slots.hpp"

namespace gs {

// 0: never recorded.
inline uint64_t generation_of(const EventSlot &event, uint64_t word) noexcept {
    return never_recorded(word) ? 0 : (word_ticket(word) - event.first_ticket) & kTicketMask;
}

inline void number_records(EventSlot &event) noexcept {
    if ((event.traits.load(std::memory_order_relaxed) & kEventNumbered) == 0)
        event.traits.fetch_or(kEventNumbered, std::memory_order_seq_cst);
}

// Around the driver's record call and the publication of the record.
class RecordInProgress {
public:
    explicit RecordInProgress(EventSlot &event) noexcept : event_(event) {
        event_.recording.fetch_add(1, std::memory_order_seq_cst);
    }
    ~RecordInProgress() { event_.recording.fetch_sub(1, std::memory_order_seq_cst); }
    RecordInProgress(const RecordInProgress &) = delete;
    RecordInProgress &operator=(const RecordInProgress &) = delete;

private:
    EventSlot &event_;
};

// The event's present record is the one of this word, and no other is being made.
inline bool still_has(const EventSlot &event, uint64_t word) noexcept {
    return event.recording.load(std::memory_order_seq_cst) == 0 && event.word.load(std::memory_order_seq_cst) == word;
}

} // namespace gs
