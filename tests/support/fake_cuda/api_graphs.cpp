// SPDX-License-Identifier: Apache-2.0
// Graphs, executable graphs and their user objects. A launch runs the host functions in the order of the capture.
#include <climits>
#include <thread>

#include "fake_cuda/call.hpp"
#include "fake_cuda/capture.hpp"

using namespace fake;

namespace {

std::atomic<size_t> g_user_objects{0};

struct HostFunction {
    HostNode node;
    UserObjects kept;
};

void run_host_function(void *opaque) {
    const HostNode &node = static_cast<HostFunction *>(opaque)->node;
    ++thread().in_callback;
    node.fn(node.data);
    --thread().in_callback;
}

CUresult find_graph(CUgraph handle, Graph **out) {
    *out = world().graphs.find(handle);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult find_exec(CUgraphExec handle, GraphExec **out) {
    *out = world().graph_execs.find(handle);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult instantiate(Graph &graph, unsigned long long flags, CUgraphExec *out) {
    if (!out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (graph.host_nodes.size() != graph.nodes) return CUDA_ERROR_NOT_SUPPORTED;
    *out = reinterpret_cast<CUgraphExec>(new_graph_exec(graph));
    return CUDA_SUCCESS;
}

CUresult launch(const GraphExec &exec, Stream &stream) {
    bool captured = false;
    const CUresult result = enter_work(stream, &captured);
    if (result != CUDA_SUCCESS) return result;
    if (captured) return CUDA_ERROR_NOT_SUPPORTED; // child graphs are left out
    for (const HostNode &node : exec.host_nodes) {
        const engine::Result put = put_host_function(*stream.native, node, exec.kept);
        if (put != engine::Result::Ok) return to_result(put, *stream.context);
    }
    return CUDA_SUCCESS;
}

CUresult retain(Graph &graph, CUuserObject handle, unsigned count, unsigned flags) {
    const auto found = world().user_objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found == world().user_objects.end()) {
        violation("a user object without a reference of the caller, %p, was passed to the driver",
                  static_cast<const void *>(handle));
        return CUDA_ERROR_INVALID_VALUE;
    }
    const bool move = (flags & CU_GRAPH_USER_OBJECT_MOVE) != 0;
    CreatorReferences &references = found->second;
    if (count == 0 || (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0 || (move && count > references.count))
        return CUDA_ERROR_INVALID_VALUE;
    graph.kept.insert(graph.kept.end(), count, references.object);
    if (move) references.count -= count;
    if (references.count == 0) world().user_objects.erase(found);
    return CUDA_SUCCESS;
}

} // namespace

namespace fake {

UserObject::UserObject(CUhostFn destroy, void *data) : destroy_(destroy), data_(data) { ++g_user_objects; }

// As with the real driver, nothing waits for the function, and it must not call the driver.
UserObject::~UserObject() {
    --g_user_objects;
    std::thread([destroy = destroy_, data = data_] {
        ++thread().in_callback;
        destroy(data);
        --thread().in_callback;
    }).detach();
}

size_t live_user_objects() { return g_user_objects.load(); }

engine::Result put_host_function(engine::Stream &stream, HostNode node, UserObjects kept) {
    auto function = std::make_unique<HostFunction>(HostFunction{node, std::move(kept)});
    const auto drop = [](void *opaque) { delete static_cast<HostFunction *>(opaque); };
    const engine::Result put = world().engine->launch(stream, {run_host_function, drop, function.get()});
    if (put == engine::Result::Ok) (void)function.release();
    return put;
}

} // namespace fake

CUresult api_StreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                  const CUgraphNode **dependencies, size_t *count) {
    return call(
        Fn::StreamGetCaptureInfo,
        [&](Lock &) {
            if (!status || dependencies || count) return CUDA_ERROR_INVALID_VALUE; // the fake has no nodes to show
            Stream *stream = nullptr;
            CUresult result = find_stream(handle, &stream);
            if (result == CUDA_SUCCESS) result = capture_status(*stream, status);
            if (result != CUDA_SUCCESS || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return result;
            if (id) *id = stream->capture->id;
            if (graph) *graph = reinterpret_cast<CUgraph>(&graph_of(*stream->capture));
            return CUDA_SUCCESS;
        },
        status, id, graph);
}

CUresult api_GraphInstantiate(CUgraphExec *out, CUgraph handle, unsigned long long flags) {
    return call(
        Fn::GraphInstantiate,
        [&](Lock &) {
            Graph *graph = nullptr;
            const CUresult result = find_graph(handle, &graph);
            return result != CUDA_SUCCESS ? result : instantiate(*graph, flags, out);
        },
        out);
}

CUresult api_GraphLaunch(CUgraphExec handle, CUstream stream_handle) {
    return call(Fn::GraphLaunch, [&](Lock &) {
        GraphExec *exec = nullptr;
        Stream *stream = nullptr;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = find_stream(stream_handle, &stream);
        return result != CUDA_SUCCESS ? result : launch(*exec, *stream);
    });
}

CUresult api_GraphExecDestroy(CUgraphExec handle) {
    return call(Fn::GraphExecDestroy, [&](Lock &) {
        GraphExec *exec = nullptr;
        const CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) free_graph_exec(*exec);
        return result;
    });
}

CUresult api_GraphDestroy(CUgraph handle) {
    return call(Fn::GraphDestroy, [&](Lock &) {
        Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        if (result == CUDA_SUCCESS) free_graph(*graph);
        return result;
    });
}

CUresult api_UserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned references, unsigned flags) {
    return call(
        Fn::UserObjectCreate,
        [&](Lock &) {
            if (!out || !destroy || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC || references == 0 ||
                references > INT_MAX)
                return CUDA_ERROR_INVALID_VALUE;
            const uintptr_t handle = world().next_user_object += 0x10;
            world().user_objects[handle] = {std::make_shared<UserObject>(destroy, data), references};
            *out = reinterpret_cast<CUuserObject>(handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned count, unsigned flags) {
    return call(Fn::GraphRetainUserObject, [&](Lock &) {
        Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        return result != CUDA_SUCCESS ? result : retain(*graph, object, count, flags);
    });
}
