// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>
#include <vector>

#include "base/sized_struct.hpp"
#include "core/graph/capture_calls.hpp"

namespace gs {
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
