// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "fault/fake_driver.hpp"
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

// Calls that need no driver and must work whatever the driver does.
void library(Run &run) {
    int64_t value = 0;
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    DO(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    DO(gs_get_option(GS_OPTION_SYNC_DEBUG_MODE, run.out(&value)));
    DO(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_TORCH));
    DO(gs_get_option(GS_OPTION_SYNC_DEBUG_SCOPE, run.out(&value)));
    DO(gs_set_option(GS_OPTION_UNRECORDED_MODE, GS_UNRECORDED_IGNORE));
    DO(gs_get_option(GS_OPTION_UNRECORDED_MODE, run.out(&value)));
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
    DO(gs_exchange_device(1, run.out(&previous)));
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

// NVML works: only the driver fails.
void name_libraries() { setenv("GPUSTREAM_LIBNVML", GS_TEST_FAKE_NVML, 1); }

void inventory(Run &run) {
    int32_t gpus = 0, entries = 0, index = 0;
    const char *list = nullptr;
    gs_inventory_entry_t entry{};
    entry.struct_size = sizeof entry;
    DO(gs_init());
    DO(gs_inventory_count(run.out(&gpus), run.out(&entries)));
    DO(gs_inventory_index(0, run.out(&index)));
    DO(gs_inventory_index(1, run.out(&index)));
    run.require(index == 1, "the index of device 1");
    DO(gs_inventory_get(1, &entry));
    run.require(entry.ordinal == 1, "the ordinal of entry 1");
    gs_telemetry_t read{};
    read.struct_size = sizeof read;
    DO(gs_device_get_telemetry(1, 0, &read));
    run.require(read.utilization_percent == 11, "the load of device 1");
    DO(gs_parse_visible_devices("0,1", run.out(&list)));
}

// Limits, peers and addresses; what a thread has current, adopted by itself.
void found_devices(Run &run) {
    uint64_t limit = 0, scope = 0;
    DO(gs_device_get_limit(1, GS_LIMIT_STACK_SIZE, run.out(&limit)));
    run.require(limit >= 1024, "the usual limit");
    DO(gs_device_set_limit(1, GS_LIMIT_STACK_SIZE, limit));
    size_t peers = 0;
    DO(gs_device_peers(1, nullptr, 0, run.out(&peers)));
    run.require(peers == 1, "the other device");
    gs_device_t device = 0; // properties that cannot be asked for are unknown, and so is the address: `properties`
    DO_FAILING(GS_ERROR_INVALID_ARGUMENT, gs_device_from_pci("ff", &device));
    STREAM(stream);
    MAKE(stream, gs_stream_create(1, 0, 0, stream.out()));
    gs_snapshot_t snapshot{};
    snapshot.struct_size = sizeof snapshot;
    DO(gs_current_snapshot(&snapshot));
    snapshot.stream = stream;
    DO(gs_current_adopt(&snapshot, run.out(&scope)));
    CLEAN(gs_unwind_current_stream(scope));
}

// Of a device without a context, which stays as it is; reset_test.cpp has those that end.
void reset(Run &run) {
    DO(gs_init());
    DO(gs_device_reset(1));
}

void forget_nvml() { setenv("GPUSTREAM_LIBNVML", "/no/such/library", 1); }

// Without NVML the driver reports how full a device is.
void memory_without_nvml(Run &run) {
    gs_telemetry_t read{};
    read.struct_size = sizeof read;
    STREAM(stream);
    MAKE(stream, gs_stream_create(1, 0, 0, stream.out()));
    DO(gs_device_get_telemetry(1, GS_TELEMETRY_MEMORY, &read));
    run.require(read.memory_total_bytes == uint64_t{1} << 30 &&
                    read.memory_used_bytes + read.memory_free_bytes == read.memory_total_bytes,
                "the memory of device 1");
}

// Another library uses CUDA first: the driver is queried before this library has started it.
void let_another_library_initialise() {
    name_libraries();
    if (fake().symbol<PFN_cuInit_v2000>("cuInit")(0) != CUDA_SUCCESS) std::abort();
}

void driver_in_use(Run &run) {
    int32_t count = 0, index = 0;
    gs_telemetry_t read{};
    read.struct_size = sizeof read;
    DO(gs_device_count(GS_BACKEND_CUDA, run.out(&count)));
    run.require(count == 2, "the driver's count");
    DO(gs_inventory_index(GS_DEVICE(GS_BACKEND_CUDA, 1), run.out(&index)));
    run.require(index == 1, "the index of device 1");
    DO(gs_device_get_telemetry(GS_DEVICE(GS_BACKEND_CUDA, 1), GS_TELEMETRY_UTILIZATION, &read));
    run.require(read.utilization_percent == 11, "the load of device 1");
}

} // namespace

std::vector<Scenario> device_scenarios() {
    return {{"start", start, true},
            {"library", library},
            {"properties", properties},
            {"current_device", current_device},
            {"whole_device", whole_device},
            {"found_devices", found_devices},
            {"reset", reset},
            {"inventory", inventory, true, nullptr, name_libraries},
            {"memory_without_nvml", memory_without_nvml, false, nullptr, forget_nvml},
            {"driver_in_use", driver_in_use, true, nullptr, let_another_library_initialise}};
}

} // namespace gs::test
