// SPDX-License-Identifier: Apache-2.0
// A checkpoint as seen by the process that is checkpointed. The driver's calls wait until it is unlocked, what was submitted
// before is done, and objects are as they were. What a driver keeps and refuses is for tests/gpu/checkpoint.py.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "fault/fake_driver.hpp"
#include "support/entries.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

using std::chrono::milliseconds;

// A call on a thread of its own.
template <typename Body>
std::future<gs_status_t> start(Body body) {
    return std::async(std::launch::async, body);
}

bool waits(const std::future<gs_status_t> &call) {
    return call.wait_for(milliseconds(50)) == std::future_status::timeout;
}

// What a program does after any restore.
void expect_everything_works(gs_stream_t stream) {
    Bytes bytes(1);
    Event event = make_event();
    bytes.set(stream, 0, 3);
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_EQ(bytes[0], 3);
    EXPECT_OK(gs_device_check(0));
    EXPECT_OK(gs_trim());
}

TEST(Checkpoint, CallsThatNeedTheDriverWaitForTheUnlock) {
    OWN_PROCESS();
    Bytes bytes(2);
    Stream stream = make_stream(0);
    Event event = make_event();
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    bytes.set(stream, 0, 1);
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_set_current_device(0)); // a thread without one is on that of the driver's current context

    fake().lock(1);
    auto synchronized = start([&] { return gs_event_synchronize(event); });
    auto made = start([] {
        gs_stream_t another = nullptr;
        const gs_status_t status = gs_stream_create(0, 0, GS_STREAM_DEDICATED, &another);
        return status == GS_OK ? gs_stream_destroy(another) : status;
    });
    EXPECT_TRUE(waits(synchronized));
    EXPECT_TRUE(waits(made));
    // A checkpoint waits for work that was submitted, so a thread that lets that work go on must not wait for the driver.
    auto signalled = start([&] { return gs_timeline_signal(timeline, 1); });
    ASSERT_FALSE(waits(signalled));
    EXPECT_OK(signalled.get());
    EXPECT_EQ(timeline.value(), 1u);
    while (bytes[0] != 1) std::this_thread::yield();
    gs_device_t device = GS_DEVICE_NONE;
    int64_t id = 0;
    uint64_t scope = 0;
    EXPECT_OK(gs_stream_device(stream, &device));
    EXPECT_OK(gs_stream_id(stream, &id));
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_TRUE(waits(synchronized)) << "the driver answers nothing";
    EXPECT_TRUE(waits(made));
    fake().lock(0);
    EXPECT_EQ(synchronized.get(), GS_OK);
    EXPECT_EQ(made.get(), GS_OK);
    expect_everything_works(stream);
    EXPECT_EQ(fake().violation_text(), "");
}

// The dispatcher waits inside the driver while other threads hand it work, which needs no driver.
TEST(Checkpoint, WhatIsToBeToldIsToldAfterTheUnlock) {
    OWN_PROCESS();
    static std::atomic<int> g_told{0}, g_deferred{0};
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    Timeline timeline;
    Queue queue{8};
    const auto tell = [](void *, gs_status_t status) { g_told += status == GS_OK ? 1 : 100; };
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_notify(stream, tell, nullptr));
    ASSERT_OK(gs_stream_defer(stream, [](void *) { ++g_deferred; }, nullptr));
    ASSERT_OK(gs_stream_sleep(stream, 1)); // the submission that marks what is deferred
    ASSERT_OK(gs_queue_add_event(queue, event, 7));

    fake().lock(1);
    std::this_thread::sleep_for(milliseconds(30)); // the dispatcher asks the driver
    auto signalled = start([&] { return gs_timeline_signal(timeline, 1); });
    ASSERT_FALSE(waits(signalled));
    gs_completion_t none{};
    size_t count = 0;
    auto polled = start([&] { return gs_queue_poll(queue, &none, 1, &count); });
    ASSERT_FALSE(waits(polled));
    EXPECT_OK(polled.get());
    EXPECT_EQ(count, 0u);
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(g_told, 0);
    EXPECT_EQ(g_deferred, 0);
    fake().lock(0);
    const std::vector<gs_completion_t> entries = queue.take(1);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].token, 7u);
    EXPECT_EQ(entries[0].status, GS_OK);
    while (g_told == 0 || g_deferred == 0) std::this_thread::yield();
    EXPECT_EQ(g_told, 1);
    EXPECT_EQ(g_deferred, 1);
    expect_everything_works(other);
    EXPECT_EQ(fake().violation_text(), "");
}

// The time in between counts.
TEST(Checkpoint, TimeLimitsGoOn) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Timeline never;
    ASSERT_OK(gs_stream_wait_timeline(stream, never, 1));
    auto unfinished = start([&] { return gs_stream_synchronize_for(stream, 60'000'000); });
    auto value = start([&] { return gs_timeline_synchronize(never, 1, 60'000'000); });
    std::this_thread::sleep_for(milliseconds(10));
    fake().lock(1);
    std::this_thread::sleep_for(milliseconds(150));
    fake().lock(0);
    EXPECT_EQ(unfinished.get(), GS_ERROR_TIMEOUT);
    EXPECT_EQ(value.get(), GS_ERROR_TIMEOUT);
    ASSERT_OK(gs_timeline_signal(never, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_everything_works(stream);
}

} // namespace
} // namespace gs::test
