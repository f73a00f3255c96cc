// SPDX-License-Identifier: Apache-2.0
// The library as a whole: version, start, settings, statistics, bridges.
#pragma once

#include "callback.hpp"
#include "result.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// Version of the loaded library: 10000 * major + 100 * minor + patch.
inline uint32_t version() noexcept { return gs_version(); }
inline std::string_view version_string() noexcept { return gs_version_string(); }
/// Fails with wrong_abi if the loaded library has another ABI version than this header; the text has its file and both
/// versions. Calls no other function of the library. For programs that want to know before their first call, which
/// fails with the same.
inline outcome<void> require_abi() { return detail::done(detail::abi_status()); }

/// Copies of the library in this process; more than one is nearly always a mistake of packaging.
inline int32_t instance_count() noexcept { return gs_instance_count(); }

/// Starts the default backend, which the first call that needs a device does otherwise.
inline outcome<void> init() { return detail::done(detail::with_abi(gs_init)); }
inline outcome<bool> is_initialized() {
    int32_t answer = 0;
    const gs_status_t status = detail::with_abi(gs_is_initialized, &answer);
    return detail::value(status, answer != 0);
}
inline outcome<bool> is_available() {
    int32_t answer = 0;
    const gs_status_t status = detail::with_abi(gs_is_available, &answer);
    return detail::value(status, answer != 0);
}
/// Calls function() when a backend is started, or now if one is. An exception in it fails the start with
/// status::internal.
template <typename Function>
outcome<void> call_on_init(Function &&function) {
    using boxed = detail::box<std::decay_t<Function>>;
    const gs_status_t known = detail::abi_status();
    if (known != GS_OK) return detail::done(known);
    auto *made = detail::boxed(std::forward<Function>(function));
    const gs_status_t status = made == nullptr ? detail::no_memory : gs_call_on_init(boxed::start_once, made);
    // A box that has run is deleted, and has answered OK or INTERNAL: with another status the library has refused it.
    if (status != GS_OK && status != GS_ERROR_INTERNAL) delete made;
    return detail::done(status);
}
inline outcome<backend> default_backend() {
    gs_backend_t found = GS_BACKEND_DEFAULT;
    const gs_status_t status = detail::with_abi(gs_default_backend, &found);
    return detail::value(status, static_cast<backend>(found));
}
inline outcome<fork_status> forked() {
    int32_t found = 0;
    const gs_status_t status = detail::with_abi(gs_fork_status, &found);
    return detail::value(status, static_cast<fork_status>(found));
}

inline outcome<void> set_wait_mode(wait_mode mode) {
    return detail::done(detail::with_abi(gs_set_option, GS_OPTION_WAIT_MODE, static_cast<int64_t>(mode)));
}
inline outcome<wait_mode> get_wait_mode() {
    int64_t mode = 0;
    const gs_status_t status = detail::with_abi(gs_get_option, GS_OPTION_WAIT_MODE, &mode);
    return detail::value(status, static_cast<wait_mode>(mode));
}
inline outcome<void> set_sync_debug(sync_debug mode) {
    return detail::done(detail::with_abi(gs_set_option, GS_OPTION_SYNC_DEBUG_MODE, static_cast<int64_t>(mode)));
}
inline outcome<sync_debug> get_sync_debug() {
    int64_t mode = 0;
    const gs_status_t status = detail::with_abi(gs_get_option, GS_OPTION_SYNC_DEBUG_MODE, &mode);
    return detail::value(status, static_cast<sync_debug>(mode));
}
inline outcome<void> set_sync_debug_scope(sync_scope scope) {
    return detail::done(detail::with_abi(gs_set_option, GS_OPTION_SYNC_DEBUG_SCOPE, static_cast<int64_t>(scope)));
}
inline outcome<sync_scope> get_sync_debug_scope() {
    int64_t scope = 0;
    const gs_status_t status = detail::with_abi(gs_get_option, GS_OPTION_SYNC_DEBUG_SCOPE, &scope);
    return detail::value(status, static_cast<sync_scope>(scope));
}
/// gs_set_log_callback(): gets failures that no call can return, and warnings, on any thread; null is the default, standard error.
inline outcome<void> set_log(void (*function)(void *argument, int32_t level, const char *text),
                             void *argument = nullptr) {
    return detail::done(detail::with_abi(gs_set_log_callback, function, argument));
}
/// What a wait for an event without a record is, in all streams and threads: nothing, a warning, or status::not_recorded.
inline outcome<void> set_unrecorded(unrecorded mode) {
    return detail::done(detail::with_abi(gs_set_option, GS_OPTION_UNRECORDED_MODE, static_cast<int64_t>(mode)));
}
inline outcome<unrecorded> get_unrecorded() {
    int64_t mode = 0;
    const gs_status_t status = detail::with_abi(gs_get_option, GS_OPTION_UNRECORDED_MODE, &mode);
    return detail::value(status, static_cast<unrecorded>(mode));
}

/// Counters of all threads.
inline outcome<gs_stats_t> stats() {
    gs_stats_t found{};
    found.struct_size = sizeof found;
    const gs_status_t status = detail::with_abi(gs_get_stats, &found);
    return detail::value(status, found);
}
inline outcome<void> reset_stats() { return detail::done(detail::with_abi(gs_reset_stats)); }
/// Releases what is kept for reuse, and runs deferred functions that are due.
inline outcome<void> trim() { return detail::done(detail::with_abi(gs_trim)); }

/// A library that keeps a current stream of its own ("torch", "tvm_ffi", "executorch"): see docs/guide/interop.md.
inline outcome<int32_t> find_bridge(const char *name) {
    int32_t number = 0;
    const gs_status_t status = detail::with_abi(gs_bridge_find, name, &number);
    return detail::value(status, number);
}
inline outcome<int32_t> register_bridge(const gs_bridge_t &bridge) {
    int32_t number = 0;
    const gs_status_t status = detail::with_abi(gs_bridge_register, &bridge, &number);
    return detail::value(status, number);
}
inline outcome<void> unregister_bridge(int32_t bridge) {
    return detail::done(detail::with_abi(gs_bridge_unregister, bridge));
}
/// From then on changes of the current stream here change theirs.
inline outcome<void> lead(int32_t bridge, bool on = true) {
    return detail::done(detail::with_abi(gs_bridge_lead, bridge, on ? 1 : 0));
}
/// From then on the current stream here is what theirs is; 0 ends it.
inline outcome<void> follow(int32_t bridge) { return detail::done(detail::with_abi(gs_bridge_follow, bridge)); }

GPUSTREAM_END_NAMESPACE
