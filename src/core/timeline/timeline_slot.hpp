// SPDX-License-Identifier: Apache-2.0
// A timeline, its signals that have not happened yet, and the streams that wait for its word.
//
// Every access takes the slot's lock and compares the handle. The word always stays the slot's. A slot is used again
// once no work in a stream refers to its word. An old write would set the next timeline back, and an old wait would
// hang.
#pragma once

#include "base/core_data.hpp"
#include "base/lock.hpp"
#include "base/ordered_set.hpp"
#include "core/completion/point.hpp"
#include "core/names.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {

struct TimelineSlot;

// A signal that was accepted for a stream. Point: its event, once the timeline has ended.
struct TimelineSignal : Point, Ordered<TimelineSignal> {
    TimelineSlot *timeline = nullptr;
    uint64_t value = 0;
    uint64_t stream = 0;    // key
    uint64_t behind = 0;    // its stream waits for this value of the timeline first
    uint64_t note = 0;      // of order.cpp; 0: it happens whatever else does
    uint64_t wait_note = 0; // of the wait for the signal before it
    uintptr_t done = 0;     // event behind the signal; 0: not submitted, or its record failed
    Device *done_device = nullptr;
    bool submitted = false;
    bool watched = false;                 // the scanner has it
    uint32_t pins = 0;                    // calls that use the event
    TimelineSignal *spare_next = nullptr; // of the records that are used again

    uint64_t key() const noexcept { return value; }
};

// A stream that waits for the word, and an event behind the last of these waits.
struct WordUser : Ordered<WordUser> {
    uint64_t stream = 0;
    Device *device = nullptr;
    uintptr_t event = 0;
    bool unmarked = false; // the record behind one of its waits has failed: the event does not tell

    uint64_t key() const noexcept { return stream; }
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
    // No stream writes the word or waits for it: signals are events, and the host raises the word for those that a thread has
    // asked about. Atomic, as `aborted` is, for those who have no lock.
    std::atomic<bool> signal_first{false};
    std::atomic<gs_status_t> aborted{GS_OK};
    bool lost = false;                  // when streams pass the word is unknown: the slot is not used again
    uint64_t first = 0;                 // the value that the timeline began with
    uint64_t highest_wait = 0;          // of streams whose waits can be part of a circle
    uint32_t inside = 0;                // calls that use the slot without the lock
    OrderedSet<TimelineSignal> signals; // by value
    TimelineSignal *spare = nullptr;
    bool spare_events = false; // some of these may have one
    OrderedSet<WordUser> users_of_word;
    TimelineWaiter *waiters = nullptr;
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
inline bool is_signal_first(const TimelineSlot &slot) noexcept {
    return slot.signal_first.load(std::memory_order_relaxed);
}
inline bool has_ended(const TimelineSlot &slot) noexcept {
    return slot.aborted.load(std::memory_order_relaxed) != GS_OK || slot.handle.load(std::memory_order_relaxed) == 0;
}
// What a dump says of a stream that hangs.
inline void note_last_wait(StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    stream.last_wait_value.store(value, std::memory_order_relaxed);
    stream.last_wait.store(handle, std::memory_order_relaxed);
}
// The value as the word has it. Any thread, for a live timeline.
inline uint64_t current_value(const TimelineSlot &slot) noexcept {
    return __atomic_load_n(slot.word.host, __ATOMIC_ACQUIRE);
}
inline bool has_reached(const TimelineSlot &slot, uint64_t value) noexcept { return current_value(slot) >= value; }

// The table of timelines: from handles to slots, and slots that wait for their next timeline.

using TimelineSlots = SlotMap<TimelineSlot, Kind::Timeline>;
GS_CORE_DATA(TimelineSlots, g_timelines);

// body(slot) under the lock of the timeline that the handle names.
inline TimelineSlot *find_timeline_slot(uint64_t handle) noexcept { return g_timelines.find(handle); }
template <typename Body>
Status with_timeline(uint64_t handle, Body &&body) noexcept GS_UNANALYSED {
    TimelineSlot *slot = find_timeline_slot(handle);
    if (!slot) return no_such_object(Kind::Timeline, handle);
    BriefGuard lock(slot->mutex);
    if (slot->handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Timeline, handle);
    return body(*slot);
}

// A slot without a timeline, of the device. May create the context.
Status take_timeline_slot(Device &device, TimelineSlot **out) noexcept;
// It gets no timeline after all, or its timeline has ended. keeps_events: of its signals.
void give_timeline_slot(TimelineSlot &slot, bool keeps_events = false) noexcept;
// The slot's next timeline, with its lock held. Returns the handle.
uint64_t begin_timeline(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
// The status of an aborted timeline, with a text.
Status check_aborted(const TimelineSlot &slot) noexcept;

// Ends a use that raised `inside`. Without the lock.
void leave_timeline(TimelineSlot &slot) noexcept;

} // namespace gs
