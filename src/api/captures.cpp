// SPDX-License-Identifier: Apache-2.0
// Captures of streams.
#include "core/graph/capture_calls.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/stream/stream_hooks.hpp"

#include "api/with.hpp"

using namespace gs::api;

namespace {

Status check_mode(int32_t mode) noexcept {
    if (mode >= GS_CAPTURE_GLOBAL && mode <= GS_CAPTURE_RELAXED) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%d is no mode of a capture (GS_CAPTURE_*)", mode);
}

Status check_array(const void *array, size_t count, const char *name) noexcept {
    if (array == nullptr && count > 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%s is NULL, but the count is %zu", name, count);
    return kOk;
}

// What waits for the end of the stream's captures comes behind the work that it has had outside of them.
Status settled(ThreadBlock &thread, StreamSlot &stream, Status ended) noexcept {
    if (!has_deferred(stream)) return ended;
    const gs_error_info_t failure = thread.pending;
    mark_used(stream);
    thread.pending = failure;
    return ended;
}

} // namespace

extern "C" {

gs_status_t gs_stream_begin_capture(gs_stream_t stream, int32_t mode) {
    return with_stream<Rule::Device>(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_mode(mode));
        return begin_capture(thread, slot, mode);
    });
}

gs_status_t gs_stream_begin_capture_to(gs_stream_t stream, gs_graph_t graph, const gs_node_t *after, size_t count,
                                       int32_t mode) {
    return with_stream<Rule::Device>(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_mode(mode));
        GS_TRY(check_array(after, count, "after"));
        return begin_capture_to(thread, slot, handle_bits(graph), after, count, mode);
    });
}

gs_status_t gs_stream_end_capture(gs_stream_t stream, gs_graph_t *out_graph) {
    if (tools::observed()) tools::before_capture_end(handle_bits(stream));
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_graph),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         uint64_t handle = 0;
                                         GS_TRY(settled(thread, slot, end_capture(thread, slot, &handle)));
                                         *out_graph = to_handle<gs_graph_t>(handle);
                                         return kOk;
                                     });
}

gs_status_t gs_stream_abort_capture(gs_stream_t stream) {
    return with_stream<Rule::Device>(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) {
        return settled(thread, slot, abort_capture(thread, slot));
    });
}

gs_status_t gs_stream_capture_info(gs_stream_t stream, gs_capture_info_t *out_info) {
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_info), [&](ThreadBlock &thread, StreamSlot &slot) {
        return capture_info(thread, slot, out_info);
    });
}

gs_status_t gs_stream_capture_nodes(gs_stream_t stream, gs_node_t *out_nodes, size_t capacity, size_t *out_count) {
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_count),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         GS_TRY(check_array(out_nodes, capacity, "out_nodes"));
                                         return capture_nodes(thread, slot, out_nodes, capacity, out_count);
                                     });
}

gs_status_t gs_stream_set_capture_nodes(gs_stream_t stream, const gs_node_t *nodes, size_t count, int32_t add) {
    return with_stream<Rule::Device>(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_array(nodes, count, "nodes"));
        if (add != 0 && add != 1) return fail(GS_ERROR_INVALID_ARGUMENT, "add is %d: it must be 1 or 0", add);
        return set_capture_nodes(thread, slot, nodes, count, add != 0);
    });
}

} // extern "C"
