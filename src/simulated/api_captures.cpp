// SPDX-License-Identifier: Apache-2.0
// Stream capture.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

std::mutex g_apart_mutex;
std::multiset<CUstream> g_asked, g_ended; // by calls in progress

// NVIDIA's driver reads freed memory if a capture is ended while another thread asks about it. This one says so.
class Apart {
public:
    enum class Doing { Ask, End };

    Apart(CUstream stream, Doing doing) : own_(doing == Doing::Ask ? g_asked : g_ended) {
        const std::lock_guard lock(g_apart_mutex);
        if ((doing == Doing::Ask ? g_ended : g_asked).count(stream) != 0) {
            std::fputs("simulated driver: one thread ends a capture while another one asks about it\n", stderr);
            std::abort();
        }
        place_ = own_.insert(stream);
    }
    ~Apart() {
        const std::lock_guard lock(g_apart_mutex);
        own_.erase(place_);
    }
    Apart(const Apart &) = delete;
    Apart &operator=(const Apart &) = delete;

private:
    std::multiset<CUstream> &own_;
    std::multiset<CUstream>::iterator place_;
};

CUresult begin(CUstream handle, CUstreamCaptureMode mode, engine::CaptureStart start) {
    Stream *stream = nullptr;
    const CUresult result = find_stream(handle, &stream);
    if (result != CUDA_SUCCESS) return result;
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    if (engine::Engine::capture_of(*stream->native) != 0) return CUDA_ERROR_ILLEGAL_STATE;
    start.mode = engine_mode(mode);
    start.thread = thread().id;
    return to_result(world().engine->capture_begin(*stream->native, start), *stream->context);
}

// The nodes are the stream's until its next call.
CUresult dependencies(Stream &stream, const CUgraphNode **out, size_t *count) {
    if (!out && !count) return CUDA_SUCCESS;
    uint64_t ids[64];
    std::vector<uint64_t> more;
    size_t total = 0;
    engine::Result result = world().engine->capture_nodes(*stream.native, ids, std::size(ids), &total);
    const uint64_t *from = ids;
    if (result == engine::Result::Ok && total > std::size(ids)) {
        more.resize(total);
        result = world().engine->capture_nodes(*stream.native, more.data(), total, &total);
        from = more.data();
    }
    if (result != engine::Result::Ok) return to_result(result, *stream.context);
    stream.capture_nodes.clear();
    for (size_t i = 0; i < total; ++i) stream.capture_nodes.push_back(reinterpret_cast<CUgraphNode>(from[i]));
    if (out) *out = stream.capture_nodes.data();
    if (count) *count = total;
    return CUDA_SUCCESS;
}

CUresult info(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph, const CUgraphNode **nodes,
              size_t *count) {
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    Stream *stream = nullptr;
    CUresult result = find_stream(handle, &stream);
    if (result == CUDA_SUCCESS) result = capture_status(*stream, status);
    if (result != CUDA_SUCCESS || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return result;
    engine::CaptureInfo known;
    result = to_result(world().engine->capture_info(*stream->native, &known), *stream->context);
    if (result != CUDA_SUCCESS) return result;
    if (id) *id = known.id;
    if (graph) *graph = handle_of(*known.graph);
    return dependencies(*stream, nodes, count);
}

CUresult update(CUstream handle, const CUgraphNode *nodes, size_t count, unsigned flags) {
    Stream *stream = nullptr;
    std::vector<engine::GraphNode *> natives;
    CUresult result = find_stream(handle, &stream);
    if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &natives);
    if (result != CUDA_SUCCESS) return result;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) return CUDA_ERROR_INVALID_VALUE;
    const bool add = flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES;
    return to_result(world().engine->capture_set_nodes(*stream->native, natives.data(), count, add), *stream->context);
}

} // namespace

CUresult api_StreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
    return call(Fn::StreamBeginCapture, [&](Lock &) { return begin(handle, mode, {}); });
}

CUresult api_StreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle, const CUgraphNode *nodes,
                                       const CUgraphEdgeData *, size_t count, CUstreamCaptureMode mode) {
    return call(Fn::StreamBeginCaptureToGraph, [&](Lock &) {
        engine::CaptureStart start;
        std::vector<engine::GraphNode *> after;
        CUresult result = find_graph(graph_handle, &start.into);
        if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &after);
        if (result != CUDA_SUCCESS) return result;
        start.after = after.data();
        start.count = count;
        return begin(handle, mode, start);
    });
}

CUresult api_StreamEndCapture(CUstream handle, CUgraph *out) {
    const Apart apart(handle, Apart::Doing::End);
    return call(Fn::StreamEndCapture, [&](Lock &) {
        Stream *stream = nullptr;
        CUresult result = find_stream(handle, &stream);
        engine::Graph *graph = nullptr;
        if (result == CUDA_SUCCESS)
            result = to_result(world().engine->capture_end(*stream->native, thread().id, &graph), *stream->context);
        // None after a failure; a body stays its parent's.
        *out = graph ? reinterpret_cast<CUgraph>(gs::simulated::graph_handle(*graph, !graph->parent)) : nullptr;
        return result;
    });
}

CUresult api_StreamGetCaptureInfo10(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id) {
    const Apart apart(handle, Apart::Doing::Ask);
    return call(
        Fn::StreamGetCaptureInfo10, [&](Lock &) { return info(handle, status, id, nullptr, nullptr, nullptr); }, status,
        id);
}

CUresult api_StreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                  const CUgraphNode **nodes, size_t *count) {
    const Apart apart(handle, Apart::Doing::Ask);
    return call(
        Fn::StreamGetCaptureInfo, [&](Lock &) { return info(handle, status, id, graph, nodes, count); }, status, id,
        graph);
}

CUresult api_StreamGetCaptureInfo12(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                    const CUgraphNode **nodes, const CUgraphEdgeData **edges, size_t *count) {
    const Apart apart(handle, Apart::Doing::Ask);
    return call(
        Fn::StreamGetCaptureInfo12,
        [&](Lock &) {
            const CUresult result = info(handle, status, id, graph, nodes, count);
            if (!edges) return result;
            *edges = nullptr;
            Stream *stream = nullptr;
            if (result == CUDA_SUCCESS && find_stream(handle, &stream) == CUDA_SUCCESS) {
                stream->capture_edges.assign(stream->capture_nodes.size(), {}); // none has data
                *edges = stream->capture_edges.data();
            }
            return result;
        },
        status, id, graph);
}

CUresult api_StreamUpdateCaptureDependencies(CUstream handle, CUgraphNode *nodes, size_t count, unsigned flags) {
    return call(Fn::StreamUpdateCaptureDependencies, [&](Lock &) { return update(handle, nodes, count, flags); });
}

CUresult api_StreamUpdateCaptureDependencies12(CUstream handle, CUgraphNode *nodes, const CUgraphEdgeData *,
                                               size_t count, unsigned flags) {
    return call(Fn::StreamUpdateCaptureDependencies12, [&](Lock &) { return update(handle, nodes, count, flags); });
}
