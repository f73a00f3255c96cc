// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

using namespace layer;

extern "C" __attribute__((visibility("default"))) uint32_t layer_gs_version() { return version(); }
extern "C" __attribute__((visibility("default"))) int32_t layer_gs_instance_count() { return instance_count(); }
extern "C" __attribute__((visibility("default"))) const char *layer_gs_status_name(gs_status_t value) {
    return name(static_cast<status>(value)).data();
}
extern "C" __attribute__((visibility("default"))) const char *layer_gs_status_message(gs_status_t value) {
    return message(static_cast<status>(value)).data();
}

// The record as an error object keeps it.
LAYER(gs_last_error, gs_error_info_t *out) {
    gs_error_info_t last{};
    last.struct_size = sizeof last;
    if (!out || out->struct_size != sizeof last || gs_last_error(&last) != GS_OK) return gs_last_error(out);
    *out = error(static_cast<status>(last.status)).info();
    if (last.status == GS_OK) *out = last; // no failure, no error
    return GS_OK;
}

LAYER(gs_init, void) {
    return status_of([] { return init(); });
}
LAYER(gs_is_initialized, int32_t *out) {
    OR_C(out, gs_is_initialized, out);
    return give(out, [] { return is_initialized(); });
}
LAYER(gs_is_available, int32_t *out) {
    OR_C(out, gs_is_available, out);
    return give(out, [] { return is_available(); });
}
LAYER(gs_fork_status, int32_t *out) {
    OR_C(out, gs_fork_status, out);
    return give(out, [] { return forked(); });
}
LAYER(gs_default_backend, gs_backend_t *out) {
    OR_C(out, gs_default_backend, out);
    return give(out, [] { return default_backend(); });
}
LAYER(gs_set_option, int32_t option, int64_t value) {
    switch (option) {
    case GS_OPTION_SYNC_DEBUG_MODE: return status_of([&] { return set_sync_debug(static_cast<sync_debug>(value)); });
    case GS_OPTION_SYNC_DEBUG_SCOPE:
        return status_of([&] { return set_sync_debug_scope(static_cast<sync_scope>(value)); });
    case GS_OPTION_UNRECORDED_MODE: return status_of([&] { return set_unrecorded(static_cast<unrecorded>(value)); });
    case GS_OPTION_WAIT_MODE: return status_of([&] { return set_wait_mode(static_cast<wait_mode>(value)); });
    default: return gs_set_option(option, value);
    }
}
LAYER(gs_get_option, int32_t option, int64_t *out) {
    OR_C(out, gs_get_option, option, out);
    switch (option) {
    case GS_OPTION_SYNC_DEBUG_MODE: return give(out, [] { return get_sync_debug(); });
    case GS_OPTION_SYNC_DEBUG_SCOPE: return give(out, [] { return get_sync_debug_scope(); });
    case GS_OPTION_UNRECORDED_MODE: return give(out, [] { return get_unrecorded(); });
    case GS_OPTION_WAIT_MODE: return give(out, [] { return get_wait_mode(); });
    default: return gs_get_option(option, out);
    }
}
LAYER(gs_get_stats, gs_stats_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_get_stats(out);
    return give_struct(out, [] { return stats(); });
}
LAYER(gs_reset_stats, void) {
    return status_of([] { return reset_stats(); });
}
LAYER(gs_trim, void) {
    return status_of([] { return trim(); });
}
LAYER(gs_bridge_register, const gs_bridge_t *bridge, int32_t *out) {
    if (!bridge) return gs_bridge_register(bridge, out);
    OR_C(out, gs_bridge_register, bridge, out);
    return give(out, [&] { return register_bridge(*bridge); });
}
LAYER(gs_bridge_unregister, int32_t bridge) {
    return status_of([&] { return unregister_bridge(bridge); });
}
LAYER(gs_bridge_find, const char *name, int32_t *out) {
    OR_C(out, gs_bridge_find, name, out);
    return give(out, [&] { return find_bridge(name); });
}
LAYER(gs_bridge_lead, int32_t bridge, int32_t on) {
    if (on != 0 && on != 1) return gs_bridge_lead(bridge, on);
    return status_of([&] { return lead(bridge, on != 0); });
}
LAYER(gs_bridge_follow, int32_t bridge) {
    return status_of([&] { return follow(bridge); });
}
