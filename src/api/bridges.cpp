// SPDX-License-Identifier: Apache-2.0
// Bridges to libraries that keep a current stream of their own.
#include <cstring>

#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "core/bridge/bridge_table.hpp"
#include "core/bridge/follow.hpp"

using namespace gs::api;

namespace {

Status check(const gs_bridge_t &given, gs_bridge_t *out) noexcept {
    GS_TRY(read_sized(&given, out));
    if (!out->name || *out->name == '\0') return fail(GS_ERROR_INVALID_ARGUMENT, "the bridge has no name");
    if (strnlen(out->name, kLongestBridgeName + 1) > kLongestBridgeName)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the bridge's name has more than %zu bytes", kLongestBridgeName);
    if (!out->get) return fail(GS_ERROR_INVALID_ARGUMENT, "bridge '%s' has no get", out->name);
    if (out->reserved != 0) return fail(GS_ERROR_INVALID_ARGUMENT, "reserved is %u instead of 0", out->reserved);
    if (out->backend == GS_BACKEND_DEFAULT) {
        Backend *backend = nullptr;
        GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
        out->backend = backend->kind();
    }
    if (is_backend_kind(out->backend)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%d is not a backend", out->backend);
}

} // namespace

extern "C" {

gs_status_t gs_bridge_register(const gs_bridge_t *bridge, int32_t *out_bridge) {
    zero(out_bridge);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(bridge);
        GS_INPUT(out_bridge);
        GS_TRY(refuse_inside_bridge(thread.core));
        gs_bridge_t checked{};
        GS_TRY(check(*bridge, &checked));
        return register_bridge(checked, out_bridge);
    });
}

gs_status_t gs_bridge_unregister(int32_t bridge) {
    return boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_TRY(refuse_inside_bridge(thread.core));
        int place = 0;
        GS_TRY(withdraw_bridge(bridge, &place));
        wait_until_outside(place);
        free_bridge(place);
        rest_bridges(bridges_may_rest);
        return kOk;
    });
}

gs_status_t gs_bridge_find(const char *name, int32_t *out_bridge) {
    zero(out_bridge);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(name);
        GS_INPUT(out_bridge);
        *out_bridge = registered_bridge(name);
        return *out_bridge != 0 ? kOk : register_built_in(name, out_bridge);
    });
}

gs_status_t gs_bridge_lead(int32_t bridge, int32_t on) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        if (on != 0 && on != 1) return fail(GS_ERROR_INVALID_ARGUMENT, "on is %d instead of 1 or 0", on);
        GS_TRY(refuse_inside_bridge(thread.core));
        g_current_hook.store(before_current, std::memory_order_release);
        GS_TRY(lead_bridge(bridge, on == 1));
        rest_bridges(bridges_may_rest);
        return kOk;
    });
}

gs_status_t gs_bridge_follow(int32_t bridge) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_TRY(refuse_inside_bridge(thread.core));
        g_current_hook.store(before_current, std::memory_order_release);
        GS_TRY(follow_bridge(bridge));
        rest_bridges(bridges_may_rest);
        return kOk;
    });
}

int32_t gs_dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream) {
    const gs_status_t status = boundary<Rule::Getter>(__func__, GS_OUT(out_stream), [&](ThreadBlock &thread) -> Status {
        return work_stream(thread, device_type, device_id, out_stream);
    });
    return status == GS_OK ? 0 : -1;
}

} // extern "C"
