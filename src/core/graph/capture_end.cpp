// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "core/graph/capture_calls.hpp"
#include "core/graph/capture_support.hpp"
#include "core/graph/graph_life.hpp"

namespace gs {
namespace {

// A capture into a body has ended. If the outermost graph was destroyed during the capture, it ends now and is returned: its
// slots are to be given back without the mutex.
GraphSlot *leave_body(ThreadBlock &thread, GraphSlot &body) noexcept {
    GraphSlot &root = *body.root.load(std::memory_order_relaxed);
    body.body_captured = false;
    --root.bodies_captured;
    if (!root.borrowed || root.captured_into()) return nullptr;
    end_handles(root);
    if (root.owned) destroy_native(thread, root, root.native);
    return &root;
}

Status refuse_body_without_graph() noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "the graph that has the body was destroyed during the capture");
}

// Of a capture whose graph no caller has seen, so that no other thread can have it.
uint64_t hand_over_unseen(std::unique_ptr<Capture> capture, uintptr_t native) noexcept {
    GraphSlot &graph = *capture->unseen;
    graph.spare = capture.release();
    graph.borrowed = false;
    graph.use = GraphUse::Free;
    graph.native = native;
    return publish_graph(graph);
}

// Of a capture that has ended well: its graph becomes the caller's.
Status hand_over(ThreadBlock &thread, const Capture &capture, uintptr_t native, uint64_t *out_graph) noexcept {
    GraphSlot *ended = nullptr;
    {
        LockedGraph graph;
        // The capture keeps it. If another thread has ended both by now, claim_end() says so.
        if (!graph.find(capture.graph).ok()) return kOk;
        if (graph->use == GraphUse::Inside)
            ended = leave_body(thread, *graph); // borrowed from its parent, as before
        else
            own_graph(*graph, native);
    }
    if (ended) {
        give_graph_slots(*ended);
        return refuse_body_without_graph();
    }
    *out_graph = capture.graph;
    return kOk;
}

// What is left of a capture's graph: nothing, or all of it, where the driver ends it by itself or other code has it.
enum class InDriver { Ended, LeftAlone };

// Of a capture that has ended without a graph, or whose graph (native) is not wanted.
void discard(ThreadBlock &thread, const Capture &capture, uintptr_t native,
             InDriver in_driver = InDriver::Ended) noexcept {
    if (capture.unseen) {
        if (native != 0) destroy_native(thread, *capture.unseen, native);
        give_graph_slot(*capture.unseen);
        return;
    }
    GraphSlot *ended = nullptr;
    {
        LockedGraph graph;
        if (!graph.find(capture.graph).ok()) return; // one-sided: the capture keeps its graph
        if (graph->use == GraphUse::Inside) {
            ended = leave_body(thread, *graph);
        } else {
            graph->use = GraphUse::Free;
            if (!graph->borrowed) return;     // its owners have it
            if (graph->bodies_captured > 0) { // of a thread that has ended: the last capture into a body ends it
                graph->owned = false;
                return;
            }
            end_handles(*graph);
            if (capture.to_graph && in_driver == InDriver::Ended) native = graph->owned ? graph->native : 0;
            if (native != 0) destroy_native(thread, *graph, native);
            ended = &*graph;
        }
    }
    if (ended) give_graph_slots(*ended);
}

// Ends the driver's capture and takes it out of the table. The call may have failed although *out_ended is there; without that
// the capture goes on, or another thread ends it.
Status end_in_driver(ThreadBlock &thread, StreamSlot &stream, Graphs &graphs, uint64_t number, uintptr_t *out_native,
                     std::unique_ptr<Capture> *out_ended) noexcept {
    if (!claim_end(number)) return refuse_idle(stream);
    const Status status = graphs.capture_end(thread, stream.ref(), out_native);
    bool over = true;
    if (!status.ok()) {
        const gs_error_info_t failure = thread.pending;
        StreamCapture now;
        // If the driver cannot be asked either, as on a lost device, nothing is left of the capture.
        if (graphs.capture(thread, stream.ref(), &now).ok()) over = !now.capturing();
        thread.pending = failure;
    }
    if (over)
        out_ended->reset(take_capture(number));
    else
        give_up_end(number);
    return status;
}

// The text of a failed end says who broke the capture.
void explain(ThreadBlock &thread, const CaptureBreak &broken) noexcept {
    if (broken.code == 0) return;
    gs_error_info_t &pending = thread.pending;
    char driver[sizeof pending.message];
    std::memcpy(driver, pending.message, sizeof driver);
    char stream[32] = "";
    if (broken.stream != 0) std::snprintf(stream, sizeof stream, " on stream %#" PRIx64, broken.stream);
    std::snprintf(pending.message, sizeof pending.message, "the capture was broken by %s() of thread %" PRIu64 "%s: %s",
                  broken.function, broken.thread, stream, driver);
}

// The end of a capture may end its graph, and the bodies of it that other streams are captured into.
Status refuse_open_bodies(const CaptureFacts &capture) noexcept {
    if (capture.graph == 0) return kOk; // which no caller has seen
    LockedGraph graph;
    // The capture keeps it. If another thread has ended both by now, claim_end() says so.
    if (!graph.find(capture.graph).ok() || graph->bodies_captured == 0) return kOk;
    return fail(GS_ERROR_CAPTURING, "a stream is being captured into a body of the graph: that capture must end first");
}

// Of a capture that other code has ended, which has its graph. False: another thread is ending it.
bool forget(ThreadBlock &thread, uint64_t number) noexcept {
    if (!claim_end(number)) return false;
    const std::unique_ptr<Capture> ended(take_capture(number));
    discard(thread, *ended, 0, InDriver::LeftAlone);
    return true;
}

// The stream is captured, but did not begin a capture through the library.
Status refuse_to_end(ThreadBlock &thread, const StreamCapture &now, const StreamSlot &stream) noexcept {
    if (!now.capturing()) return refuse_idle(stream);
    CaptureFacts other;
    bool found = false;
    GS_TRY(find_capture(thread, now.id, &other, &found));
    if (found)
        return fail(GS_ERROR_CAPTURING, "the stream joined a capture that stream %#" PRIx64 " began and must end",
                    other.origin);
    return fail(GS_ERROR_CAPTURING, "the capture was begun by other code, which must end it");
}

} // namespace

Status end_capture(ThreadBlock &thread, StreamSlot &stream, uint64_t *out_graph) noexcept {
    Graphs *graphs = nullptr;
    GS_TRY(graphs_of(*stream.device, &graphs));
    CaptureFacts known;
    if (!find_begun(thread, stream, &known)) {
        StreamCapture now;
        if (stream.kind != StreamKind::Default) GS_TRY(graphs->capture(thread, stream.ref(), &now));
        return refuse_to_end(thread, now, stream);
    }
    if (known.mode != GS_CAPTURE_RELAXED && known.serial != thread.serial)
        return fail(GS_ERROR_CAPTURING, "thread %" PRIu64 " began the capture and must end it; any thread may abort it",
                    known.thread);
    GS_TRY(refuse_open_bodies(known));
    uintptr_t native = 0;
    std::unique_ptr<Capture> ended;
    const Status status = end_in_driver(thread, stream, *graphs, known.number, &native, &ended);
    if (!ended) return status;
    if (status.ok()) {
        const Status health = check_health(stream);
        if (health.ok() && ended->unseen) {
            *out_graph = hand_over_unseen(std::move(ended), native);
            return kOk;
        }
        if (health.ok()) return hand_over(thread, *ended, native, out_graph);
        const gs_error_info_t lost = thread.pending;
        discard(thread, *ended, native); // a graph of work that can never run
        thread.pending = lost;
        return health;
    }
    const gs_error_info_t failure = thread.pending;
    discard(thread, *ended, 0);
    thread.pending = failure;
    explain(thread, ended->broken);
    return status;
}

Status abort_capture(ThreadBlock &thread, StreamSlot &stream) noexcept {
    Graphs *graphs = nullptr;
    GS_TRY(graphs_of(*stream.device, &graphs));
    CaptureFacts known;
    if (!find_begun(thread, stream, &known)) {
        StreamCapture now;
        if (stream.kind != StreamKind::Default) GS_TRY(graphs->capture(thread, stream.ref(), &now));
        return refuse_to_end(thread, now, stream);
    }
    GS_TRY(refuse_open_bodies(known));
    uintptr_t native = 0;
    std::unique_ptr<Capture> ended;
    const Status status = end_in_driver(thread, stream, *graphs, known.number, &native, &ended);
    if (!ended) return status;
    const gs_error_info_t failure = thread.pending;
    discard(thread, *ended, native);
    thread.pending = failure;
    // A broken capture, or one that is not whole, has been ended as asked.
    return status.code == GS_ERROR_CAPTURING ? kOk : status;
}

Status forget_ended(ThreadBlock &thread, const StreamSlot &stream, uint64_t last) noexcept {
    CaptureFacts known;
    if (!find_begun(thread, stream, &known) || known.number > last) return kOk;
    return forget(thread, known.number)
               ? kOk
               : fail(GS_ERROR_CAPTURING, "another thread is ending the capture that the stream began");
}

void forget_ended_on(const Device &device) noexcept {
    ThreadBlock &thread = *this_thread();
    const gs_error_info_t before = thread.pending;
    for (CaptureFacts known; next_on(device, known.number, &known);) {
        StreamCapture now;
        if (!ask_stream(thread, known, &now)) continue; // it counts as one that goes on
        const bool another = known.id != 0 && now.id != 0 && known.id != now.id;
        if (now.state == GS_CAPTURE_STATE_NONE || another) forget(thread, known.number);
    }
    thread.pending = before;
}

void forget_orphans() noexcept {
    while (const auto orphan = std::unique_ptr<Capture>(take_orphan()))
        discard(*this_thread(), *orphan, 0, InDriver::LeftAlone);
}

bool give_up_capture(StreamSlot &stream) noexcept {
    ThreadBlock &thread = *this_thread();
    CaptureFacts known;
    if (find_begun(thread, stream, &known)) return abort_capture(thread, stream).ok();
    Graphs *graphs = nullptr;
    StreamCapture now;
    if (!graphs_of(*stream.device, &graphs).ok() || !graphs->capture(thread, stream.ref(), &now).ok()) return false;
    bool found = now.state != GS_CAPTURE_STATE_ACTIVE;
    return found || (find_capture(thread, now.id, &known, &found).ok() && found);
}

} // namespace gs
