// SPDX-License-Identifier: Apache-2.0
// The rows whose arguments or results are special; all others are those of call_table.cpp.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "calls/arguments.hpp"
#include "calls/calls.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::test {
namespace {

struct Row {
    const char *name;
    gs_status_t (*call)(const Objects &objects);
};

// The same function by both its names, so that a row cannot name one and call another.
// clang-format off
#define GS_CALL(function, ...)                                                   \
    {#function, []([[maybe_unused]] const Objects &o) -> gs_status_t {           \
         return function(__VA_ARGS__);                                           \
     }}
// The condition must hold, of a function that returns no status or may return several.
#define GS_HOLDS(function, condition)                                            \
    {#function, []([[maybe_unused]] const Objects &o) -> gs_status_t {           \
         return (condition) ? GS_OK : GS_ERROR_INTERNAL;                         \
     }}
// clang-format on

// On a machine without NVML or a GPU (tests/inventory has a fake) the inventory refuses in place of the fork.
bool needs_no_backend(gs_status_t status) {
    return status == GS_OK || status == GS_ERROR_UNAVAILABLE || status == GS_ERROR_INVALID_ARGUMENT ||
           status == GS_ERROR_INVALID_DEVICE;
}

gs_status_t or_not_supported(gs_status_t status) { return status == GS_ERROR_NOT_SUPPORTED ? GS_OK : status; }

int32_t get_nothing(void *, int32_t, uintptr_t *out_native) {
    *out_native = 0;
    return 0;
}
int32_t set_nothing(void *, int32_t, uintptr_t) { return 0; }

// The status of call(id), or of the registration that it needs and that ends with it.
template <typename Call>
gs_status_t with_bridge(Call &&call) {
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "every call";
    bridge.get = get_nothing;
    bridge.set = set_nothing;
    int32_t id = 0;
    const gs_status_t registered = gs_bridge_register(&bridge, &id);
    const gs_status_t status = call(id);
    if (registered != GS_OK) return registered == status ? status : GS_ERROR_INTERNAL;
    gs_status_t ended = gs_bridge_unregister(id);
    if (ended == GS_ERROR_NOT_PERMITTED) std::thread([&] { ended = gs_bridge_unregister(id); }).join();
    return ended == GS_OK || ended == GS_ERROR_INVALID_ARGUMENT ? status : ended; // `call` may have ended it
}

// The status behind the 0 that another library's allocator gets.
gs_status_t allocate_for_another(const Objects &o) {
    const uintptr_t address = gs_allocator_malloc(8, o.device, o.native_stream);
    if (address != 0)
        return gs_allocator_free(reinterpret_cast<void *>(address), 8, o.device, o.native_stream); // NOLINT
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    if (gs_last_error(&info) != GS_OK) return GS_ERROR_INTERNAL;
    return info.status == GS_ERROR_BAD_FORK ? GS_OK : info.status; // the header lists no statuses of it
}

// As a process leaves it that has not logged a call.
gs_status_t dump_empty_log() {
    recorder::LogFileHeader header{};
    std::memcpy(header.magic, recorder::kLogMagic, sizeof header.magic);
    header.version = recorder::kLogVersion;
    header.byte_order = recorder::kLogByteOrder;
    header.process = 1;
    header.entries = 16;
    const int file = memfd_create("log", MFD_CLOEXEC);
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool written = write(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const gs_status_t status = written ? gs_dump_log(path.c_str(), null) : GS_ERROR_INTERNAL;
    close(null);
    close(file);
    return status;
}

const std::vector<Row> &rows() {
    static const std::vector<Row> written = {
        GS_HOLDS(gs_version, gs_version() == 10000 * GS_VERSION_MAJOR + 100 * GS_VERSION_MINOR + GS_VERSION_PATCH),
        GS_HOLDS(gs_abi_version, gs_abi_version() == GS_ABI_VERSION),
        GS_HOLDS(gs_version_string, std::strlen(gs_version_string()) >= 5),
        GS_HOLDS(gs_instance_count, gs_instance_count() == 1),
        GS_HOLDS(gs_status_name, std::strcmp(gs_status_name(GS_ERROR_BAD_FORK), "GS_ERROR_BAD_FORK") == 0),
        GS_HOLDS(gs_status_message, std::strlen(gs_status_message(GS_ERROR_BAD_FORK)) > 10),
        GS_HOLDS(gs_device_make, gs_device_make(GS_BACKEND_HOST, 1) == GS_DEVICE(GS_BACKEND_HOST, 1)),
        GS_HOLDS(gs_device_backend, gs_device_backend(GS_DEVICE(GS_BACKEND_HOST, 1)) == GS_BACKEND_HOST),
        GS_HOLDS(gs_device_ordinal, gs_device_ordinal(GS_DEVICE(GS_BACKEND_HOST, 1)) == 1),
        GS_HOLDS(gs_inventory_count, needs_no_backend(gs_inventory_count(output<int32_t>(), output<int32_t>()))),
        GS_HOLDS(gs_inventory_get, needs_no_backend(gs_inventory_get(o.device, output<gs_inventory_entry_t>()))),
        GS_HOLDS(gs_inventory_index,
                 needs_no_backend(gs_inventory_index(GS_DEVICE(GS_BACKEND_CUDA, o.device), output<int32_t>()))),
        {"gs_bridge_register",
         [](const Objects &) {
             return with_bridge([](int32_t id) {
                 gs_bridge_t again{};
                 again.struct_size = sizeof again;
                 again.name = "every call, again";
                 again.get = get_nothing;
                 int32_t second = id;
                 const gs_status_t status = gs_bridge_register(&again, &second);
                 if (status == GS_OK) (void)gs_bridge_unregister(second);
                 return status;
             });
         }},
        {"gs_bridge_unregister",
         [](const Objects &) { return with_bridge([](int32_t id) { return gs_bridge_unregister(id); }); }},
        {"gs_bridge_find",
         [](const Objects &) {
             return with_bridge([](int32_t) { return gs_bridge_find("every call", output<int32_t>()); });
         }},
        {"gs_bridge_lead",
         [](const Objects &) { return with_bridge([](int32_t id) { return gs_bridge_lead(id, 1); }); }},
        {"gs_range_end",
         [](const Objects &) {
             uint64_t range = 0;
             (void)gs_range_start("every call", &range); // where it is refused, so is the end
             return gs_range_end(range);
         }},
        {"gs_trace_end",
         [](const Objects &) {
             uint64_t trace = 0;
             (void)gs_trace_begin(nullptr, &trace); // likewise
             return gs_trace_end(trace);
         }},
        {"gs_dump",
         [](const Objects &) {
             const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
             const gs_status_t status = gs_dump(null);
             close(null);
             return status;
         }},
        // Which of the two it is depends on the device.
        {"gs_device_from_pci",
         [](const Objects &) {
             const gs_status_t status = gs_device_from_pci("0000:10:00.0", output<gs_device_t>());
             return status == GS_ERROR_INVALID_DEVICE ? GS_OK : status;
         }},
        {"gs_device_reset",
         [](const Objects &) -> gs_status_t { // of one that does not exist: the others are needed
             const gs_status_t status = gs_device_reset(9999);
             if (status == GS_OK) return GS_ERROR_INTERNAL;
             return status == GS_ERROR_INVALID_DEVICE ? GS_OK : status;
         }},
        {"gs_allocator_malloc", [](const Objects &o) { return allocate_for_another(o); }},
        {"gs_allocator_record_stream",
         [](const Objects &o) { return gs_allocator_record_stream(nullptr, o.native_stream); }},
        {"gs_allocator_free",
         [](const Objects &o) { return gs_allocator_free(nullptr, 8, o.device, o.native_stream); }},
        {"gs_device_get_limit",
         [](const Objects &o) { return or_not_supported(gs_device_get_limit(o.device, 0, output<uint64_t>())); }},
        {"gs_device_set_limit",
         [](const Objects &o) { return or_not_supported(gs_device_set_limit(o.device, 0, 1024)); }},
        {"gs_current_adopt",
         [](const Objects &o) {
             gs_snapshot_t snapshot{};
             snapshot.struct_size = sizeof snapshot;
             snapshot.stream = o.stream;
             uint64_t scope = 0;
             const gs_status_t status = gs_current_adopt(&snapshot, &scope);
             return status == GS_OK ? gs_unwind_current_stream(scope) : status;
         }},
        {"gs_memcpy_batch_async",
         [](const Objects &o) {
             const gs_copy_t copy{o.memory, o.host_memory, 8};
             return gs_memcpy_batch_async(&copy, 1, GS_ACCESS_ORDER_STREAM, o.stream);
         }},
        {"gs_dump_log", [](const Objects &) { return dump_empty_log(); }},
        GS_CALL(gs_event_wait, o.fresh, o.stream),
        GS_CALL(gs_module_load, o.device, o.image, o.image_bytes, output<gs_module_t>()),
        GS_CALL(gs_module_get_kernel, o.module, "add_one", output<gs_kernel_t>()),
        GS_CALL(gs_kernel_launch, o.kernel, specimen<gs_launch_config_t>(o), o.arguments, o.stream),
    };
    return written;
}

std::vector<Call> merged() {
    std::vector<Call> calls = call_table();
    for (const Row &row : rows())
        for (Call &call : calls)
            if (std::strcmp(call.name, row.name) == 0) call.call = row.call;
    return calls;
}

} // namespace

const std::vector<Call> &every_call() {
    static const std::vector<Call> calls = merged();
    return calls;
}

std::vector<Call> repeatable_calls() {
    std::vector<Call> calls;
    for (const Call &call : every_call())
        if (is_repeatable(call, calls_by_hand())) calls.push_back(call);
    return calls;
}

} // namespace gs::test
