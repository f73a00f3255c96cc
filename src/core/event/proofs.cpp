// SPDX-License-Identifier: Apache-2.0
#include "core/event/proofs.hpp"

namespace gs {
namespace {

// A join of a capture orders nothing that runs.
bool may_be_in_capture(const StreamSlot &stream) noexcept {
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
bool is_only_ours(const ThreadBlock &thread, const EventSlot &event) noexcept {
    return event.owner.load(std::memory_order_relaxed) == thread.id &&
           (event.traits.load(std::memory_order_relaxed) & (kEventForeign | kEventReachable)) == 0;
}

} // namespace

void prove_stream(ThreadBlock &thread, uint32_t stream, uint64_t call) noexcept {
    if (stream == kUnknownStream) return;
    ThreadProofs::StreamDone *done = thread.proofs.streams[stream % ThreadProofs::kStreamSets];
    if (done->stream != stream && (done[1].stream == stream || done[1].call < done->call)) ++done;
    if (done->stream == stream && done->call >= call) return;
    *done = {stream, call};
    for (ThreadProofs::Join &join : thread.proofs.joins) {
        if (join.stream != stream || join.call >= call) continue;
        join.stream =
            kUnknownStream; // it has no more to tell, and two streams that wait for each other end the recursion
        prove_stream(thread, join.other, GS_BUG(ProofBeyondTheJoin) ? UINT64_MAX : join.other_call);
    }
}

void prove_device(ThreadBlock &thread, const Device &device, uint64_t call) noexcept {
    done_of(thread, device) = {&device, call};
}

void prove_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
    const uint64_t call = call_of_record(thread, event, word);
    if (call != 0 && is_only_ours(thread, event)) prove_stream(thread, word_stream(word), call + 1);
}

void note_join(ThreadBlock &thread, const StreamSlot &stream, const EventSlot &event, uint64_t word,
               uint64_t call) noexcept {
    if (!may_be_in_capture(stream) && is_only_ours(thread, event))
        add_join(thread, stream, word_stream(word), call + 1);
}

void note_stream_join(ThreadBlock &thread, const StreamSlot &stream, const StreamSlot &other) noexcept {
    if (may_be_in_capture(stream) || may_be_in_capture(other)) return;
    add_join(thread, stream, other.uid, this_call(thread));
}

} // namespace gs
