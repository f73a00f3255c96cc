// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: names, the ordering checker, what a thread may not do.
#include "api/with.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/memory/allocate.hpp"
#include "core/names.hpp"

using namespace gs::api;

namespace {

constexpr uint32_t kCheckFlags = GS_CHECK_ABORT | GS_CHECK_STACKS;

bool has_nvtx_names(const Device &device) noexcept { return (device.backend->caps() & kCapNvtxNames) != 0; }

Status check_range(const void *address, size_t bytes) noexcept {
    if (bytes == 0) return kOk;
    GS_INPUT(address);
    if (bytes <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(address)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes at %p pass the end of the address space", bytes, address);
}

gs_status_t check_access(const char *function, gs_stream_t stream, bool write, const void *address, size_t bytes,
                         const char *label) noexcept {
    return on_stream(function, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_range(address, bytes));
        if (bytes == 0 || !tools::observed()) return kOk;
        return tools::declare_access(thread, slot, write, address, bytes, label);
    });
}

// Without a CallMark: a graph lives by its mutex.
gs_status_t check_node_access(const char *function, gs_graph_t graph, gs_node_t node, bool write, const void *address,
                              size_t bytes, const char *label) noexcept {
    return boundary<Rule::Device>(function, [&](ThreadBlock &thread) -> Status {
        uintptr_t native = 0;
        GS_TRY(native_node(handle_bits(graph), node, &native));
        GS_TRY(check_range(address, bytes));
        if (bytes != 0 && tools::observed())
            tools::declare_node_access(thread, handle_bits(graph), node, write, address, bytes, label);
        return kOk;
    });
}

Status give_name(uint64_t handle, const char *name) noexcept {
    GS_TRY(set_name(handle, name));
    tools::note_name(handle);
    return kOk;
}

} // namespace

extern "C" {

// A tool of NVTX gets the name once the mark has gone: it is foreign code.
gs_status_t gs_stream_set_name(gs_stream_t stream, const char *name) {
    uintptr_t told = 0;
    const gs_status_t status =
        with_stream<Rule::Getter>(__func__, stream, [&](ThreadBlock &, StreamSlot &slot) -> Status {
            if (slot.native != kNativePerThreadStream && has_nvtx_names(*slot.device)) told = slot.native;
            return give_name(handle_bits(stream), name);
        });
    if (status == GS_OK && told != 0) tools::tell_stream_name(told, name_of_object(handle_bits(stream)).text);
    return status;
}

gs_status_t gs_event_set_name(gs_event_t event, const char *name) {
    uintptr_t told = 0;
    bool later = false;
    const gs_status_t status = with_event<Rule::Getter>(__func__, event, [&](ThreadBlock &, EventSlot &slot) -> Status {
        const Device *device = slot.device.load(std::memory_order_acquire);
        const bool may_be_told = !device || has_nvtx_names(*device);
        if (may_be_told) told = slot.native.load(std::memory_order_acquire);
        later = may_be_told && told == 0;
        return give_name(handle_bits(event), name);
    });
    if (status != GS_OK) return status;
    if (told != 0) tools::tell_event_name(told, name_of_object(handle_bits(event)).text);
    if (later) tools::keep_name_for_tool(handle_bits(event));
    return status;
}

gs_status_t gs_graph_set_name(gs_graph_t graph, const char *name) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_TRY(name_graph(handle_bits(graph), name));
        tools::note_name(handle_bits(graph));
        return kOk;
    });
}

gs_status_t gs_memory_set_name(const void *pointer, const char *name) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(pointer);
        return set_block_name(pointer, name);
    });
}

gs_status_t gs_check_start(uint32_t flags) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_TRY(check_flags("flags", flags, kCheckFlags, "GS_CHECK_ABORT 1 and GS_CHECK_STACKS 2"));
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->start_checker(flags);
    });
}

gs_status_t gs_check_stop(void) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        tools::stop_checker();
        return kOk;
    });
}

gs_status_t gs_check_read(gs_stream_t stream, const void *address, size_t bytes, const char *label) {
    return check_access(__func__, stream, false, address, bytes, label);
}

gs_status_t gs_check_write(gs_stream_t stream, const void *address, size_t bytes, const char *label) {
    return check_access(__func__, stream, true, address, bytes, label);
}

gs_status_t gs_graph_check_read(gs_graph_t graph, gs_node_t node, const void *address, size_t bytes,
                                const char *label) {
    return check_node_access(__func__, graph, node, false, address, bytes, label);
}

gs_status_t gs_graph_check_write(gs_graph_t graph, gs_node_t node, const void *address, size_t bytes,
                                 const char *label) {
    return check_node_access(__func__, graph, node, true, address, bytes, label);
}

gs_status_t gs_check_handover(uint64_t *inout_clock) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(inout_clock);
        if (tools::observed()) tools::hand_over(thread, inout_clock);
        return kOk;
    });
}

gs_status_t gs_set_check_callback(void (*fn)(void *arg, const char *text, const char *json), void *arg) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        const ToolHooks *hooks = loaded_tools();
        if (fn) GS_TRY(need_tools(&hooks));
        if (hooks) hooks->set_report_function(fn, arg);
        return kOk;
    });
}

} // extern "C"
