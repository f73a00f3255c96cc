// SPDX-License-Identifier: Apache-2.0
// Records, waits for and queries events, inline up to the driver call. All of them run under the caller's CallMark.
//
// When a driver call can be omitted. E1: never recorded (always). E2: the record is on the waiting stream itself.
// E3: the record is known to be complete. GPUSTREAM_ELIDE=0 turns E2 and E3 off.
//
// Two rules keep this sound. A record is published only after its driver call returned 0, by compare-exchange against the word
// that was read before the call: a recorder that lost a race publishes "unknown stream". And `complete` is only set to the
// ticket that was read before a query that succeeded.
#pragma once

#include "core/slots.hpp"
#include "core/stream/captured.hpp"

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
    while (!event.word.compare_exchange_weak(expected, record_word(kUnknownStream, word_ticket(expected) + 1),
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

// What a wait for an event that was never recorded does: one mode per process.
extern std::atomic<int32_t> g_unrecorded_mode __attribute__((visibility("hidden")));

inline bool unrecorded_waits_are_silent() noexcept {
    return g_unrecorded_mode.load(std::memory_order_relaxed) == GS_UNRECORDED_IGNORE;
}

// OK, in mode "warn" after a warning; NOT_RECORDED in mode "error".
Status unrecorded_wait(const EventSlot &event) noexcept __attribute__((cold));

// Binds the event to the device of its first record or export. DEVICE_MISMATCH: it is bound to another one.
Status bind_event(EventSlot &event, Device &device) noexcept __attribute__((cold));
// Records an event whose record is held: another driver event takes the place of the held one.
Status record_if_held(ThreadBlock &thread, EventSlot &event, StreamSlot &stream, bool *out_recorded) noexcept
    __attribute__((cold));
// Records an event that is EXTERNAL, known outside, or whose record is held.
Status record_slowly(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept __attribute__((cold));
// record_event and wait_event for EXTERNAL events, which become nodes of the graph in a stream that is being captured.
Status record_external(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept __attribute__((cold));
Status wait_external(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept __attribute__((cold));
// The event has no record yet: only the launches of a captured graph have to wait for one. Else the mode decides.
Status wait_unrecorded(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept __attribute__((cold));
// If the stream is being captured, a node of the graph is about to refer to the driver event, which must serve no other owner
// while the graph lives. Until the node is there, the pin keeps the capture.
Status keep_if_captured(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out,
                        bool *out_capturing) noexcept __attribute__((cold));
Status refuse_other_backend(const EventSlot &event, const StreamSlot &stream) noexcept __attribute__((cold));
// Of an event of another device than the stream's. Drivers crash on an event whose context was reset.
inline Status check_home(const Device &home, const EventSlot &event, const StreamSlot &stream) noexcept {
    return home.backend == stream.backend ? check_health(home) : refuse_other_backend(event, stream);
}
// wait_event and query_event where the library does not know the answer.
Status wait_by_driver(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept;
Status query_by_driver(ThreadBlock &thread, Device &device, EventSlot &event, uint64_t word,
                       int32_t *out_done) noexcept;

// The stream has recorded the event, while a capture is in progress.
void publish_in_capture(const CaptureGuard &guard, ThreadBlock &thread, EventSlot &event, StreamSlot &stream,
                        uint64_t before) noexcept __attribute__((cold));
// The stream has recorded the event.
[[gnu::always_inline]] inline void publish_record_of(ThreadBlock &thread, EventSlot &event, StreamSlot &stream,
                                                     uint64_t before) noexcept {
    note_reach(stream, event);
    if (const CaptureGuard *guard = capture_guard()) return publish_in_capture(*guard, thread, event, stream, before);
    publish_record(event, before, stream.uid);
}

// After mark_used(stream).
[[gnu::always_inline]] inline Status record_bound(ThreadBlock &thread, EventSlot &event, StreamSlot &stream,
                                                  bool external) noexcept {
    const uint64_t before = event.word.load(std::memory_order_acquire);
    thread.counters.records.add();
    // As in model first_record_is_seen_whole.
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    const Status status = external ? stream.backend->event_record(thread, native, stream.ref(), true)
                                   : stream.backend->record_on_healthy(thread, native, stream.ref());
    if (!status.ok()) {
        spoil_record(event, before);
        return status;
    }
    publish_record_of(thread, event, stream, before);
    return kOk;
}

[[gnu::always_inline]] inline Status record_event(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    GS_TRY(check_health(stream));
    if (event.device.load(std::memory_order_acquire) != stream.device) GS_TRY(bind_event(event, *stream.device));
    // EXTERNAL events are foreign too.
    if (event.traits.load(std::memory_order_relaxed) & (kEventForeign | kEventHeld))
        return record_slowly(thread, event, stream);
    mark_used(stream);
    return record_bound(thread, event, stream, false);
}

[[gnu::always_inline]] inline Status wait_event(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    GS_TRY(check_health(stream));
    const uint64_t word = event.word.load(std::memory_order_acquire);
    if (never_recorded(word))
        return (event.flags & GS_EVENT_EXTERNAL) || !unrecorded_waits_are_silent()
                   ? wait_unrecorded(thread, stream, event)
                   : kOk;
    Device &device = *event.device.load(std::memory_order_acquire);
    if (&device != stream.device) GS_TRY(check_home(device, event, stream));
    thread.counters.waits.add();
    if (!wait_is_void(event, word, stream)) return wait_by_driver(thread, stream, event);
    thread.counters.elided_waits.add();
    return kOk;
}

inline Status query_event(ThreadBlock &thread, EventSlot &event, int32_t *out_done) noexcept {
    const uint64_t word = event.word.load(std::memory_order_acquire);
    thread.counters.queries.add();
    if (never_recorded(word)) {
        *out_done = 1;
        return kOk;
    }
    Device &device = *event.device.load(std::memory_order_acquire);
    GS_TRY(check_health(device));
    if (!known_complete(event, word)) return query_by_driver(thread, device, event, word, out_done);
    thread.counters.elided_queries.add();
    *out_done = 1;
    return kOk;
}

} // namespace gs
