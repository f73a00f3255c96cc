// SPDX-License-Identifier: Apache-2.0
// Changes of executable graphs.
#include "api/graph_arguments.hpp"
#include "base/sized_struct.hpp"
#include "core/graph/exec_changes.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

namespace {

template <typename Body>
gs_status_t change(const Call &call, gs_graph_exec_t exec, gs_node_t node, Body &&body) noexcept {
    return boundary<Rule::Device>(
        call, [&](ThreadBlock &thread) -> Status { return body(thread, ExecNode{handle_bits(exec), node}); });
}

} // namespace

extern "C" {

gs_status_t gs_graph_exec_update(gs_graph_exec_t exec, gs_graph_t graph, gs_graph_update_t *out_result) {
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_result);
        GS_TRY(check_struct_size(out_result->struct_size)); // before the executable changes
        gs_graph_update_t result{};
        GS_TRY(update_exec(thread, handle_bits(exec), handle_bits(graph), &result));
        return write_sized(out_result, result);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec(handle_bits(exec), handle_bits(graph));
    return status;
}

gs_status_t gs_graph_exec_set_kernel(gs_graph_exec_t exec, gs_node_t node, gs_kernel_t kernel,
                                     const gs_launch_config_t *config, void **arguments) {
    const gs_status_t status = change(__func__, exec, node, [&](ThreadBlock &thread, const ExecNode &place) -> Status {
        GS_INPUT(config);
        gs_launch_config_t known{};
        GS_TRY(read_sized(config, &known));
        return set_kernel_node(thread, place, handle_bits(kernel), known, arguments);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_node(handle_bits(exec), node, nullptr, nullptr, 0);
    return status;
}

gs_status_t gs_graph_exec_set_memcpy(gs_graph_exec_t exec, gs_node_t node, void *dst, const void *src, size_t bytes) {
    const gs_status_t status = change(__func__, exec, node, [&](ThreadBlock &thread, const ExecNode &place) -> Status {
        NodeParams params;
        GS_TRY(copy_params(dst, src, bytes, &params));
        return set_plain_node(thread, place, params);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_node(handle_bits(exec), node, dst, src, bytes);
    return status;
}

gs_status_t gs_graph_exec_set_memset(gs_graph_exec_t exec, gs_node_t node, void *dst, int32_t value, size_t bytes) {
    const gs_status_t status = change(__func__, exec, node, [&](ThreadBlock &thread, const ExecNode &place) -> Status {
        NodeParams params;
        GS_TRY(fill_params(dst, value, bytes, &params));
        return set_plain_node(thread, place, params);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_node(handle_bits(exec), node, dst, nullptr, bytes);
    return status;
}

gs_status_t gs_graph_exec_set_host(gs_graph_exec_t exec, gs_node_t node, void (*fn)(void *arg), void *arg) {
    return change(__func__, exec, node, [&](ThreadBlock &thread, const ExecNode &place) -> Status {
        GS_INPUT(fn);
        return set_host_node(thread, place, fn, arg);
    });
}

gs_status_t gs_graph_exec_set_record(gs_graph_exec_t exec, gs_node_t node, gs_event_t event) {
    return change(Call(__func__, event), exec, node, [&](ThreadBlock &thread, const ExecNode &place) {
        return set_event_node(thread, place, GS_NODE_RECORD, handle_bits(event));
    });
}

gs_status_t gs_graph_exec_set_wait(gs_graph_exec_t exec, gs_node_t node, gs_event_t event) {
    return change(Call(__func__, event), exec, node, [&](ThreadBlock &thread, const ExecNode &place) {
        return set_event_node(thread, place, GS_NODE_WAIT, handle_bits(event));
    });
}

gs_status_t gs_graph_exec_enable_node(gs_graph_exec_t exec, gs_node_t node, int32_t enabled) {
    const gs_status_t status = change(__func__, exec, node, [&](ThreadBlock &thread, const ExecNode &place) -> Status {
        if (enabled != 0 && enabled != 1)
            return fail(GS_ERROR_INVALID_ARGUMENT, "enabled is %d: it must be 1 or 0", enabled);
        return enable_node(thread, place, enabled == 1);
    });
    if (tools::observed() && status == GS_OK) tools::saw_exec_switch(handle_bits(exec), node, enabled == 1);
    return status;
}

} // extern "C"
