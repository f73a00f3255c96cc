// SPDX-License-Identifier: Apache-2.0
// E4: what a synchronize or a complete query proves. A thread that has waited for a stream knows that its own earlier records
// there are complete, those of streams that this one waited for included, and asks the driver about none of them again. See
// docs/adr/0028-what-a-synchronize-proves.md.
//
// All of it is the thread's own: it made the records and the wait, one after the other. So no other thread has to be
// considered, and a record costs three plain stores.
#pragma once

#include "base/testing.hpp"
#include "base/thread_block.hpp"
#include "core/event/elision.hpp"
#include "core/stream/captured.hpp"

namespace gs {

inline uint64_t this_call(const ThreadBlock &thread) noexcept {
    return thread.call_seq.load(std::memory_order_relaxed);
}

inline ThreadProofs::Record *records_of(ThreadBlock &thread, const EventSlot &event) noexcept {
    return thread.proofs.records[reinterpret_cast<uintptr_t>(&event) / sizeof(EventSlot) % ThreadProofs::kRecordSets];
}
// The thread's record of the event, if that is the one of this word; nullptr: it is not, or was forgotten.
inline const ThreadProofs::Record *find_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
    const ThreadProofs::Record *record = records_of(thread, event);
    if (record->event != &event) ++record;
    return record->event == &event && record->word == word ? record : nullptr;
}

// The thread's record of the event has been published as this word. Schedules go without: what is one thread's own has no
// interleavings, and one of the seeded bugs gives two threads the same block.
inline void note_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
#if defined(GPUSTREAM_SCHEDULED)
    return (void)thread, (void)event, (void)word;
#endif
    ThreadProofs::Record *record = records_of(thread, event);
    if (record->event != &event && (record[1].event == &event || record[1].call < record->call)) ++record;
    *record = {&event, word, this_call(thread)};
}

inline ThreadProofs::DeviceDone &done_of(ThreadBlock &thread, const Device &device) noexcept {
    return thread.proofs.devices[static_cast<uint32_t>(device.index) % ThreadProofs::kDevices];
}

// The number of the thread's call that made the record of this word; 0: it is not this thread's, or was forgotten. Records that
// a capture of other code may have taken in prove nothing: such a capture ends without having run them.
inline uint64_t call_of_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
    if (event.traits.load(std::memory_order_relaxed) & (kEventForeign | kEventReachable)) return 0;
    const ThreadProofs::Record *record = find_record(thread, event, word);
    return record ? record->call : 0;
}

// What the thread has waited for since its call `call` proves that call's record complete.
inline bool is_proven_since(ThreadBlock &thread, const EventSlot &event, uint64_t word, uint64_t call) noexcept {
    if (call >= thread.proofs.newest && !GS_BUG(ProofOfLaterRecords)) return false;
    const uint32_t stream = word_stream(word);
    const ThreadProofs::StreamDone *done = thread.proofs.streams[stream % ThreadProofs::kStreamSets];
    if (done->stream != stream) ++done;
    if (done->stream == stream && (call < done->call || GS_BUG(ProofOfLaterRecords))) return may_elide();
    const Device *device = event.device.load(std::memory_order_relaxed);
    const ThreadProofs::DeviceDone &all = done_of(thread, *device);
    return all.device == device && call < all.call && may_elide();
}
inline bool is_proven(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
    const uint64_t call = call_of_record(thread, event, word);
    return call != 0 && is_proven_since(thread, event, word, call);
}

// Of a call that began with the number `call`: the stream, or all of the device, is done.
void prove_stream(ThreadBlock &thread, uint32_t stream, uint64_t call) noexcept;
void prove_device(ThreadBlock &thread, const Device &device, uint64_t call) noexcept;
// The event is complete, and if no other thread has used it, so that the driver meant the record of this word, also what the
// thread had submitted to the stream before it.
void prove_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept;

// A join of a capture orders nothing that runs.
inline bool may_be_in_capture(const StreamSlot &stream) noexcept {
    return stream.reachable.load(std::memory_order_relaxed) || capture_guard() != nullptr;
}

inline void add_join(ThreadBlock &thread, const StreamSlot &stream, uint32_t other, uint64_t other_call) noexcept {
    if (stream.uid == kUnknownStream || other == kUnknownStream || stream.uid == other) return;
    ThreadProofs &proofs = thread.proofs;
    proofs.joins[proofs.next_join++ % ThreadProofs::kJoins] = {stream.uid, other, this_call(thread), other_call};
}

// The driver has just been called about the event, and may have meant a record of another thread or of other code that is not
// published yet. The thread that makes such a record has changed the owner before, and other code the traits; what a driver says of
// a record comes after that, as what the host reads next comes after the work.
inline bool is_only_ours(const ThreadBlock &thread, const EventSlot &event) noexcept {
    return event.owner.load(std::memory_order_relaxed) == thread.id &&
           (event.traits.load(std::memory_order_relaxed) & (kEventForeign | kEventReachable)) == 0;
}

// The driver has the wait of the stream for the record of this word, which the thread's call `call` made, or for what the thread
// had submitted to the other stream so far. Not in captures, where nothing runs, and not of events that several threads use.
inline void note_join(ThreadBlock &thread, const StreamSlot &stream, const EventSlot &event, uint64_t word,
                      uint64_t call) noexcept {
    if (!may_be_in_capture(stream) && is_only_ours(thread, event))
        add_join(thread, stream, word_stream(word), call + 1);
}
void note_stream_join(ThreadBlock &thread, const StreamSlot &stream, const StreamSlot &other) noexcept;

} // namespace gs
