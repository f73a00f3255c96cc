// SPDX-License-Identifier: Apache-2.0
// What graphs consist of.
#include <algorithm>

#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"
#include "simulated/kernel_launch.hpp"

using namespace gs::simulated;

namespace {

CUgraphNodeType type_of(engine::NodeKind kind) {
    switch (kind) {
    case engine::NodeKind::Empty: return CU_GRAPH_NODE_TYPE_EMPTY;
    case engine::NodeKind::Host: return CU_GRAPH_NODE_TYPE_HOST;
    case engine::NodeKind::Kernel: return CU_GRAPH_NODE_TYPE_KERNEL;
    case engine::NodeKind::Copy: return CU_GRAPH_NODE_TYPE_MEMCPY;
    case engine::NodeKind::Fill: return CU_GRAPH_NODE_TYPE_MEMSET;
    case engine::NodeKind::Record: return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    case engine::NodeKind::Wait: return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    case engine::NodeKind::Child: return CU_GRAPH_NODE_TYPE_GRAPH;
    case engine::NodeKind::Condition: return CU_GRAPH_NODE_TYPE_CONDITIONAL;
    case engine::NodeKind::Alloc: return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    case engine::NodeKind::Free: return CU_GRAPH_NODE_TYPE_MEM_FREE;
    }
    return CU_GRAPH_NODE_TYPE_EMPTY;
}

// read: what is asked of a node of that kind.
template <typename Out, typename Read>
CUresult ask(Fn fn, CUgraphNode handle, engine::NodeKind kind, Out *out, Read &&read) {
    return call(
        fn,
        [&](Lock &) {
            engine::GraphNode *node = nullptr;
            const CUresult result = find_node(handle, &node);
            if (result != CUDA_SUCCESS) return result;
            if (!out || node->body.kind != kind) return CUDA_ERROR_INVALID_VALUE;
            *out = {};
            read(*node, *out);
            return CUDA_SUCCESS;
        },
        out);
}

void event_of(const engine::GraphNode &node, CUevent &out) {
    for (Event *event : context_of(*node.body.event->device)->events)
        if (event->native == node.body.event) out = reinterpret_cast<CUevent>(event);
}

// data: of edges, which never have any.
// Of the edge to a kernel that may start before the one ahead has ended.
CUgraphEdgeData data_of(const engine::GraphNode &from, const engine::GraphNode &to) {
    CUgraphEdgeData data{};
    if (!to.body.early || from.body.kind != engine::NodeKind::Kernel) return data;
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    return data;
}

bool has_data(const std::vector<CUgraphEdgeData> &edges) {
    return std::any_of(edges.begin(), edges.end(), [](const CUgraphEdgeData &edge) { return edge.type != 0; });
}

CUresult give_neighbours(CUgraphNode handle, bool earlier, CUgraphNode *out, CUgraphEdgeData *data, size_t *count) {
    engine::GraphNode *node = nullptr;
    if (const CUresult result = find_node(handle, &node); result != CUDA_SUCCESS) return result;
    std::vector<CUgraphNode> all;
    std::vector<CUgraphEdgeData> edges;
    for (const engine::GraphNode *other : earlier ? node->after : node->before) {
        all.push_back(handle_of(*other));
        edges.push_back(earlier ? data_of(*other, *node) : data_of(*node, *other));
    }
    if (!data && has_data(edges)) return CUDA_ERROR_LOSSY_QUERY;
    const CUresult result = give_list(all, out, count);
    if (result == CUDA_SUCCESS && out && data) std::copy_n(edges.begin(), *count, data);
    return result;
}

CUresult give_edges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    engine::Graph *graph = nullptr;
    const CUresult result = find_graph(handle, &graph);
    if (result != CUDA_SUCCESS) return result;
    std::vector<CUgraphNode> first, second;
    std::vector<CUgraphEdgeData> edges;
    for (const auto &node : graph->nodes) {
        for (const engine::GraphNode *earlier : node->after) {
            first.push_back(handle_of(*earlier));
            second.push_back(handle_of(*node));
            edges.push_back(data_of(*earlier, *node));
        }
    }
    if (!count || !from != !to) return CUDA_ERROR_INVALID_VALUE;
    if (from && !data && has_data(edges)) return CUDA_ERROR_LOSSY_QUERY;
    size_t room = *count;
    CUresult given = give_list(second, to, &room);
    if (given == CUDA_SUCCESS) given = give_list(first, from, count);
    if (given == CUDA_SUCCESS && from && data) std::copy_n(edges.begin(), *count, data);
    return given;
}

} // namespace

CUresult api_GraphGetNodes(CUgraph handle, CUgraphNode *out, size_t *count) {
    return call(Fn::GraphGetNodes, [&](Lock &) {
        engine::Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        if (result != CUDA_SUCCESS) return result;
        std::vector<CUgraphNode> all;
        for (const auto &node : graph->nodes) all.push_back(handle_of(*node));
        return give_list(all, out, count);
    });
}

CUresult api_GraphGetRootNodes(CUgraph handle, CUgraphNode *out, size_t *count) {
    return call(Fn::GraphGetRootNodes, [&](Lock &) {
        engine::Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        if (result != CUDA_SUCCESS) return result;
        std::vector<CUgraphNode> roots;
        for (const auto &node : graph->nodes)
            if (node->after.empty()) roots.push_back(handle_of(*node));
        return give_list(roots, out, count);
    });
}

CUresult api_GraphGetEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    return call(Fn::GraphGetEdges, [&](Lock &) { return give_edges(handle, from, to, nullptr, count); });
}

CUresult api_GraphGetEdges12(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    return call(Fn::GraphGetEdges12, [&](Lock &) { return give_edges(handle, from, to, data, count); });
}

CUresult api_GraphNodeGetDependencies(CUgraphNode handle, CUgraphNode *out, size_t *count) {
    return call(Fn::GraphNodeGetDependencies,
                [&](Lock &) { return give_neighbours(handle, true, out, nullptr, count); });
}

CUresult api_GraphNodeGetDependencies12(CUgraphNode handle, CUgraphNode *out, CUgraphEdgeData *data, size_t *count) {
    return call(Fn::GraphNodeGetDependencies12,
                [&](Lock &) { return give_neighbours(handle, true, out, data, count); });
}

CUresult api_GraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode *out, size_t *count) {
    return call(Fn::GraphNodeGetDependentNodes,
                [&](Lock &) { return give_neighbours(handle, false, out, nullptr, count); });
}

CUresult api_GraphNodeGetDependentNodes12(CUgraphNode handle, CUgraphNode *out, CUgraphEdgeData *data, size_t *count) {
    return call(Fn::GraphNodeGetDependentNodes12,
                [&](Lock &) { return give_neighbours(handle, false, out, data, count); });
}

CUresult api_GraphNodeGetType(CUgraphNode handle, CUgraphNodeType *out) {
    return call(
        Fn::GraphNodeGetType,
        [&](Lock &) {
            engine::GraphNode *node = nullptr;
            const CUresult result = find_node(handle, &node);
            if (result == CUDA_SUCCESS) *out = type_of(node->body.kind);
            return result;
        },
        out);
}

CUresult api_GraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2 *out) {
    return ask(Fn::GraphKernelNodeGetParams, handle, engine::NodeKind::Kernel, out,
               [](const engine::GraphNode &node, CUDA_KERNEL_NODE_PARAMS_v2 &params) {
                   if (!node.body.work) return; // the delay of a captured gs_stream_sleep
                   auto &launch = *static_cast<KernelLaunch *>(node.body.work->task().arg);
                   const LaunchShape &shape = launch.configuration;
                   params.func = reinterpret_cast<CUfunction>(const_cast<Kernel *>(launch.kernel));
                   params.gridDimX = shape.grid[0];
                   params.gridDimY = shape.grid[1];
                   params.gridDimZ = shape.grid[2];
                   params.blockDimX = shape.block[0];
                   params.blockDimY = shape.block[1];
                   params.blockDimZ = shape.block[2];
                   params.sharedMemBytes = shape.shared_bytes;
                   params.kernelParams = launch.pointers.data();
               });
}

CUresult api_GraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *out) {
    return ask(Fn::GraphMemcpyNodeGetParams, handle, engine::NodeKind::Copy, out,
               [](const engine::GraphNode &node, CUDA_MEMCPY3D &params) {
                   if (node.body.action == engine::NodeAction::Task) {
                       params = *static_cast<const CUDA_MEMCPY3D *>(node.body.work->task().arg);
                       return;
                   }
                   const engine::Copy &copy = node.body.copy;
                   params.srcMemoryType = params.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
                   params.srcDevice = reinterpret_cast<CUdeviceptr>(copy.src);
                   params.dstDevice = reinterpret_cast<CUdeviceptr>(copy.dst);
                   params.srcPitch = params.dstPitch = params.WidthInBytes = copy.bytes;
                   params.Height = params.Depth = 1;
               });
}

CUresult api_GraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS_v1 *out) {
    return ask(Fn::GraphMemsetNodeGetParams, handle, engine::NodeKind::Fill, out,
               [](const engine::GraphNode &node, CUDA_MEMSET_NODE_PARAMS_v1 &params) {
                   const engine::Fill &fill = node.body.fill;
                   params.dst = reinterpret_cast<CUdeviceptr>(fill.dst);
                   params.value = fill.value;
                   params.elementSize = fill.element;
                   params.width = fill.bytes / fill.element;
                   params.height = 1;
               });
}

CUresult api_GraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS_v1 *out) {
    return ask(Fn::GraphHostNodeGetParams, handle, engine::NodeKind::Host, out,
               [](const engine::GraphNode &node, CUDA_HOST_NODE_PARAMS_v1 &params) {
                   const auto &function = *static_cast<const HostFunction *>(node.body.work->task().arg);
                   params.fn = function.fn;
                   params.userData = function.data;
               });
}

CUresult api_GraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out) {
    return ask(Fn::GraphEventRecordNodeGetEvent, node, engine::NodeKind::Record, out, event_of);
}

CUresult api_GraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out) {
    return ask(Fn::GraphEventWaitNodeGetEvent, node, engine::NodeKind::Wait, out, event_of);
}

CUresult api_GraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
    return ask(Fn::GraphChildGraphNodeGetGraph, node, engine::NodeKind::Child, out,
               [](const engine::GraphNode &child, CUgraph &graph) { graph = handle_of(*child.graphs[0]); });
}
