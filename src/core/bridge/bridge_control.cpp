// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridge_control.hpp"

#include "core/bridge/follow.hpp"
#include "core/lookup.hpp"

namespace gs {

Status lead(ThreadBlock &thread, int32_t id, bool on) noexcept {
    GS_TRY(refuse_inside_bridge(thread.core));
    g_current_hook.store(before_current, std::memory_order_release);
    GS_TRY(lead_bridge(id, on));
    rest_bridges(bridges_may_rest);
    return kOk;
}

Status follow(ThreadBlock &thread, int32_t id) noexcept {
    GS_TRY(refuse_inside_bridge(thread.core));
    g_current_hook.store(before_current, std::memory_order_release);
    GS_TRY(follow_bridge(id));
    rest_bridges(bridges_may_rest);
    return kOk;
}

Status unregister_bridge(ThreadBlock &thread, int32_t id) noexcept {
    GS_TRY(refuse_inside_bridge(thread.core));
    int place = 0;
    GS_TRY(withdraw_bridge(id, &place));
    wait_until_outside(place);
    free_bridge(place);
    rest_bridges(bridges_may_rest);
    return kOk;
}

} // namespace gs
