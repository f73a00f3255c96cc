// SPDX-License-Identifier: Apache-2.0
// A timeline, its signals that have not happened yet, and the streams that wait for its word.
//
// Every access takes the slot's lock and compares the handle. The word always stays the slot's. A slot is used again
// once nothing in a stream refers to its word any more: an old write would set the next timeline back, and an old wait
// would hang.
#pragma once

#include "base/brief_lock.hpp"
#include "core/completion/point.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {

struct TimelineSlot;
struct SharedTimeline;

inline constexpr uint64_t kNarrowReach = uint64_t{1} << 31; // how far words of 32 bits compare

// A signal that was accepted for a stream. Point: its event, once the timeline has ended.
struct TimelineSignal : Point {
    TimelineSlot *timeline = nullptr;
    uint64_t value = 0;
    uint64_t stream = 0;    // key
    uint64_t behind = 0;    // its stream waits for this value of the timeline first
    uint64_t note = 0;      // of order.hpp; 0: it happens whatever else does
    uint64_t wait_note = 0; // of the wait for the signal before it
    uintptr_t done = 0;     // event behind the signal; 0: not submitted, or its record failed
    Device *done_device = nullptr;
    bool submitted = false;
    bool written = false; // its stream writes the word, or the host has done so since it happened
    bool watched = false; // the scanner has it
    uint32_t pins = 0;    // calls that make a stream wait for the event
    TimelineSignal *next = nullptr;
    TimelineSignal *previous = nullptr;
};

// A stream that waits for the word, and an event behind the last of these waits.
struct WordUser {
    uint64_t stream = 0;
    Device *device = nullptr;
    uintptr_t event = 0;
    bool unmarked = false; // the record behind one of its waits has failed: the event does not tell
    WordUser *next = nullptr;
};

// A thread in synchronize_timeline().
struct TimelineWaiter {
    std::atomic<uint32_t> *signal;
    TimelineWaiter *next;
};

struct alignas(64) TimelineSlot : SlotBase {
    BriefLock mutex; // guards all below and `handle` of SlotBase, but the word itself
    Mutex turn;      // of calls that submit a signal, taken before `mutex`
    Device *device = nullptr;
    Word word;
    bool narrow = false;           // the device's words have 32 bits
    std::atomic<uint64_t> last{0}; // narrow, shared: as it was last seen; of a narrow one it gives the upper half
    std::atomic<bool> interprocess{false}; // `shared` is set; for those who have no lock
    std::atomic<gs_status_t> aborted{GS_OK};
    bool lost = false;                     // it is not known when streams pass the word: it is not used again
    uint64_t first = 0;                    // the value that the timeline began with, as this process knows it
    uint64_t highest_wait = 0;             // narrow: the end must be above it
    uint32_t inside = 0;                   // calls that use the slot without the lock
    bool writes = false;                   // from now on every signal is written into the word
    std::atomic<uint32_t> unwritten{0};    // signals that are listed and not written; atomic for a dump
    uint32_t ask_at = 0;                   // so many of them, and a signal asks the driver about an old one
    uint64_t accepted = 0;                 // signals, since the timeline was made
    uint64_t asked = 0;                    // looks at the value that had to ask the driver
    TimelineSignal *signals = nullptr;     // by value
    TimelineSignal *last_signal = nullptr; // where streams signal and wait, as a rule
    TimelineSignal *waited_for = nullptr;  // found last for a wait: the next wait is for its neighbour, as a rule
    uint64_t only_stream = 0;              // key of the stream of all signals; 0: they are of several
    TimelineSignal *spare = nullptr;
    bool spare_events = false; // some of these may have one
    WordUser *users_of_word = nullptr;
    TimelineWaiter *waiters = nullptr;
    SharedTimeline *shared = nullptr; // of an interprocess timeline, whose word is another one each time
    // Of another API: the backend's semaphore, which stands for the word. What follows: the last signal of this process.
    std::atomic<uintptr_t> semaphore{0}; // atomic for those who have no lock
    uint64_t signalled = 0;
    uint64_t signaller = 0;       // key of its stream
    TimelineSlot *next = nullptr; // of the lists of free and of ended slots
};

// Of another API, which a thread can neither look at nor signal. Any thread.
inline bool is_semaphore(const TimelineSlot &slot) noexcept {
    return slot.semaphore.load(std::memory_order_relaxed) != 0;
}
inline uint32_t unwritten_signals(const TimelineSlot &slot) noexcept {
    return slot.unwritten.load(std::memory_order_relaxed);
}
// GS_OK, or the status of an abort, also by another process. Who has seen its end in the word sees it.
gs_status_t aborted_status(const TimelineSlot &slot) noexcept;
// The value as the word has it. Signals that are not written come into it when a caller has asked about them: see
// unwritten_signals.hpp. Any thread, for a live timeline.
uint64_t current_value_of_unusual(TimelineSlot &slot) noexcept;
inline uint64_t current_value(TimelineSlot &slot) noexcept {
    const bool usual = !slot.narrow && !slot.shared;
    return usual ? __atomic_load_n(slot.word.host, __ATOMIC_ACQUIRE) : current_value_of_unusual(slot);
}
// The same without a lock, as a dump needs it: what processes share may be unmapped, so it is as it was seen last.
uint64_t known_value(TimelineSlot &slot) noexcept;
inline bool has_reached(TimelineSlot &slot, uint64_t value) noexcept {
    return current_value(slot) >= value - (GS_TIMELINE_BUG(OneTooEarly) ? 1 : 0);
}
// Raises the word; false if it has reached the value already.
bool raise_word(TimelineSlot &slot, uint64_t value) noexcept;
// Stores what lets all waits pass. With the lock held; wake_streams() follows without it.
void end_word(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
void wake_streams(TimelineSlot &slot) noexcept;
void wake_threads(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

} // namespace gs
