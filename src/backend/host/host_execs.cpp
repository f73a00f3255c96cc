// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_backend.hpp"
#include "backend/host/host_graphs.hpp"

namespace gs::host {
namespace {

GraphExec &exec_of(GraphRef reference) noexcept { return *reinterpret_cast<GraphExec *>(reference.native); }

uint32_t engine_flags(uint32_t flags) noexcept {
    return ((flags & GS_INSTANTIATE_AUTO_FREE) != 0 ? uint32_t{kExecAutoFree} : 0u) |
           ((flags & GS_INSTANTIATE_NODE_PRIORITY) != 0 ? uint32_t{kExecNodePriorities} : 0u);
}

Status not_enabled(const GraphExec &exec, Result result, const char *operation) noexcept {
    if (result == Result::InvalidValue)
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_HOST, static_cast<int32_t>(result), operation},
                           "the node is of another graph than the executable, or of a kind that cannot be disabled");
    return to_status(engine(), *exec.device, result, operation);
}

} // namespace

Status HostGraphs::instantiate(ThreadBlock &thread, GraphRef reference, uint32_t flags, uintptr_t *out_exec,
                               GraphFailure *out_failure) noexcept {
    thread.counters.driver_calls.add();
    *out_failure = {};
    FoundGraph graph;
    GS_TRY(graph.find(reference.native));
    GraphExec *exec = nullptr;
    const Result result = engine().exec_create(*graph, engine_flags(flags), &exec);
    if (result == Result::InvalidValue) {
        out_failure->reason = GS_UPDATE_ERROR;
        return fail_native(GS_ERROR_INVALID_ARGUMENT, {GS_BACKEND_HOST, static_cast<int32_t>(result), "exec_create"},
                           "the graph has a cycle, or is a part of another graph");
    }
    GS_TRY(graph_status(result, *graph, "exec_create"));
    *out_exec = reinterpret_cast<uintptr_t>(exec);
    return kOk;
}

Status HostGraphs::exec_destroy(ThreadBlock &thread, GraphRef exec) noexcept {
    thread.counters.driver_calls.add();
    engine().exec_destroy(exec_of(exec));
    return kOk;
}

Status HostGraphs::exec_launch(ThreadBlock &thread, GraphRef reference, StreamRef stream_reference) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(instance().resolve(thread, stream_reference, &stream));
    const Result result = engine().exec_launch(exec_of(reference), *stream);
    if (result == Result::NotSupported)
        return fail_native(GS_ERROR_NOT_SUPPORTED, {GS_BACKEND_HOST, static_cast<int32_t>(result), "exec_launch"},
                           "a graph cannot contain another graph with allocation or condition nodes");
    return to_status(engine(), *stream->device, result, "exec_launch");
}

// There is nothing to prepare, so the stream stays as it is.
Status HostGraphs::exec_upload(ThreadBlock &thread, GraphRef, StreamRef stream_reference) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(instance().resolve(thread, stream_reference, &stream));
    return to_status(engine(), *stream->device, engine().stream_quiet(*stream), "exec_upload");
}

Status HostGraphs::exec_update(ThreadBlock &thread, GraphRef reference, uintptr_t native,
                               GraphFailure *out_failure) noexcept {
    thread.counters.driver_calls.add();
    *out_failure = {};
    FoundGraph graph;
    GS_TRY(graph.find(native));
    UpdateReport report;
    const Result result = engine().exec_update(exec_of(reference), *graph, &report);
    static_assert(static_cast<int>(UpdateResult::AttributesChanged) == GS_UPDATE_ATTRIBUTES);
    if (result == Result::GraphChanged) *out_failure = {static_cast<int32_t>(report.result), report.from, report.node};
    return to_status(engine(), *graph->device, result, "exec_update");
}

Status HostGraphs::exec_enable_node(ThreadBlock &thread, GraphRef reference, uintptr_t node, bool on) noexcept {
    thread.counters.driver_calls.add();
    GraphExec &exec = exec_of(reference);
    return not_enabled(exec, engine().exec_enable(exec, node, on), "exec_enable_node");
}

Status HostGraphs::exec_node_enabled(ThreadBlock &thread, GraphRef reference, uintptr_t node, bool *out) noexcept {
    thread.counters.driver_calls.add();
    GraphExec &exec = exec_of(reference);
    return not_enabled(exec, engine().exec_enabled(exec, node, out), "exec_node_enabled");
}

} // namespace gs::host
