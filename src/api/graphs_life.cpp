// SPDX-License-Identifier: Apache-2.0
// Graphs and executable graphs.
#include "api/with.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/graph/graph_calls.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/names.hpp"

using namespace gs::api;

namespace {

[[gnu::noinline]] gs_status_t graph_exec_launch(gs_graph_exec_t exec, gs_stream_t stream) noexcept {
    return boundary<Rule::DeviceInside>(Call("gs_graph_exec_launch", stream), [&](ThreadBlock &thread) -> Status {
        {
            CallMark mark(thread);
            if (ExecSlot *own = own_exec(thread, handle_bits(exec))) {
                StreamSlot *slot = nullptr;
                GS_TRY(optional_stream(thread, handle_bits(stream), &slot));
                // A function of a bridge has run in between.
                if (own_exec(thread, handle_bits(exec)) == own) return launch_exec(thread, *own, *slot);
            }
        }
        return launch_shared(thread, handle_bits(exec), handle_bits(stream));
    });
}
constexpr auto kSawGraphExecLaunch = [](gs_graph_exec_t exec, gs_stream_t stream) {
    tools::saw_launch(handle_bits(exec), handle_bits(stream));
};

[[gnu::noinline, gnu::cold]] gs_status_t launch_observed(const char *function, gs_graph_exec_t exec,
                                                         gs_stream_t stream) noexcept {
    const bool in_range = tools::begin_launch_range(handle_bits(exec));
    if (tools::observed()) tools::before_launch(handle_bits(exec), handle_bits(stream));
    const gs_status_t status = call_observed<graph_exec_launch, kSawGraphExecLaunch>(function, exec, stream);
    if (tools::observed() && status != GS_OK) tools::saw_launch_fail(handle_bits(exec));
    if (in_range) tools::end_launch_range();
    return status;
}

// It has the name of its graph from the beginning.
[[gnu::cold]] void tell_name(gs_graph_exec_t exec) noexcept {
    tools::note_name(handle_bits(exec));
    tools::tell_launches_of(handle_bits(exec));
}

} // namespace

extern "C" {

GS_RARE gs_status_t gs_graph_create(gs_device_t device, uint32_t flags, gs_graph_t *out_graph) {
    return make_object(Call(__func__, device), GS_OUT(out_graph), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        GS_TRY(check_flags("graph flags", flags, 0, "none"));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return create_graph(thread, *target, handle);
    });
}

GS_RARE gs_status_t gs_graph_from_native(gs_device_t device, uintptr_t native, gs_graph_t *out_graph) {
    return make_object(Call(__func__, device), GS_OUT(out_graph), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return wrap_graph(thread, *target, native, handle);
    });
}

GS_RARE gs_status_t gs_graph_retain(gs_graph_t graph) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return retain_graph(handle_bits(graph)); });
}

GS_RARE gs_status_t gs_graph_destroy(gs_graph_t graph) {
    if (in_bad_fork()) return GS_OK;
    const gs_status_t status = boundary<Rule::Device>(
        __func__, [&](ThreadBlock &thread) { return release_graph(thread, handle_bits(graph)); });
    if (tools::observed() && status == GS_OK) tools::saw_graph_end();
    return status;
}

GS_RARE gs_status_t gs_graph_native(gs_graph_t graph, uintptr_t *out_native) {
    return boundary<Rule::Getter>(__func__, GS_OUT(out_native), [&](ThreadBlock &thread) -> Status {
        if (thread.callback_depth > 0) return native_graph(handle_bits(graph), out_native);
        LockedGraph locked;
        GS_TRY(locked.find(handle_bits(graph)));
        share_random(*locked);
        share_modules(thread, *locked);
        *out_native = locked->native;
        return kOk;
    });
}

GS_RARE gs_status_t gs_graph_keep(gs_graph_t graph, void (*release)(void *arg), void *arg) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(release);
        LockedGraph locked;
        GS_TRY(locked.find(handle_bits(graph)));
        return keep_for_graph(thread, *locked->graphs, locked->native, release, arg);
    });
}

GS_RARE gs_status_t gs_graph_instantiate(gs_graph_t graph, uint32_t flags, gs_graph_exec_t *out_exec) {
    const gs_status_t status =
        make_object(__func__, GS_OUT(out_exec), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
            GS_TRY(check_flags("flags", flags, GS_INSTANTIATE_AUTO_FREE | GS_INSTANTIATE_NODE_PRIORITY,
                               "GS_INSTANTIATE_AUTO_FREE 1 and GS_INSTANTIATE_NODE_PRIORITY 2"));
            return instantiate_graph(thread, handle_bits(graph), flags, handle);
        });
    if (status == GS_OK && name_of_object(handle_bits(*out_exec)).text[0] != '\0') tell_name(*out_exec);
    if (tools::observed() && status == GS_OK) tools::saw_exec(handle_bits(*out_exec), handle_bits(graph));
    return status;
}

gs_status_t gs_graph_exec_launch(gs_graph_exec_t exec, gs_stream_t stream) {
    if (in_rare_or_observed_state()) { // as observable()
        const gs_status_t status = launch_observed(__func__, exec, stream);
        __asm__ volatile("");
        return status;
    }
    return graph_exec_launch(exec, stream);
}

gs_status_t gs_graph_exec_upload(gs_graph_exec_t exec, gs_stream_t stream) {
    return boundary<Rule::Device>(Call(__func__, stream), [&](ThreadBlock &thread) {
        return upload_exec(thread, handle_bits(exec), handle_bits(stream));
    });
}

GS_RARE gs_status_t gs_graph_exec_retain(gs_graph_exec_t exec) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return retain_exec(handle_bits(exec)); });
}

GS_RARE gs_status_t gs_graph_exec_destroy(gs_graph_exec_t exec) {
    if (in_bad_fork()) return GS_OK;
    if (tools::observed()) tools::before_release(handle_bits(exec));
    const gs_status_t status =
        boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) { return release_exec(thread, handle_bits(exec)); });
    if (tools::observed() && status == GS_OK) tools::saw_exec_end(handle_bits(exec));
    return status;
}

GS_RARE gs_status_t gs_graph_exec_native(gs_graph_exec_t exec, uintptr_t *out_native) {
    return boundary<Rule::Getter>(__func__, GS_OUT(out_native),
                                  [&](ThreadBlock &) -> Status { return native_exec(handle_bits(exec), out_native); });
}

} // extern "C"
