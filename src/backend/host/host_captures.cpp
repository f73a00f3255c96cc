// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"
#include "backend/host/host_graphs.hpp"

namespace gs::host {
namespace {

constinit HostGraphs g_graphs;

Status resolve(ThreadBlock &thread, StreamRef reference, Stream **out) noexcept {
    thread.counters.driver_calls.add();
    return instance().resolve(thread, reference, out);
}

Status told(Result result, Stream &stream, const char *operation) noexcept {
    return to_status(engine(), *stream.device, result, operation);
}

} // namespace

Graphs *HostBackend::graphs() noexcept { return &g_graphs; }

Status HostGraphs::capture(ThreadBlock &thread, StreamRef reference, StreamCapture *out) noexcept {
    *out = {};
    if (reference.native == kNativeDefaultStream) return kOk;
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    CaptureInfo info;
    GS_TRY(told(engine().capture_info(*stream, &info), *stream, "capture_info"));
    static_assert(static_cast<int>(CaptureState::Broken) == GS_CAPTURE_STATE_INVALIDATED);
    out->state = static_cast<int32_t>(info.state);
    if (info.state != CaptureState::Active) return kOk;
    out->id = info.id;
    out->graph = info.graph_id;
    return kOk;
}

// The core knows which thread may end a capture, and calls of the library keep captures intact: the mode has no
// meaning here.
Status HostGraphs::capture_begin(ThreadBlock &thread, StreamRef reference, int32_t) noexcept {
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return told(engine().capture_begin(*stream, {}), *stream, "capture_begin");
}

Status HostGraphs::capture_begin_to(ThreadBlock &thread, StreamRef reference, uintptr_t graph, const uintptr_t *after,
                                    size_t count, int32_t) noexcept {
    Stream *stream = nullptr;
    FoundGraph into;
    NodeList nodes;
    GS_TRY(resolve(thread, reference, &stream));
    GS_TRY(into.find(graph));
    GS_TRY(nodes.find(after, count));
    CaptureStart start;
    start.into = into.get();
    start.after = nodes.data();
    start.count = count;
    return told(engine().capture_begin(*stream, start), *stream, "capture_begin_to");
}

Status HostGraphs::capture_end(ThreadBlock &thread, StreamRef reference, uintptr_t *out_graph) noexcept {
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    Graph *graph = nullptr;
    GS_TRY(told(engine().capture_end(*stream, 0, &graph), *stream, "capture_end"));
    *out_graph = graph->id;
    return kOk;
}

Status HostGraphs::capture_nodes(ThreadBlock &thread, StreamRef reference, uintptr_t *out_nodes, size_t capacity,
                                 size_t *out_count) noexcept {
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return told(engine().capture_nodes(*stream, out_nodes, capacity, out_count), *stream, "capture_nodes");
}

Status HostGraphs::set_capture_nodes(ThreadBlock &thread, StreamRef reference, const uintptr_t *nodes, size_t count,
                                     bool add) noexcept {
    Stream *stream = nullptr;
    NodeList list;
    GS_TRY(resolve(thread, reference, &stream));
    GS_TRY(list.find(nodes, count));
    return told(engine().capture_set_nodes(*stream, list.data(), count, add), *stream, "set_capture_nodes");
}

Status HostGraphs::capture_keep(ThreadBlock &thread, StreamRef reference, uint64_t id, void (*release)(void *),
                                void *arg, bool *out_kept) noexcept {
    *out_kept = false;
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return told(engine().capture_keep(*stream, id, release, arg, out_kept), *stream, "capture_keep");
}

} // namespace gs::host
