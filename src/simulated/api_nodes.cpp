// SPDX-License-Identifier: Apache-2.0
// Nodes and edges added to graphs.
#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

// make: CUresult(engine::Graph &, engine::NodeBody *).
template <typename Make>
CUresult add(Fn fn, CUgraphNode *out, CUgraph handle, const CUgraphNode *nodes, size_t count, Make &&make) {
    return call(
        fn,
        [&](Lock &) {
            engine::Graph *graph = nullptr;
            std::vector<engine::GraphNode *> after;
            engine::NodeBody body;
            CUresult result = find_graph(handle, &graph);
            if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &after);
            if (result == CUDA_SUCCESS) result = make(*graph, &body);
            if (result != CUDA_SUCCESS) return result;
            engine::GraphNode *node = nullptr;
            const engine::Result added = world().engine->graph_add(*graph, body, after.data(), count, &node);
            if (added == engine::Result::Ok) *out = handle_of(*node);
            return graph_result(added, *graph->device);
        },
        out);
}

// The driver removes no node and no edge of a graph that allocates or frees memory.
bool nothing_leaves(const engine::Graph &graph) {
    gs::MutexLock lock(world().engine->graph_lock());
    return engine::has_memory(graph);
}

CUresult edges(Fn fn, CUgraph handle, const CUgraphNode *from, const CUgraphNode *to, size_t count, bool adding) {
    return call(fn, [&](Lock &) {
        engine::Graph *graph = nullptr;
        std::vector<engine::GraphNode *> first, second;
        CUresult result = find_graph(handle, &graph);
        if (result == CUDA_SUCCESS) result = find_nodes(from, count, &first);
        if (result == CUDA_SUCCESS) result = find_nodes(to, count, &second);
        if (result == CUDA_SUCCESS && !adding && nothing_leaves(*graph)) return CUDA_ERROR_INVALID_VALUE;
        for (size_t i = 0; i < count && result == CUDA_SUCCESS; ++i) {
            if (first[i]->graph != graph) return CUDA_ERROR_INVALID_VALUE;
            result = graph_result(world().engine->graph_edge(*first[i], *second[i], adding), *graph->device);
        }
        return result;
    });
}

CUresult add_condition(CUgraphNode *out, engine::Graph &graph, const std::vector<engine::GraphNode *> &after,
                       CUDA_CONDITIONAL_NODE_PARAMS &params) {
    auto &condition = *reinterpret_cast<engine::GraphCondition *>(params.handle);
    engine::GraphNode *node = nullptr;
    const auto type = static_cast<engine::ConditionType>(params.type);
    const engine::Result added =
        world().engine->graph_add_condition(graph, condition, type, params.size, after.data(), after.size(), &node);
    if (added != engine::Result::Ok) return graph_result(added, *graph.device);
    static std::map<uint64_t, std::vector<CUgraph>> arrays; // the driver's, for as long as the node lives; kept here
    std::vector<CUgraph> &bodies = arrays[node->id];
    for (const auto &body : node->graphs) bodies.push_back(handle_of(*body));
    params.phGraph_out = bodies.data();
    *out = handle_of(*node);
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_GraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count) {
    return add(Fn::GraphAddEmptyNode, out, graph, after, count, [](engine::Graph &to, engine::NodeBody *body) {
        body->device = to.device;
        return CUDA_SUCCESS;
    });
}

CUresult api_GraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_HOST_NODE_PARAMS_v1 *params) {
    return add(Fn::GraphAddHostNode, out, graph, after, count,
               [&](engine::Graph &to, engine::NodeBody *body) { return host_body(params, to.device, body); });
}

CUresult api_GraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                const CUDA_KERNEL_NODE_PARAMS_v2 *params) {
    return add(Fn::GraphAddKernelNode, out, graph, after, count,
               [&](engine::Graph &, engine::NodeBody *body) { return kernel_body(params, body); });
}

CUresult api_GraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                const CUDA_MEMCPY3D *params, CUcontext context) {
    return add(Fn::GraphAddMemcpyNode, out, graph, after, count,
               [&](engine::Graph &, engine::NodeBody *body) { return memcpy_body(params, context, body); });
}

CUresult api_GraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                const CUDA_MEMSET_NODE_PARAMS_v1 *params, CUcontext context) {
    return add(Fn::GraphAddMemsetNode, out, graph, after, count,
               [&](engine::Graph &, engine::NodeBody *body) { return memset_body(params, context, body); });
}

CUresult api_GraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                     CUevent event) {
    return add(Fn::GraphAddEventRecordNode, out, graph, after, count,
               [&](engine::Graph &, engine::NodeBody *body) { return event_body(event, true, body); });
}

CUresult api_GraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                   CUevent event) {
    return add(Fn::GraphAddEventWaitNode, out, graph, after, count, [&](engine::Graph &to, engine::NodeBody *body) {
        const CUresult result = event_body(event, false, body);
        body->device = to.device;
        return result;
    });
}

CUresult api_GraphAddChildGraphNode(CUgraphNode *out, CUgraph handle, const CUgraphNode *nodes, size_t count,
                                    CUgraph child_handle) {
    return call(
        Fn::GraphAddChildGraphNode,
        [&](Lock &) {
            engine::Graph *graph = nullptr, *child = nullptr;
            std::vector<engine::GraphNode *> after;
            CUresult result = find_graph(handle, &graph);
            if (result == CUDA_SUCCESS) result = find_graph(child_handle, &child);
            if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &after);
            if (result != CUDA_SUCCESS) return result;
            engine::GraphNode *node = nullptr;
            const engine::Result added = world().engine->graph_add_child(*graph, *child, after.data(), count, &node);
            if (added == engine::Result::Ok) *out = handle_of(*node);
            return graph_result(added, *graph->device);
        },
        out);
}

// Conditions alone: the other kinds have functions of their own.
CUresult api_GraphAddNode(CUgraphNode *out, CUgraph handle, const CUgraphNode *nodes, const CUgraphEdgeData *,
                          size_t count, CUgraphNodeParams *params) {
    return call(
        Fn::GraphAddNode,
        [&](Lock &) {
            if (!params) return CUDA_ERROR_INVALID_VALUE;
            if (params->type != CU_GRAPH_NODE_TYPE_CONDITIONAL) return CUDA_ERROR_NOT_SUPPORTED;
            engine::Graph *graph = nullptr;
            std::vector<engine::GraphNode *> after;
            CUresult result = find_graph(handle, &graph);
            if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &after);
            return result == CUDA_SUCCESS ? add_condition(out, *graph, after, params->conditional) : result;
        },
        out);
}

CUresult api_GraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph handle, CUcontext, unsigned initial,
                                          unsigned flags) {
    return call(
        Fn::GraphConditionalHandleCreate,
        [&](Lock &) {
            engine::Graph *graph = nullptr;
            const CUresult result = find_graph(handle, &graph);
            if (result != CUDA_SUCCESS) return result;
            if ((flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0) return CUDA_ERROR_INVALID_VALUE;
            engine::GraphCondition *condition = nullptr;
            const engine::Result made = world().engine->condition_create(*graph, initial, flags != 0, &condition);
            if (made == engine::Result::Ok) *out = reinterpret_cast<CUgraphConditionalHandle>(condition);
            return graph_result(made, *graph->device);
        },
        out);
}

CUresult api_GraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    return edges(Fn::GraphAddDependencies, graph, from, to, count, true);
}

CUresult api_GraphAddDependencies12(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                    const CUgraphEdgeData *, size_t count) {
    return edges(Fn::GraphAddDependencies12, graph, from, to, count, true);
}

CUresult api_GraphRemoveDependencies12(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                       const CUgraphEdgeData *, size_t count) {
    return edges(Fn::GraphRemoveDependencies12, graph, from, to, count, false);
}

CUresult api_GraphDestroyNode(CUgraphNode node) {
    return call(Fn::GraphDestroyNode, [&](Lock &) {
        std::vector<engine::GraphNode *> found;
        const CUresult result = find_nodes(&node, 1, &found);
        if (result != CUDA_SUCCESS) return result;
        engine::Device &device = *found[0]->graph->device;
        if (nothing_leaves(*found[0]->graph)) return CUDA_ERROR_INVALID_VALUE;
        return graph_result(world().engine->graph_remove(*found[0]), device);
    });
}

CUresult api_GraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    return edges(Fn::GraphRemoveDependencies, graph, from, to, count, false);
}
