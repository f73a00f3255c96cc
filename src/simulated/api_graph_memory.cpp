// SPDX-License-Identifier: Apache-2.0
// Nodes that allocate and free memory, which the engine knows from captures: a stream of this file's own adds each as one.
#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

// submit: engine::Result(engine::Stream &), which adds one node.
template <typename Submit>
CUresult capture_one(CUgraphNode *out, CUgraph handle, const CUgraphNode *nodes, size_t count, int device,
                     Submit &&submit) {
    engine::CaptureStart start;
    std::vector<engine::GraphNode *> after;
    CUresult result = find_graph(handle, &start.into);
    if (result == CUDA_SUCCESS) result = find_nodes(nodes, count, &after);
    if (result != CUDA_SUCCESS) return result;
    Context &context = *world().primary[static_cast<size_t>(device)];
    if (!context.active) return CUDA_ERROR_INVALID_CONTEXT;
    start.after = after.data();
    start.count = count;
    engine::Engine &engine = *world().engine;
    engine::Stream *stream = nullptr;
    engine::Result done = engine.stream_create(*context.native, 0, false, &stream);
    if (done != engine::Result::Ok) return to_result(done, context);
    done = engine.capture_begin(*stream, start);
    if (done == engine::Result::Ok) {
        done = submit(*stream);
        uint64_t id = 0;
        size_t made = 0;
        if (done == engine::Result::Ok) done = engine.capture_nodes(*stream, &id, 1, &made);
        if (made == 1) *out = reinterpret_cast<CUgraphNode>(id);
        engine::Graph *graph = nullptr;
        const engine::Result ended = engine.capture_end(*stream, thread().id, &graph);
        if (done == engine::Result::Ok) done = ended;
    }
    engine.stream_destroy(*stream);
    return to_result(done, context);
}

CUresult node_of(CUgraphNode handle, engine::NodeKind kind, engine::GraphNode **out) {
    const CUresult result = find_node(handle, out);
    return result == CUDA_SUCCESS && (*out)->body.kind != kind ? CUDA_ERROR_INVALID_VALUE : result;
}

std::map<uint64_t, CUDA_MEM_ALLOC_NODE_PARAMS> &allocations() {
    static auto &all = *new std::map<uint64_t, CUDA_MEM_ALLOC_NODE_PARAMS>; // by node; kept, as ids are never reused
    return all;
}

CUresult memory_of_graphs(Fn fn, CUdevice device) {
    return call(
        fn, [&](Lock &) { return device < 0 || device >= world().devices ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; });
}

} // namespace

CUresult api_GraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                  CUDA_MEM_ALLOC_NODE_PARAMS *params) {
    return call(
        Fn::GraphAddMemAllocNode,
        [&](Lock &) {
            const int device = params ? params->poolProps.location.id : 0;
            if (!params || params->bytesize == 0 || params->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
                return CUDA_ERROR_INVALID_VALUE;
            if (params->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
            if (device < 0 || device >= world().devices) return CUDA_ERROR_INVALID_DEVICE;
            void *pointer = nullptr;
            const CUresult result = capture_one(out, graph, after, count, device, [&](engine::Stream &stream) {
                return world().engine->malloc_async(stream, params->bytesize, &pointer);
            });
            if (result != CUDA_SUCCESS) return result;
            params->dptr = reinterpret_cast<CUdeviceptr>(pointer);
            world().graph_memory[params->dptr] = params->bytesize;
            allocations()[reinterpret_cast<uint64_t>(*out)] = *params;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *after, size_t count,
                                 CUdeviceptr address) {
    return call(
        Fn::GraphAddMemFreeNode,
        [&](Lock &) {
            engine::Graph *found = nullptr;
            if (const CUresult result = find_graph(graph, &found); result != CUDA_SUCCESS) return result;
            return capture_one(out, graph, after, count, context_of(*found->device)->device,
                               [&](engine::Stream &stream) {
                                   return world().engine->free_async(stream, reinterpret_cast<void *>(address));
                               });
        },
        out);
}

CUresult api_GraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS *out) {
    return call(
        Fn::GraphMemAllocNodeGetParams,
        [&](Lock &) {
            engine::GraphNode *node = nullptr;
            if (const CUresult result = node_of(handle, engine::NodeKind::Alloc, &node); result != CUDA_SUCCESS)
                return result;
            const auto known = allocations().find(node->id);
            *out = known != allocations().end() ? known->second : CUDA_MEM_ALLOC_NODE_PARAMS{};
            out->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
            out->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
            out->poolProps.location.id = context_of(*node->body.block->device)->device;
            out->dptr = reinterpret_cast<CUdeviceptr>(node->body.block->pointer);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr *out) {
    return call(
        Fn::GraphMemFreeNodeGetParams,
        [&](Lock &) {
            engine::GraphNode *node = nullptr;
            const CUresult result = node_of(handle, engine::NodeKind::Free, &node);
            if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUdeviceptr>(node->body.block->pointer);
            return result;
        },
        out);
}

// Nothing is kept for graphs: each has its own memory.
CUresult api_DeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute, void *out) {
    const CUresult result = memory_of_graphs(Fn::DeviceGetGraphMemAttribute, device);
    if (result == CUDA_SUCCESS && out) *static_cast<cuuint64_t *>(out) = 0;
    return result;
}

CUresult api_DeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute, void *) {
    return memory_of_graphs(Fn::DeviceSetGraphMemAttribute, device);
}

CUresult api_DeviceGraphMemTrim(CUdevice device) { return memory_of_graphs(Fn::DeviceGraphMemTrim, device); }
