// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>
#include <vector>

#include "base/log.hpp"
#include "base/sized_struct.hpp"
#include "base/status.hpp"
#include "core/graph/capture_calls.hpp"
#include "core/stream/captured.hpp"

namespace gs {
namespace {

// The capture in progress that the stream is part of and that began through the library; 0: none such.
Status capture_of(ThreadBlock &thread, const StreamSlot &stream, bool *out_capturing, uint64_t *out_id) noexcept {
    *out_capturing = false;
    *out_id = 0;
    Graphs *graphs = stream.backend->graphs();
    if (!graphs || stream.kind == StreamKind::Default) return kOk;
    StreamCapture now;
    GS_TRY(graphs->capture(thread, stream.ref(), &now));
    *out_capturing = now.capturing();
    CaptureFacts known;
    bool found = false;
    GS_TRY(find_capture(thread, now.id, &known, &found));
    if (found) *out_id = now.id;
    return kOk;
}

// Its id has been asked for: the event has it.
uint64_t capture_of(const EventSlot &event) noexcept {
    const uint64_t id = event.captured.load(std::memory_order_acquire);
    CaptureFacts known;
    return find_known(id, &known) ? id : 0;
}

Status refuse_other_capture() noexcept {
    return fail(GS_ERROR_CAPTURING,
                "the event was recorded in another capture than the one the stream takes part in: the "
                "wait would break both");
}
Status refuse_outside() noexcept {
    return fail(GS_ERROR_CAPTURING, "a stream that is being captured cannot wait for work outside of its capture: wait "
                                    "before the capture begins, or use an event with GS_EVENT_EXTERNAL");
}
Status refuse_default_stream() noexcept {
    return fail(GS_ERROR_CAPTURING, "the default stream cannot join a capture, and the wait would break it");
}

// A stream of the capture `own` waits for what is part of the capture `theirs`; 0: none.
Status may_join(const StreamSlot &stream, bool capturing, uint64_t own, uint64_t theirs) noexcept {
    if (theirs == 0) return own == 0 ? kOk : refuse_outside();
    if (stream.kind == StreamKind::Default) return refuse_default_stream();
    if (own == theirs) return kOk;
    if (capturing) return refuse_other_capture();
    join_capture(theirs, stream);
    return kOk;
}

Status may_wait(ThreadBlock &thread, StreamSlot &stream, const EventSlot &event) noexcept {
    thread.capturing_stream = stream.handle.load(std::memory_order_relaxed);
    // Other code may have recorded the event in this capture: the driver decides. Other processes have no part in it.
    if (event.traits.load(std::memory_order_relaxed) & kEventShared || event.flags & GS_EVENT_EXTERNAL) return kOk;
    bool capturing = false;
    uint64_t own = 0;
    GS_TRY(capture_of(thread, stream, &capturing, &own));
    return may_join(stream, capturing, own, capture_of(event));
}

Status may_wait_stream(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept {
    bool capturing = false;
    bool other_capturing = false;
    thread.capturing_stream = stream.handle.load(std::memory_order_relaxed);
    uint64_t own = 0;
    uint64_t theirs = 0;
    GS_TRY(capture_of(thread, stream, &capturing, &own));
    GS_TRY(capture_of(thread, other, &other_capturing, &theirs));
    if (other_capturing && theirs == 0) return kOk; // begun by other code
    return may_join(stream, capturing, own, theirs);
}

bool recorded(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    bool capturing = false;
    uint64_t id = 0;
    // The record has taken effect, so that the call succeeds. If the driver cannot be asked, the record counts as one
    // outside of captures, and waits for it inside the capture are refused.
    const bool known = capture_of(thread, stream, &capturing, &id).ok();
    if (!known)
        log_message(GS_LOG_WARNING, "whether an event's record is part of a capture is unknown: %s", pending_text());
    // An external event is recorded by the graph when that runs.
    if (event.flags & GS_EVENT_EXTERNAL) id = 0;
    event.captured.store(id, std::memory_order_release);
    // Drivers refuse queries of an event whose last record was captured, so it must not become another owner's fresh
    // event.
    if (id != 0 || !known) event.traits.fetch_or(kEventNoPool, std::memory_order_seq_cst);
    return capturing;
}

Status may_ask(ThreadBlock &thread, const EventSlot &event) noexcept {
    thread.capturing_stream = 0;
    const uint64_t id = capture_of(event);
    if (id == 0) return kOk;
    return fail(GS_ERROR_CAPTURING,
                "the event was recorded in a capture in progress: it has no state before the graph runs");
}

Status may_synchronize(const Device &device) noexcept {
    uint64_t origin = 0;
    forget_orphans();
    if (!is_captured(device, &origin)) return kOk;
    forget_ended_on(device);
    if (!is_captured(device, &origin)) return kOk;
    return fail(GS_ERROR_CAPTURING, "a capture that began on stream %#" PRIx64 " uses the device", origin);
}

constexpr CaptureGuard kGuard = {may_wait,        may_wait_stream,      recorded,    may_ask,        may_synchronize,
                                 give_up_capture, keep_module,          keep_event,  pin_capture,    pin_for_call,
                                 keep_call,       note_captured_memory, free_at_end, forget_orphans, forget_ended_on};

} // namespace

void install_capture_guard() noexcept { g_capture_guard.store(&kGuard, std::memory_order_release); }

namespace {

// A broken capture that was never asked about gets one of the library's own numbers; the driver's are small.
constexpr uint64_t kOwnNumber = uint64_t{1} << 63;

// The graph of the capture that the stream takes part in, locked, so that the capture goes on.
Status part_of(ThreadBlock &thread, StreamSlot &stream, Graphs **out_graphs, LockedGraph &graph) noexcept {
    GS_TRY(graphs_for(stream, out_graphs));
    StreamCapture now;
    GS_TRY((*out_graphs)->capture(thread, stream.ref(), &now));
    if (!now.capturing()) return refuse_idle(stream);
    if (now.state == GS_CAPTURE_STATE_INVALIDATED) return fail(GS_ERROR_CAPTURING, "the capture has been broken");
    CaptureFacts known;
    bool found = false;
    GS_TRY(find_capture(thread, now.id, &known, &found));
    if (!found) return fail(GS_ERROR_NOT_PERMITTED, "the capture was begun by other code: its nodes have no numbers");
    return lock_graph_of(known, graph) ? kOk : refuse_idle(stream);
}

} // namespace

Status graphs_for(StreamSlot &stream, Graphs **out) noexcept {
    GS_TRY(graphs_of(*stream.device, out));
    if (stream.kind == StreamKind::Default)
        return fail(GS_ERROR_NOT_SUPPORTED, "the default stream of a device cannot be captured");
    return check_health(stream);
}

Status refuse_idle(const StreamSlot &stream) noexcept {
    return fail(GS_ERROR_NOT_PERMITTED, "stream %#" PRIx64 " is not being captured",
                stream.handle.load(std::memory_order_relaxed));
}

Status capture_info(ThreadBlock &thread, StreamSlot &stream, gs_capture_info_t *out) noexcept {
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    Graphs *graphs = stream.backend->graphs();
    StreamCapture now;
    if (graphs && stream.kind != StreamKind::Default) {
        GS_TRY(check_health(*stream.device));
        GS_TRY(graphs->capture(thread, stream.ref(), &now));
    }
    info.state = now.state;
    CaptureFacts known;
    bool found = false;
    if (now.capturing()) GS_TRY(find_capture(thread, now.id, &known, &found));
    if (found || (now.capturing() && find_begun(thread, stream, &known))) {
        const CaptureBreak broken = break_of(known.number);
        info.id = known.id != 0 ? known.id : kOwnNumber | known.number;
        info.graph = to_handle<gs_graph_t>(known.graph);
        info.origin = to_handle<gs_stream_t>(known.origin);
        info.thread = known.thread;
        info.mode = known.mode;
        info.broken_code = broken.code;
        info.broken_stream = to_handle<gs_stream_t>(broken.stream);
        info.broken_thread = broken.thread;
        std::memcpy(info.broken_function, broken.function, sizeof info.broken_function);
    } else if (now.capturing()) {
        info.id = now.id;
        info.mode = -1;
    }
    return write_sized(out, info);
}

Status capture_nodes(ThreadBlock &thread, StreamSlot &stream, gs_node_t *out_nodes, size_t capacity,
                     size_t *out_count) noexcept {
    Graphs *graphs = nullptr;
    LockedGraph graph;
    GS_TRY(part_of(thread, stream, &graphs, graph));
    size_t count = 0;
    GS_TRY(graphs->capture_nodes(thread, stream.ref(), nullptr, 0, &count));
    std::vector<uintptr_t> natives;
    try {
        natives.resize(std::min(count, capacity));
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the nodes of a stream");
    }
    GS_TRY(graphs->capture_nodes(thread, stream.ref(), natives.data(), natives.size(), &count));
    GS_TRY(graph->nodes.numbers_of(natives.data(), std::min(count, natives.size()), out_nodes));
    *out_count = count;
    return kOk;
}

Status set_capture_nodes(ThreadBlock &thread, StreamSlot &stream, const gs_node_t *nodes, size_t count,
                         bool add) noexcept {
    Graphs *graphs = nullptr;
    LockedGraph graph;
    GS_TRY(part_of(thread, stream, &graphs, graph));
    std::vector<uintptr_t> natives;
    GS_TRY(graph->nodes.natives_of(nodes, count, &natives));
    return graphs->set_capture_nodes(thread, stream.ref(), natives.data(), count, add);
}

} // namespace gs
