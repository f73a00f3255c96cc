// SPDX-License-Identifier: Apache-2.0
#include "core/event/proofs.hpp"

namespace gs {
namespace {

void note_newest(ThreadBlock &thread, uint64_t call) noexcept {
    if (call > thread.proofs.newest) thread.proofs.newest = call;
}

} // namespace

void prove_stream(ThreadBlock &thread, uint32_t stream, uint64_t call) noexcept {
    if (stream == kUnknownStream) return;
    ThreadProofs::StreamDone *done = thread.proofs.streams[stream % ThreadProofs::kStreamSets];
    if (done->stream != stream && (done[1].stream == stream || done[1].call < done->call)) ++done;
    if (done->stream == stream && done->call >= call) return;
    *done = {stream, call};
    note_newest(thread, call);
    for (ThreadProofs::Join &join : thread.proofs.joins) {
        if (join.stream != stream || join.call >= call) continue;
        join.stream =
            kUnknownStream; // it has no more to tell, and two streams that wait for each other end the recursion
        prove_stream(thread, join.other, GS_BUG(ProofBeyondTheJoin) ? UINT64_MAX : join.other_call);
    }
}

void prove_device(ThreadBlock &thread, const Device &device, uint64_t call) noexcept {
    done_of(thread, device) = {&device, call};
    note_newest(thread, call);
}

void prove_record(ThreadBlock &thread, const EventSlot &event, uint64_t word) noexcept {
    const uint64_t call = call_of_record(thread, event, word);
    if (call != 0 && is_only_ours(thread, event)) prove_stream(thread, word_stream(word), call + 1);
}

void note_stream_join(ThreadBlock &thread, const StreamSlot &stream, const StreamSlot &other) noexcept {
    if (may_be_in_capture(stream) || may_be_in_capture(other)) return;
    add_join(thread, stream, other.uid, this_call(thread));
}

} // namespace gs
