// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "core/graph/capture_calls.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

// The end of a capture. Its graph is locked from before the driver's end until the graph has an owner or is gone, so that no
// other thread uses it in between.
struct Ending {
    struct Slots {
        GraphSlot *of = nullptr;
        ~Slots() {
            if (of) give_graph_slots(*of);
        }
    };
    Slots left; // what to give back, once the graph is unlocked
    LockedGraph graph;
    uintptr_t native = 0; // of a capture that has ended well
    std::unique_ptr<Capture> capture;
};

// False: another thread is ending the capture, or has ended it.
bool claim(uint64_t number, Ending *out) noexcept {
    uint64_t graph = 0;
    if (!claim_end(number, &graph)) return false;
    if (graph != 0) out->graph.find(graph).ignore(); // the capture keeps it
    return true;
}

// A capture into a body has ended. If the outermost graph was destroyed during the capture, it ends now: true.
bool leave_body(ThreadBlock &thread, Ending &ending) noexcept {
    GraphSlot &root = *ending.graph->root.load(std::memory_order_relaxed);
    ending.graph->body_captured = false;
    --root.bodies_captured;
    if (!root.borrowed || root.captured_into()) return false;
    end_handles(root);
    if (root.owned) destroy_native(thread, root, root.native);
    ending.left.of = &root;
    return true;
}

Status refuse_body_without_graph() noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "the graph that has the body was destroyed during the capture");
}

// Of a capture whose graph is unseen by callers, so that no other thread can have it.
uint64_t hand_over_unseen(Ending &ending) noexcept {
    GraphSlot &graph = *ending.capture->unseen;
    ending.capture->memory.clear(); // its memory is used again without a destructor
    graph.spare = ending.capture.release();
    graph.borrowed = false;
    graph.use = GraphUse::Free;
    graph.native = ending.native;
    return publish_graph(graph);
}

// Of a capture that has ended well: its graph becomes the caller's.
Status hand_over(ThreadBlock &thread, Ending &ending, uint64_t *out_graph) noexcept {
    const uint64_t handle = ending.capture->graph;
    if (handle == 0) {
        *out_graph = hand_over_unseen(ending);
        return kOk;
    }
    if (ending.graph->use != GraphUse::Inside)
        own_graph(*ending.graph, ending.native);
    else if (leave_body(thread, ending)) // else borrowed from its parent, as before
        return refuse_body_without_graph();
    *out_graph = handle;
    return kOk;
}

// What is left of a capture's graph: nothing, or all of it, where the driver ends it by itself or other code has it.
enum class InDriver { Ended, LeftAlone };

// Of a capture that has ended without a graph, or whose graph is not wanted.
void discard(ThreadBlock &thread, Ending &ending, InDriver in_driver = InDriver::Ended) noexcept {
    if (GraphSlot *unseen = ending.capture->unseen) {
        if (ending.native != 0) destroy_native(thread, *unseen, ending.native);
        return give_graph_slot(*unseen);
    }
    if (!ending.graph.found()) return; // one-sided: the capture keeps its graph
    GraphSlot &graph = *ending.graph;
    if (graph.use == GraphUse::Inside) {
        (void)leave_body(thread, ending);
        return;
    }
    graph.use = GraphUse::Free;
    if (!graph.borrowed) return;     // its owners have it
    if (graph.bodies_captured > 0) { // of a thread that has ended: the last capture into a body ends it
        graph.owned = false;
        return;
    }
    end_handles(graph);
    uintptr_t native = ending.native;
    if (ending.capture->to_graph && in_driver == InDriver::Ended) native = graph.owned ? graph.native : 0;
    if (native != 0) destroy_native(thread, graph, native);
    ending.left.of = &graph;
}

// Ends the driver's capture and takes it out of the table. The call may have failed although ending.capture is there; without
// that the capture goes on, or another thread ends it.
Status end_in_driver(ThreadBlock &thread, StreamSlot &stream, Graphs &graphs, uint64_t number,
                     Ending &ending) noexcept {
    if (!claim(number, &ending)) return refuse_idle(stream);
    // The end of a capture may end its graph, and the bodies of it that other streams are captured into.
    if (ending.graph.found() && ending.graph->bodies_captured > 0) {
        give_up_end(number);
        return fail(GS_ERROR_CAPTURING,
                    "a stream is being captured into a body of the graph: that capture must end first");
    }
    const Status status = graphs.capture_end(thread, stream.ref(), &ending.native);
    bool over = true;
    if (!status.ok()) {
        const gs_error_info_t failure = thread.pending;
        StreamCapture now;
        // If this query fails too, as on a lost device, the capture is gone.
        if (graphs.capture(thread, stream.ref(), &now).ok()) over = !now.capturing();
        thread.pending = failure;
    }
    if (over)
        ending.capture.reset(take_capture(number));
    else
        give_up_end(number);
    return status;
}

// A stream that was not joined is one of those that joined.
void name_joined(ThreadBlock &thread, const uint64_t (&joined)[4]) noexcept {
    char(&text)[sizeof thread.pending.message] = thread.pending.message;
    for (const uint64_t &handle : joined) {
        if (handle == 0) break;
        const size_t used = std::strlen(text);
        std::snprintf(text + used, sizeof text - used, "%s%s",
                      &handle == joined ? "; the streams that joined the capture are " : ", ",
                      describe_object(handle).text);
    }
}

// The text of a failed end says who broke the capture, or which streams to join.
void explain(ThreadBlock &thread, const Capture &capture) noexcept {
    const CaptureBreak &broken = capture.broken;
    if (broken.code == 0) return name_joined(thread, capture.joined);
    gs_error_info_t &pending = thread.pending;
    char driver[sizeof pending.message];
    std::memcpy(driver, pending.message, sizeof driver);
    char stream[32] = "";
    if (broken.stream != 0) std::snprintf(stream, sizeof stream, " on stream %#" PRIx64, broken.stream);
    std::snprintf(pending.message, sizeof pending.message, "the capture was broken by %s() of thread %" PRIu64 "%s: %s",
                  broken.function, broken.thread, stream, driver);
}

// Of a capture that other code has ended, which has its graph. False: another thread is ending it.
bool forget(ThreadBlock &thread, uint64_t number) noexcept {
    Ending ending;
    if (!claim(number, &ending)) return false;
    ending.capture.reset(take_capture(number));
    discard(thread, ending, InDriver::LeftAlone);
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

// What the stream began. A failure where other code began the capture, or there is none.
Status find_to_end(ThreadBlock &thread, StreamSlot &stream, Graphs **graphs, CaptureFacts *known) noexcept {
    GS_TRY(graphs_of(*stream.device, graphs));
    if (find_begun(thread, stream, known)) return kOk;
    StreamCapture now;
    if (stream.kind != StreamKind::Default) GS_TRY((*graphs)->capture(thread, stream.ref(), &now));
    return refuse_to_end(thread, now, stream);
}

} // namespace

Status end_capture(ThreadBlock &thread, StreamSlot &stream, uint64_t *out_graph) noexcept {
    Graphs *graphs = nullptr;
    CaptureFacts known;
    GS_TRY(find_to_end(thread, stream, &graphs, &known));
    if (known.mode != GS_CAPTURE_RELAXED && known.serial != thread.serial)
        return fail(GS_ERROR_CAPTURING, "thread %" PRIu64 " began the capture and must end it; any thread may abort it",
                    known.thread);
    free_what_waited(thread, stream, known.number);
    Ending ending;
    const Status status = end_in_driver(thread, stream, *graphs, known.number, ending);
    if (!ending.capture) return status;
    const Status ended = status.ok() ? check_health(stream) : status;
    if (ended.ok()) return hand_over(thread, ending, out_graph);
    const gs_error_info_t failure = thread.pending;
    discard(thread, ending); // on a lost device it is a graph of work that can never run
    thread.pending = failure;
    if (!status.ok()) explain(thread, *ending.capture);
    return ended;
}

Status abort_capture(ThreadBlock &thread, StreamSlot &stream) noexcept {
    Graphs *graphs = nullptr;
    CaptureFacts known;
    GS_TRY(find_to_end(thread, stream, &graphs, &known));
    Ending ending;
    const Status status = end_in_driver(thread, stream, *graphs, known.number, ending);
    if (!ending.capture) return status;
    const gs_error_info_t failure = thread.pending;
    discard(thread, ending);
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
    while (Capture *orphan = take_orphan()) {
        Ending ending;
        ending.capture.reset(orphan);
        if (orphan->graph != 0) ending.graph.find(orphan->graph).ignore();
        discard(*this_thread(), ending, InDriver::LeftAlone);
    }
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
