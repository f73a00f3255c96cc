// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_graphs.hpp"

#include <algorithm>
#include <cstdlib>

#include "backend/host/host_backend.hpp"

namespace gs::host {
namespace {

Status told(Result result, const Graph &graph, const char *operation) noexcept {
    return to_status(engine(), *graph.device, result, operation);
}

} // namespace

Status graph_status(Result result, const Graph &graph, const char *operation) noexcept {
    const NativeError native{GS_BACKEND_HOST, static_cast<int32_t>(result), operation};
    if (result == Result::InvalidValue)
        return fail_native(
            GS_ERROR_INVALID_ARGUMENT, native,
            "a node is not of this graph, an edge is there already, or a condition is another graph's or "
            "decides about a node already");
    if (result == Result::NotSupported)
        return fail_native(GS_ERROR_NOT_SUPPORTED, native,
                           "graphs with allocation or condition nodes cannot be copied, and bodies of conditions take "
                           "kernel, memcpy, memset, empty, graph and condition nodes only");
    return told(result, graph, operation);
}

FoundGraph::~FoundGraph() {
    if (graph_) engine().unpin_graph(*graph_);
}

Status FoundGraph::find(uintptr_t native) noexcept {
    graph_ = engine().pin_graph(native);
    if (graph_) return kOk;
    return fail_native(GS_ERROR_INVALID_HANDLE, {GS_BACKEND_HOST, 0, "find_graph"},
                       "0x%zx is not a graph of the host backend", static_cast<size_t>(native));
}

Status find_node(uintptr_t native, GraphNode **out) noexcept {
    *out = engine().find_node(native);
    if (*out) return kOk;
    return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_HOST, 0, "find_node"},
                       "0x%zx is not a node of a graph of the host backend", static_cast<size_t>(native));
}

NodeList::~NodeList() { std::free(nodes_); }

Status NodeList::find(const uintptr_t *natives, size_t count) noexcept {
    if (count == 0) return kOk;
    nodes_ = static_cast<GraphNode **>(std::calloc(count, sizeof(GraphNode *)));
    if (!nodes_) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu nodes", count);
    for (size_t i = 0; i < count; ++i) GS_TRY(find_node(natives[i], &nodes_[i]));
    return kOk;
}

Status HostGraphs::graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept {
    thread.counters.driver_calls.add();
    Device &device = engine().device(ordinal);
    Graph *graph = nullptr;
    GS_TRY(to_status(engine(), device, engine().graph_create(device, &graph), "graph_create"));
    *out_graph = graph->id;
    return kOk;
}

Status HostGraphs::graph_destroy(ThreadBlock &thread, GraphRef reference) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GS_TRY(graph.find(reference.native));
    Device &device = *graph->device;
    return to_status(engine(), device, engine().graph_destroy(*graph), "graph_destroy");
}

Status HostGraphs::graph_clone(ThreadBlock &thread, GraphRef reference, uintptr_t *out_graph) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    Graph *copy = nullptr;
    GS_TRY(graph.find(reference.native));
    GS_TRY(graph_status(engine().graph_clone(*graph, &copy), *graph, "graph_clone"));
    *out_graph = copy->id;
    return kOk;
}

Status HostGraphs::graph_adopt(ThreadBlock &thread, GraphRef reference) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    return graph.find(reference.native);
}

Status HostGraphs::graph_keep(ThreadBlock &thread, uintptr_t native, void (*release)(void *), void *arg) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GS_TRY(graph.find(native));
    return told(engine().graph_keep(*graph, release, arg), *graph, "graph_keep");
}

// All or none.
Status HostGraphs::add_edges(ThreadBlock &thread, GraphRef reference, const uintptr_t *from, const uintptr_t *to,
                             size_t count) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    NodeList first, second;
    GS_TRY(graph.find(reference.native));
    GS_TRY(first.find(from, count));
    GS_TRY(second.find(to, count));
    Result result = Result::Ok;
    size_t added = 0;
    for (; added < count && result == Result::Ok; ++added)
        result = first[added]->graph == graph.get() ? engine().graph_edge(*first[added], *second[added], true)
                                                    : Result::InvalidValue;
    if (result == Result::Ok) return kOk;
    for (size_t i = 0; i + 1 < added; ++i) (void)engine().graph_edge(*first[i], *second[i], false);
    return graph_status(result, *graph, "add_edges");
}

Status HostGraphs::node_remove(ThreadBlock &thread, GraphRef reference, uintptr_t native) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    NodeList node;
    GS_TRY(graph.find(reference.native));
    GS_TRY(node.find(&native, 1));
    return graph_status(engine().graph_remove(*node[0]), *graph, "node_remove");
}

Status HostGraphs::graph_nodes(ThreadBlock &thread, GraphRef reference, uintptr_t *out_nodes, size_t capacity,
                               size_t *out_count) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GS_TRY(graph.find(reference.native));
    MutexLock lock(engine().graph_lock());
    *out_count = graph->nodes.size();
    for (size_t i = 0; i < std::min(capacity, *out_count); ++i) out_nodes[i] = graph->nodes[i]->id;
    return kOk;
}

Status HostGraphs::graph_edges(ThreadBlock &thread, GraphRef reference, uintptr_t *out_from, uintptr_t *out_to,
                               size_t capacity, size_t *out_count) noexcept {
    thread.counters.driver_calls.add();
    FoundGraph graph;
    GS_TRY(graph.find(reference.native));
    MutexLock lock(engine().graph_lock());
    size_t count = 0;
    for (const auto &node : graph->nodes) {
        for (const GraphNode *earlier : node->after) {
            if (count < capacity) {
                out_from[count] = earlier->id;
                out_to[count] = node->id;
            }
            ++count;
        }
    }
    *out_count = count;
    return kOk;
}

Status HostGraphs::node_degrees(ThreadBlock &thread, GraphRef, uintptr_t native, size_t *out_earlier,
                                size_t *out_later) noexcept {
    thread.counters.driver_calls.add();
    GraphNode *node = nullptr;
    GS_TRY(find_node(native, &node));
    MutexLock lock(engine().graph_lock());
    *out_earlier = node->after.size();
    *out_later = node->before.size();
    return kOk;
}

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
