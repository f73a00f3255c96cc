// SPDX-License-Identifier: Apache-2.0
#include "every_call.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/status_matchers.hpp"

namespace gs::test {
namespace {

constexpr InBadFork kRefused = InBadFork::Refused;
constexpr InBadFork kNothing = InBadFork::DoesNothing;
constexpr InBadFork kAnswers = InBadFork::Answers;

// The same function by both its names, so that the table cannot name one and call another.
// clang-format off
#define GS_CALL(expected, function, ...)                                               \
    {#function, expected, []([[maybe_unused]] const Objects &o) -> gs_status_t {       \
         return function(__VA_ARGS__);                                                 \
     }}
// Functions that return no status: the condition must hold.
#define GS_VALUE(function, condition)                                                  \
    {#function, kAnswers, []([[maybe_unused]] const Objects &o) -> gs_status_t {       \
         return (condition) ? GS_OK : GS_ERROR_INTERNAL;                               \
     }}
// clang-format on

// Outputs of the calls, of each thread: a table may be gone through by several at once.
thread_local int32_t t_int;
thread_local int32_t t_second;
thread_local const char *t_text;
thread_local int64_t t_long;
thread_local uint32_t t_unsigned;
thread_local uint64_t t_ulong;
thread_local double t_double;
thread_local uintptr_t t_word;
thread_local void *t_pointer;
thread_local gs_stream_t t_stream;
thread_local gs_event_t t_event;
thread_local gs_module_t t_module;
thread_local gs_kernel_t t_kernel;
thread_local gs_stream_triple_t t_triple;
thread_local gs_ipc_handle_t t_ipc;
thread_local gs_stats_t t_stats{sizeof(gs_stats_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
thread_local gs_error_info_t t_error{sizeof(gs_error_info_t), 0, 0, 0, 0, 0, "", "", "", ""};
thread_local gs_device_info_t t_info = [] {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    return info;
}();
thread_local gs_inventory_entry_t t_entry = [] {
    gs_inventory_entry_t entry{};
    entry.struct_size = sizeof entry;
    return entry;
}();
thread_local gs_launch_config_t t_config{sizeof(gs_launch_config_t), 1, 1, 1, 1, 1, 1, 0};
thread_local char t_bytes[64];

void nothing(void *) {}
void nothing_notified(void *, gs_status_t) {}
gs_status_t nothing_deferred(void *) { return GS_OK; }

// The machine may have no NVML and no GPU (tests/inventory has a fake): it is the inventory that says so, not the fork.
bool needs_no_backend(gs_status_t status) {
    return status == GS_OK || status == GS_ERROR_UNAVAILABLE || status == GS_ERROR_INVALID_ARGUMENT ||
           status == GS_ERROR_INVALID_DEVICE;
}

const std::vector<Call> kCalls = {
    GS_VALUE(gs_version, gs_version() == 10000 * GS_VERSION_MAJOR + 100 * GS_VERSION_MINOR + GS_VERSION_PATCH),
    GS_VALUE(gs_abi_version, gs_abi_version() == GS_ABI_VERSION),
    GS_VALUE(gs_version_string, std::strlen(gs_version_string()) >= 5),
    GS_VALUE(gs_instance_count, gs_instance_count() == 1),
    GS_VALUE(gs_status_name, std::strcmp(gs_status_name(GS_ERROR_BAD_FORK), "GS_ERROR_BAD_FORK") == 0),
    GS_VALUE(gs_status_message, std::strlen(gs_status_message(GS_ERROR_BAD_FORK)) > 10),
    GS_VALUE(gs_native_error_text, gs_native_error_text(GS_BACKEND_HOST, 0) != nullptr),
    GS_VALUE(gs_device_make, gs_device_make(GS_BACKEND_HOST, 1) == GS_DEVICE(GS_BACKEND_HOST, 1)),
    GS_VALUE(gs_device_backend, gs_device_backend(GS_DEVICE(GS_BACKEND_HOST, 1)) == GS_BACKEND_HOST),
    GS_VALUE(gs_device_ordinal, gs_device_ordinal(GS_DEVICE(GS_BACKEND_HOST, 1)) == 1),
    GS_CALL(kAnswers, gs_last_error, &t_error),
    GS_CALL(kAnswers, gs_set_log_callback, nullptr, nullptr),
    GS_CALL(kRefused, gs_init),
    GS_CALL(kAnswers, gs_is_initialized, &t_int),
    GS_CALL(kAnswers, gs_is_available, &t_int),
    GS_CALL(kRefused, gs_call_on_init, nothing_deferred, nullptr),
    GS_CALL(kAnswers, gs_fork_status, &t_int),
    GS_CALL(kAnswers, gs_set_sync_debug_mode, 0),
    GS_CALL(kAnswers, gs_get_sync_debug_mode, &t_int),
    GS_CALL(kAnswers, gs_set_sync_debug_scope, 0),
    GS_CALL(kAnswers, gs_get_sync_debug_scope, &t_int),
    GS_CALL(kAnswers, gs_get_stats, &t_stats),
    GS_CALL(kAnswers, gs_reset_stats),
    GS_CALL(kRefused, gs_trim),
    GS_CALL(kAnswers, gs_default_backend, &t_int),
    GS_CALL(kAnswers, gs_device_count, GS_BACKEND_HOST, &t_int),
    GS_CALL(kRefused, gs_current_device, &t_int),
    GS_CALL(kRefused, gs_set_current_device, o.device),
    GS_CALL(kRefused, gs_exchange_device, o.device, &t_int),
    GS_CALL(kRefused, gs_maybe_exchange_device, o.device, &t_int),
    GS_CALL(kRefused, gs_device_synchronize, o.device),
    GS_CALL(kRefused, gs_device_check, o.device),
    GS_CALL(kRefused, gs_device_get_info, o.device, &t_info),
    GS_CALL(kRefused, gs_device_can_access_peer, o.device, 1 - o.device, &t_int),
    GS_CALL(kRefused, gs_device_priority_range, o.device, &t_int, &t_int),
    GS_VALUE(gs_inventory_count, needs_no_backend(gs_inventory_count(&t_int, &t_second))),
    GS_VALUE(gs_inventory_get, needs_no_backend(gs_inventory_get(o.device, &t_entry))),
    GS_VALUE(gs_inventory_index, needs_no_backend(gs_inventory_index(GS_DEVICE(GS_BACKEND_CUDA, o.device), &t_int))),
    GS_CALL(kAnswers, gs_parse_visible_devices, "0,1", &t_text),
    GS_CALL(kAnswers, gs_match_uuids, "GPU-1", "GPU-1", &t_text),
    GS_CALL(kRefused, gs_device_utilization_percent, o.device, &t_int),
    GS_CALL(kRefused, gs_device_memory_utilization_percent, o.device, &t_int),
    GS_CALL(kRefused, gs_device_temperature_celsius, o.device, &t_int),
    GS_CALL(kRefused, gs_device_power_milliwatts, o.device, &t_int),
    GS_CALL(kRefused, gs_device_sm_clock_mhz, o.device, &t_int),
    GS_CALL(kRefused, gs_device_memory_bytes, o.device, &t_ulong, &t_ulong, &t_ulong),
    GS_VALUE(gs_arch_list, gs_arch_list(GS_BACKEND_HOST)[0] == '\0'),
    GS_VALUE(gs_gencode_flags, gs_gencode_flags(GS_BACKEND_HOST)[0] == '\0'),
    GS_CALL(kRefused, gs_current_blas_handle, &t_word),
    GS_CALL(kRefused, gs_stream_create, o.device, 0, 0, &t_stream),
    GS_CALL(kRefused, gs_stream_from_native, o.device, o.native_stream, &t_stream),
    GS_CALL(kRefused, gs_stream_from_native_owned, o.device, o.native_stream, nothing, nullptr, &t_stream),
    GS_CALL(kRefused, gs_stream_retain, o.stream),
    GS_CALL(kNothing, gs_stream_destroy, o.stream),
    GS_CALL(kRefused, gs_default_stream, o.device, &t_stream),
    GS_CALL(kRefused, gs_per_thread_stream, o.device, &t_stream),
    GS_CALL(kRefused, gs_current_stream, o.device, &t_stream),
    GS_CALL(kRefused, gs_set_current_stream, o.stream),
    GS_CALL(kRefused, gs_exchange_current_stream, o.stream, &t_stream),
    GS_CALL(kRefused, gs_push_current_stream, o.stream, &t_ulong),
    GS_CALL(kRefused, gs_pop_current_stream, o.scope),
    GS_CALL(kRefused, gs_unwind_current_stream, o.scope),
    GS_CALL(kRefused, gs_stream_query, o.stream, &t_int),
    GS_CALL(kRefused, gs_stream_synchronize, o.stream),
    GS_CALL(kRefused, gs_stream_wait_event, o.recorder, o.event),
    GS_CALL(kRefused, gs_stream_wait_stream, o.stream, o.recorder),
    GS_CALL(kRefused, gs_stream_record_event, o.recorder, o.event),
    GS_CALL(kRefused, gs_stream_native, o.stream, &t_word),
    GS_CALL(kRefused, gs_stream_id, o.stream, &t_long),
    GS_CALL(kRefused, gs_stream_device, o.stream, &t_int),
    GS_CALL(kRefused, gs_stream_priority, o.stream, &t_int),
    GS_CALL(kRefused, gs_stream_flags, o.stream, &t_unsigned),
    GS_CALL(kRefused, gs_stream_is_capturing, o.stream, &t_int),
    GS_CALL(kRefused, gs_stream_equal, o.stream, o.recorder, &t_int),
    GS_CALL(kRefused, gs_stream_hash, o.stream, &t_ulong),
    GS_CALL(kRefused, gs_stream_pack, o.stream, &t_triple),
    GS_CALL(kRefused, gs_stream_unpack, &o.triple, &t_stream),
    GS_CALL(kRefused, gs_stream_launch_host, o.stream, nothing, nullptr),
    GS_CALL(kRefused, gs_stream_notify, o.stream, nothing_notified, nullptr),
    GS_CALL(kRefused, gs_stream_sleep, o.stream, 1),
    GS_CALL(kRefused, gs_event_create, 0, &t_event),
    GS_CALL(kRefused, gs_event_retain, o.event),
    GS_CALL(kNothing, gs_event_destroy, o.event),
    GS_CALL(kRefused, gs_event_from_native, o.device, o.native_event, &t_event),
    GS_CALL(kRefused, gs_event_record, o.event, o.recorder),
    GS_CALL(kRefused, gs_event_wait, o.fresh, o.stream),
    GS_CALL(kRefused, gs_event_query, o.event, &t_int),
    GS_CALL(kRefused, gs_event_synchronize, o.event),
    GS_CALL(kRefused, gs_event_elapsed_ms, o.timed, o.timed, &t_double),
    GS_CALL(kRefused, gs_event_native, o.event, &t_word),
    GS_CALL(kRefused, gs_event_id, o.event, &t_ulong),
    GS_CALL(kRefused, gs_event_device, o.event, &t_int),
    GS_CALL(kRefused, gs_event_flags, o.event, &t_unsigned),
    GS_CALL(kRefused, gs_event_ipc_export, o.shared, &t_ipc),
    GS_CALL(kRefused, gs_event_ipc_open, o.device, &o.ipc, &t_event),
    GS_CALL(kRefused, gs_malloc_async, 8, o.stream, &t_pointer),
    GS_CALL(kRefused, gs_free_async, o.block, o.stream),
    GS_CALL(kRefused, gs_malloc_host, 8, &t_pointer),
    GS_CALL(kNothing, gs_free_host, o.host_memory),
    GS_CALL(kRefused, gs_memcpy_async, o.memory, o.host_memory, 8, o.stream),
    GS_CALL(kRefused, gs_memset_async, o.memory, 0, 8, o.stream),
    GS_CALL(kRefused, gs_module_load, o.device, o.image, o.image_bytes, &t_module),
    GS_CALL(kNothing, gs_module_destroy, o.module),
    GS_CALL(kRefused, gs_module_get_kernel, o.module, "add_one", &t_kernel),
    GS_CALL(kRefused, gs_kernel_launch, o.kernel, &t_config, o.arguments, o.stream),
};

} // namespace

const std::vector<Call> &every_call() { return kCalls; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
namespace {

bool others_sleep() {
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(gettid())) continue;
        std::ifstream file(task.path() / "stat");
        std::string line;
        std::getline(file, line);
        if (line.compare(line.rfind(')') + 2, 1, "S") != 0) return false;
    }
    return true;
}

// The sanitizers' allocators lock nothing around a fork: while a thread of ours that has just started is still
// allocating, a child would inherit a lock that nobody opens.
void let_threads_settle() {
    for (int looks = 0; looks < 3; looks = others_sleep() ? looks + 1 : 0) sched_yield();
}

} // namespace
#else
static void let_threads_settle() {}
#endif

Objects make_objects(gs_device_t device) {
    Objects o;
    o.device = device;
    EXPECT_OK(gs_stream_create(device, 0, 0, &o.stream));
    EXPECT_OK(gs_stream_create(device, 0, 0, &o.recorder));
    EXPECT_OK(gs_event_create(0, &o.event));
    EXPECT_OK(gs_event_create(GS_EVENT_TIMING, &o.timed));
    EXPECT_OK(gs_event_create(GS_EVENT_INTERPROCESS, &o.shared));
    EXPECT_OK(gs_event_create(0, &o.fresh));
    EXPECT_OK(gs_event_record(o.event, o.recorder));
    EXPECT_OK(gs_event_synchronize(o.event));
    EXPECT_OK(gs_event_record(o.timed, o.recorder));
    EXPECT_OK(gs_event_synchronize(o.timed));
    EXPECT_OK(gs_event_ipc_export(o.shared, &o.ipc));
    EXPECT_OK(gs_push_current_stream(o.stream, &o.scope));
    EXPECT_OK(gs_malloc_host(64, &o.host_memory));
    EXPECT_OK(gs_stream_pack(o.stream, &o.triple));
    let_threads_settle();
    o.memory = t_bytes;
    o.block = t_bytes + 32;
    o.module = reinterpret_cast<gs_module_t>(uintptr_t{0x3100000001000000}); // NOLINT: a number in a pointer's clothes
    o.kernel = reinterpret_cast<gs_kernel_t>(uintptr_t{0x4100000001000000}); // NOLINT
    return o;
}

void destroy_objects(Objects &o) {
    EXPECT_OK(gs_pop_current_stream(o.scope));
    EXPECT_OK(gs_free_host(o.host_memory));
    for (gs_event_t event : {o.event, o.timed, o.shared, o.fresh}) EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_stream_destroy(o.stream));
    EXPECT_OK(gs_stream_destroy(o.recorder));
    o = Objects{};
}

} // namespace gs::test
