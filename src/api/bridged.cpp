// SPDX-License-Identifier: Apache-2.0
#include "api/boundary.hpp"

#include "api/with.hpp"
#include "core/bridge/bridged_calls.hpp"
#include "core/bridge/follow.hpp"
#include "core/thread/current_stream.hpp"

using namespace gs::api;

namespace {

// As boundary(), for callers that have found the rare state: with a bridge, this is their usual way.
template <Rule rule, typename Body>
gs_status_t with_core(const Call call, Body &&body) noexcept {
    if (in_bad_fork()) return enter_rare_state(call.function, false);
    return guarded<rule>(call, [&](ThreadBlock &thread) -> Status {
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        settle_bridges(thread, *core);
        return body(thread, *core);
    });
}

} // namespace

namespace gs::api::bridged {

gs_status_t current_stream(const char *function, gs_device_t device, gs_stream_t *out_stream) noexcept {
    return with_core<Rule::Getter>(Call(function, device), [&](ThreadBlock &thread, CoreThread &core) -> Status {
        GS_INPUT(out_stream);
        GS_TRY(refuse_inside_bridge(&core));
        Device *target = nullptr;
        GS_TRY(find_usual_device(thread, core, device, &target));
        GS_TRY(follow_now(thread, core, *target));
        *out_stream = to_handle<gs_stream_t>(gs::current_stream(core, *target)->handle.load(std::memory_order_relaxed));
        return kOk;
    });
}

gs_status_t set(const char *function, gs_stream_t stream) noexcept {
    return with_core<Rule::Device>(Call(function, stream), [&](ThreadBlock &thread, CoreThread &core) {
        return set_bridged(thread, core, handle_bits(stream), nullptr);
    });
}

gs_status_t exchange(const char *function, gs_stream_t stream, gs_stream_t *out_previous) noexcept {
    return with_core<Rule::Device>(Call(function, stream), [&](ThreadBlock &thread, CoreThread &core) -> Status {
        GS_INPUT(out_previous);
        uint64_t previous = 0;
        GS_TRY(set_bridged(thread, core, handle_bits(stream), &previous));
        *out_previous = to_handle<gs_stream_t>(previous);
        return kOk;
    });
}

gs_status_t push(const char *function, gs_stream_t stream, uint64_t *out_scope) noexcept {
    return with_core<Rule::Device>(Call(function, stream), [&](ThreadBlock &thread, CoreThread &core) -> Status {
        GS_INPUT(out_scope);
        uint64_t token = 0;
        GS_TRY(push_bridged(thread, core, handle_bits(stream), &token));
        *out_scope = token;
        return kOk;
    });
}

gs_status_t pop(const char *function, uint64_t scope) noexcept {
    return with_core<Rule::Device>(
        function, [&](ThreadBlock &thread, CoreThread &core) { return pop_bridged(thread, core, scope); });
}

gs_status_t unwind(const char *function, uint64_t scope) noexcept {
    return with_core<Rule::Device>(
        function, [&](ThreadBlock &thread, CoreThread &core) { return unwind_bridged(thread, core, scope); });
}

gs_status_t current_device(const char *function, gs_device_t *out_device) noexcept {
    return boundary<Rule::Getter>(function, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_device);
        GS_TRY(refuse_inside_bridge(thread.core));
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(gs::current_device(thread, &device));
        *out_device = device_number(*device);
        return kOk;
    });
}

gs_status_t set_device(const char *function, gs_device_t device) noexcept {
    return with_core<Rule::Device>(Call(function, device), [&](ThreadBlock &thread, CoreThread &core) -> Status {
        Device *previous = nullptr;
        Device *target = nullptr;
        GS_TRY(gs::current_device(thread, &previous));
        GS_TRY(resolve_device(thread, device, &target));
        return set_device_bridged(thread, core, *previous, *target, set_current_device);
    });
}

gs_status_t exchange_device(const char *function, gs_device_t device, gs_device_t *out_previous) noexcept {
    return with_core<Rule::Device>(Call(function, device), [&](ThreadBlock &thread, CoreThread &core) -> Status {
        GS_INPUT(out_previous);
        Device *previous = nullptr;
        Device *target = nullptr;
        GS_TRY(gs::current_device(thread, &previous));
        GS_TRY(resolve_device(thread, device, &target));
        GS_TRY(set_device_bridged(thread, core, *previous, *target, go_back_to_device));
        *out_previous = device_number(*previous);
        return kOk;
    });
}

} // namespace gs::api::bridged
