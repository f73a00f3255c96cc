// SPDX-License-Identifier: Apache-2.0
// The reset of a device: what is left of it, and threads that use it at the same time.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

// The statuses that a thread which works while the device is reset may see.
struct Seen {
    std::atomic<int> fine{0}, lost{0}, other{0};
    void add(gs_status_t status) {
        ++(status == GS_OK ? fine : status == GS_ERROR_CONTEXT_LOST ? lost : other);
        if (status != GS_OK && status != GS_ERROR_CONTEXT_LOST) ADD_FAILURE() << last_text();
    }
};

// Works on the device until it is lost.
void work(Seen &seen) {
    while (gs_device_check(0) == GS_OK) {
        gs_stream_t stream = nullptr;
        const gs_status_t made = gs_stream_create(0, 0, 0, &stream);
        seen.add(made);
        if (made != GS_OK) continue;
        gs_event_t event = nullptr;
        int32_t done = 0;
        seen.add(gs_event_create(0, &event));
        for (int i = 0; i < 20; ++i) {
            seen.add(gs_event_record(event, stream));
            seen.add(gs_stream_wait_event(stream, event));
            seen.add(gs_event_query(event, &done));
            seen.add(gs_stream_query(stream, &done));
        }
        seen.add(gs_event_synchronize(event));
        seen.add(gs_stream_synchronize(stream));
        EXPECT_OK(gs_event_destroy(event));
        EXPECT_OK(gs_stream_destroy(stream));
    }
}

} // namespace

TEST_P(ConformanceProcess, DeviceReset_TellsEveryObject) {
    OWN_PROCESS();
    const bool two = device_count() > 1;
    Stream stream = make_stream(0), other = two ? make_stream(1) : Stream(), idle = make_stream(0);
    Event event = make_event(), never = make_event();
    ASSERT_OK(gs_stream_sleep(stream, 1000));
    ASSERT_OK(gs_event_record(event, stream));
    if (two) ASSERT_OK(gs_stream_synchronize(other));
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    gs_pool_t pool = nullptr;
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    ASSERT_OK(gs_pool_create(0, &options, &pool));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(64, stream, &memory));

    ASSERT_OK(gs_device_reset(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_EQ(last_error().sticky, 1);
    EXPECT_NE(std::string(last_error().origin).find("eset"), std::string::npos) << last_error().origin;
    int32_t done = 7;
    uint64_t number = 0;
    gs_stream_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_query(stream, &done));
    EXPECT_EQ(done, 0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(idle));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(never, idle));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_stream(idle, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(default_stream(0)));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create(0, 0, 0, &none));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_malloc_async(64, stream, &memory));
    EXPECT_EQ(memory, nullptr);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_pool_malloc(pool, 64, idle, &memory));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_begin_capture(idle, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_driver_id(stream, &number));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_synchronize(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_reset(0)) << "once";
    if (two) {
        EXPECT_OK(gs_stream_synchronize(other)) << "the other device is not affected";
        EXPECT_OK(gs_event_record(make_event(), other));
    }

    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_device_get_info(0, &info)) << "what needs no context still answers";
    done = facts_of(stream).priority;
    stream.reset(), idle.reset(), event.reset(), never.reset();
    EXPECT_OK(gs_graph_destroy(graph));
    EXPECT_OK(gs_pool_destroy(pool));
    EXPECT_OK(gs_trim());
}

// A driver that is handed an object of the old context may crash, whichever device the stream is of.
TEST_P(ConformanceProcess, DeviceReset_OtherDevicesGetNothingOfIt) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    Event event = make_event(), looked_at = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_record(looked_at, stream));
    ASSERT_OK(gs_event_synchronize(looked_at)); // known to be complete: its wait needs no driver
    Timeline own(0, 0), signal_first(0, 1, GS_TIMELINE_SIGNAL_FIRST);
    ASSERT_OK(gs_stream_signal_timeline(stream, signal_first, 1));
    gs_graph_t graph = nullptr, others = nullptr;
    gs_graph_exec_t exec = nullptr;
    ASSERT_OK(gs_graph_create(0, 0, &graph));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
    ASSERT_OK(gs_graph_create(1, 0, &others));
    std::string lines;
    ASSERT_OK(gs_set_log_callback(
        [](void *arg, int32_t, const char *text) { static_cast<std::string *>(arg)->append(text).append("\n"); },
        &lines));

    gs_token_t token{};
    ASSERT_OK(gs_token_create(stream, &token));
    ASSERT_OK(gs_set_current_device(1));

    ASSERT_OK(gs_device_reset(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_set_current_device(0));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_set_current_stream(stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_token_wait(other, &token));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_event(other, event));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_wait(looked_at, other));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_stream(other, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_timeline(other, own, 1));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_signal_timeline(other, own, 1));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_wait_timeline(other, signal_first, 1));
    gs_node_params_t wait{};
    wait.struct_size = sizeof wait;
    wait.kind = GS_NODE_WAIT;
    wait.event = event;
    gs_node_t node = 0;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_graph_add_node(others, nullptr, 0, &wait, &node));
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_OK(gs_graph_exec_destroy(exec));
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    EXPECT_EQ(lines, "");
    EXPECT_OK(gs_graph_destroy(graph));
    EXPECT_OK(gs_graph_destroy(others));
}

TEST_P(ConformanceProcess, DeviceReset_HostMemory) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    ASSERT_OK(gs_set_current_device(0));
    Stream stream = make_stream(0), other = make_stream(1);
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    options.flags = GS_POOL_HOST;
    gs_pool_t pool = nullptr;
    ASSERT_OK(gs_pool_create(0, &options, &pool));
    void *block = nullptr, *mine = nullptr, *theirs = nullptr, *refused = &refused;
    ASSERT_OK(gs_pool_malloc(pool, 64, stream, &block));
    ASSERT_OK(gs_malloc_host(64, &mine)); // of device 0
    ASSERT_OK(gs_set_current_device(1));
    ASSERT_OK(gs_malloc_host(64, &theirs));
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_device_reset(0));

    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_malloc_host(64, &refused));
    EXPECT_EQ(refused, nullptr);
    ASSERT_OK(gs_set_current_device(1));
    EXPECT_OK(gs_memset_async(theirs, 7, 64, other)) << "memory of another device is not affected";
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(static_cast<unsigned char *>(theirs)[63], 7);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_memset_async(mine, 7, 64, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_pool_malloc(pool, 64, stream, &refused));
    EXPECT_EQ(refused, nullptr);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_free_async(block, stream));
    EXPECT_OK(gs_pool_destroy(pool));
    if (GetParam() == GS_BACKEND_HOST) EXPECT_EQ(std::memset(mine, 1, 64), mine) << "no reset ends ordinary memory";
    EXPECT_OK(gs_free_host(mine)) << "also where it ended with the device";
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_host(mine)) << "once";
    EXPECT_OK(gs_free_host(theirs));
    EXPECT_OK(gs_trim());
}

TEST_P(ConformanceProcess, DeviceReset_WaitsForTheWork) {
    OWN_PROCESS();
    Gate gate;
    Stream stream = make_stream(0);
    ASSERT_OK(gate.hold(stream));
    std::atomic<bool> over{false};
    std::thread resetting([&] {
        EXPECT_OK(gs_device_reset(0));
        over = true;
    });
    gate.wait_until_reached();
    EXPECT_FALSE(over) << "work is under way";
    gate.open();
    resetting.join();
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream));
}

TEST_P(ConformanceProcess, DeviceReset_OfADeviceInUse) {
    OWN_PROCESS();
    Seen seen;
    std::atomic<int> resets{0}, refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { work(seen); });
    while (seen.fine < 2000) std::this_thread::yield();
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            const gs_status_t status = gs_device_reset(0);
            if (status == GS_OK)
                ++resets;
            else if (status == GS_ERROR_CONTEXT_LOST)
                ++refused;
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(resets, 1);
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(seen.other, 0);
    EXPECT_OK(gs_trim());
    if (device_count() > 1) EXPECT_OK(gs_stream_synchronize(make_stream(1)));
}

TEST_P(ConformanceProcess, DeviceReset_WaitingThreadsAreReleased) {
    OWN_PROCESS();
    Gate gate;
    Stream stream = make_stream(0);
    ASSERT_OK(gate.hold(stream));
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    gs_queue_t queue = nullptr;
    ASSERT_OK(gs_queue_create(4, 0, &queue));
    ASSERT_OK(gs_queue_add_event(queue, event, 5));
    std::atomic<int> inside{0};
    std::vector<std::thread> threads;
    const auto wait = [&](auto &&call) {
        threads.emplace_back([&inside, call] {
            ++inside;
            const gs_status_t status = call();
            EXPECT_TRUE(status == GS_OK || status == GS_ERROR_CONTEXT_LOST) << gs_status_name(status);
        });
    };
    wait([&] { return gs_stream_synchronize(stream); });
    wait([&] { return gs_event_synchronize(event); });
    wait([&] { return gs_event_synchronize_for(event, int64_t{60} * 1000000000); });
    wait([&] { return gs_device_synchronize(0); });
    wait([&] { return gs_device_reset(0); });
    while (inside < 5) std::this_thread::yield();
    gate.open();
    for (std::thread &thread : threads) thread.join();
    gs_completion_t entry{};
    size_t count = 0;
    ASSERT_OK(gs_queue_wait(queue, &entry, 1, int64_t{60} * 1000000000, &count));
    ASSERT_EQ(count, 1u);
    EXPECT_TRUE(entry.status == GS_OK || entry.status == GS_ERROR_CONTEXT_LOST) << gs_status_name(entry.status);
    EXPECT_OK(gs_queue_destroy(queue));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
}

TEST_P(ConformanceProcess, DeviceReset_IsRefused) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_reset(99));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_reset(GS_DEVICE_NONE));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_reset(0));
    ASSERT_OK(gs_stream_abort_capture(stream));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_ALL));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_ERROR));
    EXPECT_STATUS(GS_ERROR_SYNC_FORBIDDEN, gs_device_reset(0));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_TORCH));
    gs_status_t inside = GS_OK;
    ASSERT_OK(gs_stream_launch_host(
        stream, [](void *arg) { *static_cast<gs_status_t *>(arg) = gs_device_reset(0); }, &inside));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(inside, GS_ERROR_NOT_PERMITTED);
    EXPECT_OK(gs_device_check(0));
}

} // namespace gs::test
