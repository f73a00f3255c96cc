// SPDX-License-Identifier: Apache-2.0
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

void start(Run &run) {
    int32_t value = 0;
    gs_backend_t backend = 0;
    DO(gs_is_available(run.out(&value)));
    DO(gs_device_count(GS_BACKEND_CUDA, run.out(&value)));
    DO(gs_default_backend(run.out(&backend)));
    DO(gs_call_on_init([](void *) -> gs_status_t { return GS_OK; }, nullptr));
    DO(gs_init());
    DO(gs_is_initialized(run.out(&value)));
    run.require(value == 1, "is_initialized == 1");
    DO(gs_fork_status(run.out(&value)));
    DO(gs_device_count(GS_BACKEND_DEFAULT, run.out(&value)));
    run.require(value == 2, "device_count == 2");
}

// What needs no driver at all, and must answer whatever the driver does.
void library(Run &run) {
    int32_t value = 0;
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    DO(gs_set_sync_debug_mode(GS_SYNC_DEBUG_DEFAULT));
    DO(gs_get_sync_debug_mode(run.out(&value)));
    DO(gs_set_sync_debug_scope(GS_SYNC_SCOPE_TORCH));
    DO(gs_get_sync_debug_scope(run.out(&value)));
    DO(gs_get_stats(&stats));
    DO(gs_reset_stats());
    DO(gs_last_error(&error));
    for (const char *name : {"gs_version", "gs_abi_version", "gs_version_string", "gs_instance_count", "gs_status_name",
                             "gs_status_message", "gs_native_error_text", "gs_device_make", "gs_device_backend",
                             "gs_device_ordinal", "gs_set_log_callback"})
        run.called(name);
    run.require(gs_version() != 0 && gs_abi_version() != 0 && gs_version_string() && gs_instance_count() >= 0,
                "versions");
    run.require(gs_status_name(GS_OK) && gs_status_message(GS_OK) && gs_native_error_text(GS_BACKEND_CUDA, 700),
                "texts");
    const gs_device_t device = gs_device_make(GS_BACKEND_CUDA, 1);
    run.require(gs_device_backend(device) == GS_BACKEND_CUDA && gs_device_ordinal(device) == 1, "device words");
}

void properties(Run &run) {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    int32_t can = 0, least = 0, greatest = 0;
    DO(gs_device_get_info(0, &info));
    DO(gs_device_can_access_peer(0, 1, run.out(&can)));
    DO(gs_device_priority_range(0, run.out(&least), run.out(&greatest)));
    run.require(least == 0 && greatest == -5, "priorities");
    DO(gs_device_get_info(0, &info));
}

void current_device(Run &run) {
    gs_device_t device = 0, previous = 0;
    gs_stream_t stream = nullptr;
    DO(gs_current_device(run.out(&device)));
    DO(gs_default_stream(0, run.out(&stream)));
    DO(gs_stream_synchronize(stream));
    DO(gs_set_current_device(1));
    DO(gs_exchange_device(0, run.out(&previous)));
    DO(gs_maybe_exchange_device(1, run.out(&previous)));
    DO(gs_set_current_device(0));
}

void whole_device(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    DO(gs_stream_sleep(stream, 1000));
    DO(gs_device_synchronize(0));
    DO(gs_device_check(0));
    DO(gs_trim());
}

} // namespace

std::vector<Scenario> device_scenarios() {
    return {{"start", start, true},
            {"library", library},
            {"properties", properties},
            {"current_device", current_device},
            {"whole_device", whole_device}};
}

} // namespace gs::test
