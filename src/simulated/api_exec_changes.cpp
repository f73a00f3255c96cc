// SPDX-License-Identifier: Apache-2.0
// Changes of executables.
#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

// make: CUresult(engine::NodeBody *), called with the lock held.
template <typename Make>
CUresult change(Fn fn, CUgraphExec handle, CUgraphNode node, Make &&make) {
    return call(fn, [&](Lock &) {
        GraphExec *exec = nullptr;
        engine::NodeBody body;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = make(*exec->native, &body);
        if (result != CUDA_SUCCESS) return result;
        return graph_result(world().engine->exec_set(*exec->native, reinterpret_cast<uintptr_t>(node), body),
                            *exec->native->device);
    });
}

} // namespace

CUresult api_GraphExecUpdate(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *out) {
    return call(Fn::GraphExecUpdate, [&](Lock &) {
        GraphExec *exec = nullptr;
        engine::Graph *graph = nullptr;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = find_graph(graph_handle, &graph);
        if (result != CUDA_SUCCESS) return result;
        if (!out) return CUDA_ERROR_INVALID_VALUE;
        engine::UpdateReport report;
        result = graph_result(world().engine->exec_update(*exec->native, *graph, &report), *graph->device);
        // As NVIDIA's driver 580, without a reason.
        if (report.result == engine::UpdateResult::NotSupported) return CUDA_ERROR_NOT_SUPPORTED;
        out->result = static_cast<CUgraphExecUpdateResult>(report.result);
        out->errorNode = reinterpret_cast<CUgraphNode>(report.from);
        out->errorFromNode = nullptr;
        return result;
    });
}

CUresult api_GraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                          const CUDA_KERNEL_NODE_PARAMS_v2 *params) {
    return change(Fn::GraphExecKernelNodeSetParams, exec, node,
                  [&](const engine::GraphExec &, engine::NodeBody *body) { return kernel_body(params, body); });
}

CUresult api_GraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                          CUcontext context) {
    return change(Fn::GraphExecMemcpyNodeSetParams, exec, node, [&](const engine::GraphExec &, engine::NodeBody *body) {
        return memcpy_body(params, context, body);
    });
}

CUresult api_GraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v1 *params,
                                          CUcontext context) {
    return change(Fn::GraphExecMemsetNodeSetParams, exec, node, [&](const engine::GraphExec &, engine::NodeBody *body) {
        return memset_body(params, context, body);
    });
}

CUresult api_GraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS_v1 *params) {
    return change(Fn::GraphExecHostNodeSetParams, exec, node,
                  [&](const engine::GraphExec &, engine::NodeBody *body) { return host_body(params, nullptr, body); });
}

CUresult api_GraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return change(Fn::GraphExecEventRecordNodeSetEvent, exec, node,
                  [&](const engine::GraphExec &, engine::NodeBody *body) { return event_body(event, true, body); });
}

CUresult api_GraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return change(Fn::GraphExecEventWaitNodeSetEvent, exec, node,
                  [&](const engine::GraphExec &, engine::NodeBody *body) {
                      const CUresult result = event_body(event, false, body);
                      body->device = nullptr; // where it waits does not change
                      return result;
                  });
}

CUresult api_GraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode node, CUgraph child_handle) {
    return call(Fn::GraphExecChildGraphNodeSetParams, [&](Lock &) {
        GraphExec *exec = nullptr;
        engine::Graph *child = nullptr;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = find_graph(child_handle, &child);
        if (result != CUDA_SUCCESS) return result;
        return graph_result(world().engine->exec_set_child(*exec->native, reinterpret_cast<uintptr_t>(node), *child),
                            *child->device);
    });
}

CUresult api_GraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned on) {
    return call(Fn::GraphNodeSetEnabled, [&](Lock &) {
        GraphExec *exec = nullptr;
        const CUresult result = find_exec(handle, &exec);
        if (result != CUDA_SUCCESS) return result;
        return graph_result(world().engine->exec_enable(*exec->native, reinterpret_cast<uintptr_t>(node), on != 0),
                            *exec->native->device);
    });
}

CUresult api_GraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node, unsigned *out) {
    return call(
        Fn::GraphNodeGetEnabled,
        [&](Lock &) {
            GraphExec *exec = nullptr;
            const CUresult result = find_exec(handle, &exec);
            if (result != CUDA_SUCCESS) return result;
            bool on = false;
            const engine::Result asked =
                world().engine->exec_enabled(*exec->native, reinterpret_cast<uintptr_t>(node), &on);
            *out = on ? 1u : 0u;
            return graph_result(asked, *exec->native->device);
        },
        out);
}
