// SPDX-License-Identifier: Apache-2.0
// Bad handles and missing outputs for every function that takes them: the status and function name, and no leak.
#include <functional>
#include <string>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

gs_stream_triple_t g_triple;
gs_ipc_handle_t g_ipc;
gs_launch_config_t g_config = {sizeof g_config, 1, 1, 1, 1, 1, 1, 0};
int32_t g_number;
uint32_t g_flags;
int64_t g_id;
uint64_t g_word;
uintptr_t g_native;
double g_ms;
void *g_pointer;
gs_stream_t g_stream;
unsigned char g_byte;

void no_op(void *) {}
void no_notification(void *, gs_status_t) {}

template <typename Handle>
struct Taker {
    const char *name;
    std::function<gs_status_t(Handle)> call;
};

// `other` is a live event for the calls that take two handles.
std::vector<Taker<gs_stream_t>> stream_takers(gs_event_t other, gs_stream_t live) {
    return {
        {"gs_stream_retain", [](gs_stream_t s) { return gs_stream_retain(s); }},
        {"gs_stream_destroy", [](gs_stream_t s) { return gs_stream_destroy(s); }},
        {"gs_set_current_stream", [](gs_stream_t s) { return gs_set_current_stream(s); }},
        {"gs_exchange_current_stream", [](gs_stream_t s) { return gs_exchange_current_stream(s, &g_stream); }},
        {"gs_push_current_stream", [](gs_stream_t s) { return gs_push_current_stream(s, &g_word); }},
        {"gs_stream_query", [](gs_stream_t s) { return gs_stream_query(s, &g_number); }},
        {"gs_stream_synchronize", [](gs_stream_t s) { return gs_stream_synchronize(s); }},
        {"gs_stream_wait_event", [=](gs_stream_t s) { return gs_stream_wait_event(s, other); }},
        {"gs_stream_wait_stream", [=](gs_stream_t s) { return gs_stream_wait_stream(s, live); }},
        {"gs_stream_wait_stream", [=](gs_stream_t s) { return gs_stream_wait_stream(live, s); }},
        {"gs_stream_record_event", [=](gs_stream_t s) { return gs_stream_record_event(s, other); }},
        {"gs_stream_native", [](gs_stream_t s) { return gs_stream_native(s, &g_native); }},
        {"gs_stream_id", [](gs_stream_t s) { return gs_stream_id(s, &g_id); }},
        {"gs_stream_device", [](gs_stream_t s) { return gs_stream_device(s, &g_number); }},
        {"gs_stream_priority", [](gs_stream_t s) { return gs_stream_priority(s, &g_number); }},
        {"gs_stream_flags", [](gs_stream_t s) { return gs_stream_flags(s, &g_flags); }},
        {"gs_stream_is_capturing", [](gs_stream_t s) { return gs_stream_is_capturing(s, &g_number); }},
        {"gs_stream_equal", [=](gs_stream_t s) { return gs_stream_equal(s, live, &g_number); }},
        {"gs_stream_equal", [=](gs_stream_t s) { return gs_stream_equal(live, s, &g_number); }},
        {"gs_stream_hash", [](gs_stream_t s) { return gs_stream_hash(s, &g_word); }},
        {"gs_stream_pack", [](gs_stream_t s) { return gs_stream_pack(s, &g_triple); }},
        {"gs_stream_launch_host", [](gs_stream_t s) { return gs_stream_launch_host(s, no_op, nullptr); }},
        {"gs_stream_notify", [](gs_stream_t s) { return gs_stream_notify(s, no_notification, nullptr); }},
        {"gs_stream_sleep", [](gs_stream_t s) { return gs_stream_sleep(s, 0); }},
        {"gs_event_record", [=](gs_stream_t s) { return gs_event_record(other, s); }},
        {"gs_event_wait", [=](gs_stream_t s) { return gs_event_wait(other, s); }},
        {"gs_malloc_async", [](gs_stream_t s) { return gs_malloc_async(16, s, &g_pointer); }},
        {"gs_free_async", [](gs_stream_t s) { return gs_free_async(nullptr, s); }},
        {"gs_memcpy_async", [](gs_stream_t s) { return gs_memcpy_async(&g_byte, &g_byte, 0, s); }},
        {"gs_memset_async", [](gs_stream_t s) { return gs_memset_async(&g_byte, 0, 0, s); }},
        {"gs_kernel_launch", [](gs_stream_t s) { return gs_kernel_launch(nullptr, &g_config, nullptr, s); }},
    };
}

std::vector<Taker<gs_event_t>> event_takers(gs_event_t timed, gs_stream_t live) {
    return {
        {"gs_stream_wait_event", [=](gs_event_t e) { return gs_stream_wait_event(live, e); }},
        {"gs_stream_record_event", [=](gs_event_t e) { return gs_stream_record_event(live, e); }},
        {"gs_event_retain", [](gs_event_t e) { return gs_event_retain(e); }},
        {"gs_event_destroy", [](gs_event_t e) { return gs_event_destroy(e); }},
        {"gs_event_record", [=](gs_event_t e) { return gs_event_record(e, live); }},
        {"gs_event_wait", [=](gs_event_t e) { return gs_event_wait(e, live); }},
        {"gs_event_query", [](gs_event_t e) { return gs_event_query(e, &g_number); }},
        {"gs_event_synchronize", [](gs_event_t e) { return gs_event_synchronize(e); }},
        {"gs_event_elapsed_ms", [=](gs_event_t e) { return gs_event_elapsed_ms(e, timed, &g_ms); }},
        {"gs_event_elapsed_ms", [=](gs_event_t e) { return gs_event_elapsed_ms(timed, e, &g_ms); }},
        {"gs_event_native", [](gs_event_t e) { return gs_event_native(e, &g_native); }},
        {"gs_event_id", [](gs_event_t e) { return gs_event_id(e, &g_word); }},
        {"gs_event_device", [](gs_event_t e) { return gs_event_device(e, &g_number); }},
        {"gs_event_flags", [](gs_event_t e) { return gs_event_flags(e, &g_flags); }},
        {"gs_event_ipc_export", [](gs_event_t e) { return gs_event_ipc_export(e, &g_ipc); }},
    };
}

// Numbers that name no object: the handle with each of its fields off by one, other kinds, and plain garbage.
std::vector<uint64_t> bad_numbers(uint64_t live, uint64_t dead, uint64_t other_kind) {
    std::vector<uint64_t> numbers{
        0, 1, 2, 0xDEAD, ~uint64_t{0}, uint64_t{1} << 63, dead, other_kind, 0x7000000000000000u, 0x7000000000000002u};
    for (const int shift : {24, 56, 60}) { // generation, backend, kind
        numbers.push_back(live + (uint64_t{1} << shift));
        numbers.push_back(live - (uint64_t{1} << shift));
    }
    numbers.push_back(live ^ 0xFFFFFF);
    numbers.push_back(live | uint64_t{1} << 63);
    numbers.push_back(reinterpret_cast<uint64_t>(&g_number));
    return numbers;
}

template <typename Handle>
void expect_refused(const std::vector<Taker<Handle>> &takers, const std::vector<uint64_t> &numbers) {
    for (const Taker<Handle> &taker : takers)
        for (const uint64_t number : numbers) {
            ASSERT_STATUS(GS_ERROR_INVALID_HANDLE, taker.call(reinterpret_cast<Handle>(number)))
                << taker.name << " " << std::hex << number;
            ASSERT_STREQ(last_error().function, taker.name);
        }
}

} // namespace

TEST_P(Conformance, BadInput_StreamHandles) {
    Stream live = make_stream();
    Event event = make_event(GS_EVENT_TIMING);
    const gs_stream_t dead = make_stream().release();
    ASSERT_OK(gs_stream_destroy(dead));
    const auto bits = [](auto handle) { return reinterpret_cast<uint64_t>(handle); };
    expect_refused(stream_takers(event, live), bad_numbers(bits(live.get()), bits(dead), bits(event.get())));
    EXPECT_OK(gs_stream_synchronize(live)) << "the other objects are unharmed";
    EXPECT_EQ(current_stream(), default_stream());
}

TEST_P(Conformance, BadInput_EventHandles) {
    Stream stream = make_stream();
    Event live = make_event(GS_EVENT_TIMING);
    gs_event_t dead = make_event().release();
    ASSERT_OK(gs_event_destroy(dead));
    const auto bits = [](auto handle) { return reinterpret_cast<uint64_t>(handle); };
    expect_refused(event_takers(live, stream), bad_numbers(bits(live.get()), bits(dead), bits(stream.get())));
    EXPECT_OK(gs_event_record(live, stream));
    EXPECT_OK(gs_event_synchronize(live));
}

TEST_P(Conformance, BadInput_MissingOutputs) {
    Stream s = make_stream();
    Event e = make_event(GS_EVENT_TIMING);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_is_initialized, "out_initialized is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_is_available, "out_available is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_fork_status, "out_status is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_get_sync_debug_mode, "out_mode is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_get_sync_debug_scope, "out_scope is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_get_stats, "out_stats is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_default_backend, "out_backend is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_count, "out_count is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_device, "out_device is NULL", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_exchange_device, "out_previous is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_maybe_exchange_device, "out_previous is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_info, "out_info is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_can_access_peer, "out_can_access is NULL", 0, 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_priority_range, "out_least is NULL", 0, nullptr, &g_number);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_priority_range, "out_greatest is NULL", 0, &g_number, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create, "out_stream is NULL", 0, 0, 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native, "out_stream is NULL", 0, 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native_owned, "out_stream is NULL", 0, 4096, no_op, nullptr,
                 nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_default_stream, "out_stream is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_per_thread_stream, "out_stream is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_stream, "out_stream is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_exchange_current_stream, "out_previous is NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_push_current_stream, "out_scope is NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_query, "out_done is NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_native, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_id, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_device, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_priority, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_flags, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_is_capturing, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_equal, "NULL", s, s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_hash, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_pack, "NULL", s, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_unpack, "out_stream is NULL", &g_triple, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_unpack, "triple is NULL", nullptr, &g_stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_launch_host, "fn is NULL", s, nullptr, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_notify, "fn is NULL", s, nullptr, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_create, "out_event is NULL", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_from_native, "out_event is NULL", 0, 4096, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_query, "out_done is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_elapsed_ms, "out_ms is NULL", e, e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_native, "out_native is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_id, "out_id is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_device, "out_device is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_flags, "out_flags is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_export, "out_handle is NULL", e, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_open, "out_event is NULL", 0, &g_ipc, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_load, "out_module is NULL", 0, "x", 0, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_module_get_kernel, "out_kernel is NULL", nullptr, "x", nullptr);
}

} // namespace gs::test
