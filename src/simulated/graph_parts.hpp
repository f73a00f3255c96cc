// SPDX-License-Identifier: Apache-2.0
// What the entry points for graphs share. All functions require the lock.
#pragma once

#include <algorithm>

#include "simulated/driver_call.hpp"

namespace gs::simulated {

// A graph of the engine by its handle, a node by its; CUDA_ERROR_INVALID_VALUE: there is none.
CUresult find_graph(CUgraph handle, engine::Graph **out);
CUresult find_node(CUgraphNode handle, engine::GraphNode **out);
CUresult find_nodes(const CUgraphNode *handles, size_t count, std::vector<engine::GraphNode *> *out);
CUresult find_exec(CUgraphExec handle, GraphExec **out);
inline CUgraphNode handle_of(const engine::GraphNode &node) { return reinterpret_cast<CUgraphNode>(node.id); }
inline CUgraph handle_of(engine::Graph &graph) { return reinterpret_cast<CUgraph>(graph_handle(graph, false)); }
// A result about a graph. The driver refuses what the engine cannot copy.
CUresult graph_result(engine::Result result, const engine::Device &device);

// What nodes with these parameters do.
CUresult kernel_body(const CUDA_KERNEL_NODE_PARAMS_v2 *params, engine::NodeBody *out);
// It copies rows and layers; its argument is the copy.
CUresult region_task(const CUDA_MEMCPY3D &copy, engine::Task *out);
CUresult memcpy_body(const CUDA_MEMCPY3D *params, CUcontext context, engine::NodeBody *out);
CUresult memset_body(const CUDA_MEMSET_NODE_PARAMS_v1 *params, CUcontext context, engine::NodeBody *out);
CUresult host_body(const CUDA_HOST_NODE_PARAMS_v1 *params, engine::Device *device, engine::NodeBody *out);
CUresult event_body(CUevent event, bool record, engine::NodeBody *out);

// The driver's way to return a list: without an array the number, with one as many as fit.
template <typename T>
CUresult give_list(const std::vector<T> &all, T *out, size_t *count) {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (out) std::copy_n(all.begin(), std::min(*count, all.size()), out);
    *count = out ? std::min(*count, all.size()) : all.size();
    return CUDA_SUCCESS;
}

} // namespace gs::simulated
