// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <memory>
#include <new>
#include <utility>

#include "core/graph/capture_calls.hpp"
#include "core/graph/graph_calls.hpp"

namespace gs {
namespace {

Status may_begin(ThreadBlock &thread, StreamSlot &stream, Graphs **out) noexcept {
    forget_orphans();
    GS_TRY(graphs_for(stream, out));
    if (!may_be_captured(stream)) return kOk;
    StreamCapture now;
    const uint64_t last = last_capture();
    GS_TRY((*out)->capture(thread, stream.ref(), &now));
    if (!now.capturing()) return forget_ended(thread, stream, last);
    CaptureFacts known;
    bool found = false;
    GS_TRY(find_capture(thread, now.id, &known, &found));
    if (found || find_begun(thread, stream, &known)) // one that is broken has no number
        return fail(GS_ERROR_CAPTURING,
                    "the stream takes part in a capture that thread %" PRIu64 " began on stream %#" PRIx64,
                    known.thread, known.origin);
    return fail(GS_ERROR_CAPTURING, "the stream is being captured by other code");
}

// One thread at a time begins a capture on a stream. The library ends a capture that a failed begin has left behind,
// and would take another thread's capture for that. Streams per thread share a slot, and each is its thread's own.
class Beginning {
public:
    explicit Beginning(StreamSlot &stream) noexcept : stream_(stream), own_(stream.kind == StreamKind::PerThread) {}
    ~Beginning() GS_UNANALYSED {
        // What has begun is in the table, as a record is there in model first_record_is_seen_whole.
        if (!taken_) return;
        stream_.capture_begins.store(begins_ + 2, std::memory_order_release);
        stream_.begin_lock.unlock();
    }
    Beginning(const Beginning &) = delete;
    Beginning &operator=(const Beginning &) = delete;

    Status take() noexcept GS_UNANALYSED {
        if (own_) return kOk;
        // Sees the capture of the begin before, as in model first_record_is_seen_whole.
        begins_ = stream_.capture_begins.load(std::memory_order_relaxed) & ~1u;
        taken_ = stream_.capture_begins.compare_exchange_strong(begins_, begins_ + 1, std::memory_order_acquire);
        if (!taken_) return fail(GS_ERROR_CAPTURING, "another thread is beginning a capture on the stream");
        stream_.begin_lock.lock();
        return kOk;
    }

private:
    StreamSlot &stream_;
    bool own_;
    bool taken_ = false;
    uint32_t begins_ = 0; // before
};

enum class Begun { Maybe, Yes };

// The capture has begun, or a call that failed may have begun it: nothing must be left of it.
void undo_begin(ThreadBlock &thread, StreamSlot &stream, Graphs &graphs, Begun begun, bool to_graph) noexcept {
    const gs_error_info_t first = thread.pending; // the failure to be reported
    StreamCapture now;
    const bool capturing = graphs.capture(thread, stream.ref(), &now).ok() ? now.capturing() : begun == Begun::Yes;
    uintptr_t graph = 0;
    if (capturing && graphs.capture_end(thread, stream.ref(), &graph).ok() && !to_graph)
        graphs.graph_destroy(thread, {stream.ordinal, graph}).ignore();
    thread.pending = first;
}

// Notes a capture that has just begun. Only its own thread could ask later about that of a stream per thread.
Status enter(ThreadBlock &thread, StreamSlot &stream, Graphs &graphs, std::unique_ptr<Capture> capture,
             GraphSlot *fresh) noexcept {
    capture->unseen = fresh;
    if (stream.kind == StreamKind::PerThread) {
        StreamCapture now;
        const Status status = graphs.likely_capture(thread, stream.ref(), &now);
        if (!status.ok()) {
            undo_begin(thread, stream, graphs, Begun::Yes, capture->to_graph);
            return status;
        }
        capture->id = now.id;
        if (fresh) {
            fresh->native = now.graph;
            capture->graph = publish_graph(*fresh);
            capture->unseen = nullptr;
        }
    }
    install_capture_guard();
    add_capture(*capture.release());
    return kOk;
}

std::unique_ptr<Capture> new_capture(ThreadBlock &thread, StreamSlot &stream, int32_t mode, GraphSlot *fresh) noexcept {
    std::unique_ptr<Capture> capture(fresh && fresh->spare ? new (fresh->spare) Capture : new (std::nothrow) Capture);
    if (!capture) return nullptr;
    if (fresh) fresh->spare = nullptr;
    capture->device = stream.device;
    capture->native = stream.native;
    capture->origin = stream.handle.load(std::memory_order_relaxed);
    capture->origin_blocks = stream.blocking();
    capture->mode = mode;
    capture->serial = thread.serial;
    capture->thread = os_id(thread);
    return capture;
}

Status no_capture_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another capture"); }

} // namespace

Status begin_capture(ThreadBlock &thread, StreamSlot &stream, int32_t mode) noexcept {
    Graphs *graphs = nullptr;
    // Before the capture begins, since the record that deferred functions wait for must not become part of it.
    mark_used(stream);
    Beginning beginning(stream);
    GS_TRY(beginning.take());
    GS_TRY(may_begin(thread, stream, &graphs));
    GraphSlot *fresh = nullptr;
    GS_TRY(new_graph_slot(*stream.device, &fresh));
    auto capture = new_capture(thread, stream, mode, fresh);
    if (!capture) {
        give_graph_slot(*fresh);
        return no_capture_memory();
    }
    fresh->use = GraphUse::Captured;
    fresh->borrowed = true;
    Status status = graphs->capture_begin(thread, stream.ref(), mode);
    if (status.ok())
        status = enter(thread, stream, *graphs, std::move(capture), fresh);
    else
        undo_begin(thread, stream, *graphs, Begun::Maybe, false);
    if (!status.ok()) give_graph_slot(*fresh);
    return status;
}

Status begin_capture_to(ThreadBlock &thread, StreamSlot &stream, uint64_t graph, const gs_node_t *after, size_t count,
                        int32_t mode) noexcept {
    Graphs *graphs = nullptr;
    mark_used(stream); // as above
    Beginning beginning(stream);
    GS_TRY(beginning.take());
    GS_TRY(may_begin(thread, stream, &graphs));
    auto capture = new_capture(thread, stream, mode, nullptr);
    if (!capture) return no_capture_memory();
    LockedGraph target;
    GS_TRY(target.find(graph));
    if (target->device != stream.device)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the graph is of %s device %d, the stream is on %s device %d",
                    target->device->backend->name(), target->device->ordinal, stream.backend->name(), stream.ordinal);
    if (target->use == GraphUse::Captured || target->body_captured)
        return fail(GS_ERROR_CAPTURING, "another stream is being captured into the graph");
    std::vector<uintptr_t> natives;
    GS_TRY(target->nodes.natives_of(after, count, &natives));
    capture->to_graph = true;
    capture->graph = graph;
    const Status status = graphs->capture_begin_to(thread, stream.ref(), target->native, natives.data(), count, mode);
    if (!status.ok()) {
        undo_begin(thread, stream, *graphs, Begun::Maybe, true);
        return status;
    }
    GS_TRY(enter(thread, stream, *graphs, std::move(capture), nullptr));
    if (target->use == GraphUse::Inside) {
        target->body_captured = true;
        ++target->root.load(std::memory_order_relaxed)->bodies_captured;
    } else {
        target->use = GraphUse::Captured;
    }
    return kOk;
}

} // namespace gs
