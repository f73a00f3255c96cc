// SPDX-License-Identifier: Apache-2.0
<<<<<<< HEAD
// The calls that a host function may make: those that do not act on a device.
#include <functional>
=======
// Which calls a host function may make: those that act on no device.
#include <cstring>
>>>>>>> a10b45f (Tests: one generated table of calls serves fork, host functions, bad handles and missing outputs)
#include <string>

#include "calls/calls.hpp"
#include "conformance/conformance.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

bool allowed(const Call &call) { return call.in_host_function == InHostFunction::Allowed; }

<<<<<<< HEAD
// Live objects, so that only the place of the call can be wrong.
struct World {
    Stream stream = make_stream();
    Event event = make_event(GS_EVENT_TIMING);
    Event ipc = make_event(GS_EVENT_INTERPROCESS);
    void *memory = nullptr;
    gs_stream_triple_t triple{};
    gs_ipc_handle_t handle{};

    gs_stream_t out_stream = nullptr;
    gs_event_t out_event = nullptr;
    gs_module_t out_module = nullptr;
    gs_kernel_t out_kernel = nullptr;
    int32_t number = 0, other_number = 0;
    uint32_t flags = 0;
    int64_t id = 0;
    uint64_t word = 0;
    uintptr_t native = 0;
    double ms = 0;
    void *pointer = nullptr;
    gs_device_info_t info{};
    gs_launch_config_t config{};

    World() {
        EXPECT_OK(gs_malloc_host(64, &memory));
        EXPECT_OK(gs_stream_pack(stream, &triple));
        EXPECT_OK(gs_event_record(event, stream));
        info.struct_size = sizeof info;
        config = {sizeof config, 1, 1, 1, 1, 1, 1, 0};
    }
    ~World() { EXPECT_OK(gs_free_host(memory)); }
};

void no_op(void *) {}
void no_notification(void *, gs_status_t) {}
gs_status_t no_call(void *) { return GS_OK; }

std::vector<Call> refused(World &w) {
    return {
        {"gs_init", [] { return gs_init(); }},
        {"gs_call_on_init", [] { return gs_call_on_init(no_call, nullptr); }},
        {"gs_trim", [] { return gs_trim(); }},
        {"gs_set_current_device", [] { return gs_set_current_device(0); }},
        {"gs_exchange_device", [&] { return gs_exchange_device(0, &w.number); }},
        {"gs_maybe_exchange_device", [&] { return gs_maybe_exchange_device(0, &w.number); }},
        {"gs_device_synchronize", [] { return gs_device_synchronize(0); }},
        {"gs_device_check", [] { return gs_device_check(0); }},
        {"gs_stream_create", [&] { return gs_stream_create(0, 0, 0, &w.out_stream); }},
        {"gs_stream_from_native", [&] { return gs_stream_from_native(0, 0, &w.out_stream); }},
        {"gs_stream_from_native_owned",
         [&] { return gs_stream_from_native_owned(0, 4096, no_op, nullptr, &w.out_stream); }},
        {"gs_stream_destroy", [&] { return gs_stream_destroy(w.stream); }},
        {"gs_set_current_stream", [&] { return gs_set_current_stream(w.stream); }},
        {"gs_exchange_current_stream", [&] { return gs_exchange_current_stream(w.stream, &w.out_stream); }},
        {"gs_push_current_stream", [&] { return gs_push_current_stream(w.stream, &w.word); }},
        {"gs_pop_current_stream", [] { return gs_pop_current_stream(0); }},
        {"gs_unwind_current_stream", [] { return gs_unwind_current_stream(1); }},
        {"gs_stream_query", [&] { return gs_stream_query(w.stream, &w.number); }},
        {"gs_stream_synchronize", [&] { return gs_stream_synchronize(w.stream); }},
        {"gs_stream_wait_event", [&] { return gs_stream_wait_event(w.stream, w.event); }},
        {"gs_stream_wait_stream", [&] { return gs_stream_wait_stream(w.stream, w.stream); }},
        {"gs_stream_record_event", [&] { return gs_stream_record_event(w.stream, w.event); }},
        {"gs_stream_is_capturing", [&] { return gs_stream_is_capturing(w.stream, &w.number); }},
        {"gs_stream_launch_host", [&] { return gs_stream_launch_host(w.stream, no_op, nullptr); }},
        {"gs_stream_notify", [&] { return gs_stream_notify(w.stream, no_notification, nullptr); }},
        {"gs_stream_sleep", [&] { return gs_stream_sleep(w.stream, 1); }},
        {"gs_event_create", [&] { return gs_event_create(0, &w.out_event); }},
        {"gs_event_destroy", [&] { return gs_event_destroy(w.event); }},
        {"gs_event_from_native", [&] { return gs_event_from_native(0, 4096, &w.out_event); }},
        {"gs_event_record", [&] { return gs_event_record(w.event, w.stream); }},
        {"gs_event_wait", [&] { return gs_event_wait(w.event, w.stream); }},
        {"gs_event_query", [&] { return gs_event_query(w.event, &w.number); }},
        {"gs_event_synchronize", [&] { return gs_event_synchronize(w.event); }},
        {"gs_event_elapsed_ms", [&] { return gs_event_elapsed_ms(w.event, w.event, &w.ms); }},
        {"gs_event_ipc_export", [&] { return gs_event_ipc_export(w.ipc, &w.handle); }},
        {"gs_event_ipc_open", [&] { return gs_event_ipc_open(0, &w.handle, &w.out_event); }},
        {"gs_malloc_async", [&] { return gs_malloc_async(16, w.stream, &w.pointer); }},
        {"gs_free_async", [&] { return gs_free_async(w.memory, w.stream); }},
        {"gs_malloc_host", [&] { return gs_malloc_host(16, &w.pointer); }},
        {"gs_free_host", [&] { return gs_free_host(w.memory); }},
        {"gs_memcpy_async", [&] { return gs_memcpy_async(w.memory, w.memory, 0, w.stream); }},
        {"gs_memset_async", [&] { return gs_memset_async(w.memory, 0, 1, w.stream); }},
        {"gs_module_load", [&] { return gs_module_load(0, "x", 0, &w.out_module); }},
        {"gs_module_destroy", [&] { return gs_module_destroy(nullptr); }},
        {"gs_module_get_kernel", [&] { return gs_module_get_kernel(nullptr, "k", &w.out_kernel); }},
        {"gs_kernel_launch", [&] { return gs_kernel_launch(nullptr, &w.config, nullptr, w.stream); }},
    };
}

std::vector<Call> allowed(World &w) {
    return {
        {"gs_is_initialized", [&] { return gs_is_initialized(&w.number); }},
        {"gs_is_available", [&] { return gs_is_available(&w.number); }},
        {"gs_fork_status", [&] { return gs_fork_status(&w.number); }},
        {"gs_get_sync_debug_mode", [&] { return gs_get_sync_debug_mode(&w.number); }},
        {"gs_get_sync_debug_scope", [&] { return gs_get_sync_debug_scope(&w.number); }},
        {"gs_default_backend", [&] { return gs_default_backend(&w.number); }},
        {"gs_device_count", [&] { return gs_device_count(GS_BACKEND_DEFAULT, &w.number); }},
        {"gs_stream_native", [&] { return gs_stream_native(w.stream, &w.native); }},
        {"gs_stream_id", [&] { return gs_stream_id(w.stream, &w.id); }},
        {"gs_stream_device", [&] { return gs_stream_device(w.stream, &w.number); }},
        {"gs_stream_priority", [&] { return gs_stream_priority(w.stream, &w.number); }},
        {"gs_stream_flags", [&] { return gs_stream_flags(w.stream, &w.flags); }},
        {"gs_stream_equal", [&] { return gs_stream_equal(w.stream, w.stream, &w.number); }},
        {"gs_stream_hash", [&] { return gs_stream_hash(w.stream, &w.word); }},
        {"gs_stream_pack", [&] { return gs_stream_pack(w.stream, &w.triple); }},
        {"gs_event_native", [&] { return gs_event_native(w.event, &w.native); }},
        {"gs_event_id", [&] { return gs_event_id(w.event, &w.word); }},
        {"gs_event_device", [&] { return gs_event_device(w.event, &w.number); }},
        {"gs_event_flags", [&] { return gs_event_flags(w.event, &w.flags); }},
    };
=======
// NVML may be missing: then the call says so, and not that it is not permitted here.
void expect_allowed(const Call &call, const Objects &objects) {
    const gs_status_t status = call.call(objects);
    if (call.needs_inventory)
        EXPECT_NE(status, GS_ERROR_NOT_PERMITTED) << call.name;
    else
        EXPECT_OK(status) << call.name;
>>>>>>> a10b45f (Tests: one generated table of calls serves fork, host functions, bad handles and missing outputs)
}

struct Inside {
    const Objects &objects; // alive, so that nothing but the place of the call can be wrong with it
    int refused = 0;
    int allowed = 0;

    static void run(void *self) {
        auto &inside = *static_cast<Inside *>(self);
        for (const Call &call : every_call()) {
            if (gs::test::allowed(call)) {
                expect_allowed(call, inside.objects);
                ++inside.allowed;
            }
            if (call.in_host_function != InHostFunction::Refused) continue;
            ++inside.refused;
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, call.call(inside.objects)) << call.name;
            const gs_error_info_t info = last_error();
            EXPECT_STREQ(info.function, call.name);
            EXPECT_NE(std::string(info.message).find("gs_stream_launch_host"), std::string::npos) << info.message;
        }
    }
};

} // namespace

TEST_P(Conformance, Case14_CallsInsideAHostFunction) {
    Objects o = make_objects();
    Inside inside{o};
    Stream carrier = make_stream();
    const gs_stats_t before = read_stats();
    ASSERT_OK(gs_stream_launch_host(carrier, Inside::run, &inside));
    ASSERT_OK(gs_stream_synchronize(carrier));
<<<<<<< HEAD
    ASSERT_TRUE(inside.ran);
    // The rejected calls had no effect: every object is alive and works, and no output was filled.
    EXPECT_OK(gs_event_record(world.event, world.stream));
    EXPECT_OK(gs_event_synchronize(world.event));
    EXPECT_EQ(world.out_stream, nullptr);
    EXPECT_EQ(world.out_event, nullptr);
    EXPECT_EQ(world.pointer, nullptr);
    // The restriction ends with the host function.
    for (const Call &call : allowed(world)) EXPECT_OK(call.call()) << call.name;
=======
    EXPECT_GE(inside.refused, 45);
    EXPECT_GE(inside.allowed, 40);
    // Nothing was done by the refused calls: every object lives and works, nothing was made.
    const gs_stats_t after = read_stats();
    EXPECT_EQ(after.streams_created, before.streams_created);
    EXPECT_EQ(after.events_created, before.events_created);
    EXPECT_EQ(after.records, before.records);
    EXPECT_OK(gs_event_record(o.event, o.stream));
    EXPECT_OK(gs_event_synchronize(o.event));
    // The refusal ends with the host function.
    for (const Call &call : every_call())
        if (allowed(call)) expect_allowed(call, o);
>>>>>>> a10b45f (Tests: one generated table of calls serves fork, host functions, bad handles and missing outputs)
    EXPECT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    destroy_objects(o);
}

} // namespace gs::test
