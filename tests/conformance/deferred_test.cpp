// SPDX-License-Identifier: Apache-2.0
// Deferred functions: each runs once, after the work before it, whatever becomes of the stream, and costs no driver call of
// its own.
#include <atomic>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

class Count {
public:
    gs_status_t defer(gs_stream_t stream) { return gs_stream_defer(stream, &Count::add, this); }
    int value() const { return value_; }
    void wait_for(int wanted) const {
        while (value_ < wanted) std::this_thread::yield();
    }

private:
    static void add(void *self) { ++static_cast<Count *>(self)->value_; }
    std::atomic<int> value_{0};
};

// All that was given to the dispatcher before has run. stream: one without pending work. It is made before a gate closes: a
// driver may wait for all work when it makes a stream.
void settle_dispatcher(gs_stream_t stream) {
    std::atomic<bool> told{false};
    ASSERT_OK(gs_stream_notify(
        stream, [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; }, &told));
    while (!told) std::this_thread::yield();
}

} // namespace

TEST_P(Conformance, Defer_RunsAfterTheWorkSoFar) {
    Stream stream = make_stream(0), beside = make_stream(0);
    Count count;
    Gate gate, later;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(count.defer(stream));
    ASSERT_OK(later.hold(stream)); // the submission that marks the point
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 0);
    gate.open();
    count.wait_for(1);
    EXPECT_FALSE(done(stream.get())) << "it does not wait for later work";
    later.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 1);
}

TEST_P(Conformance, Defer_ManyCostOneRecord) {
    Stream stream = make_stream(0);
    Count count;
    ASSERT_OK(gs_stream_sleep(stream, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
    const StatsDelta stats;
    for (int i = 0; i < 50; ++i) ASSERT_OK(count.defer(stream));
    EXPECT_EQ(stats.since(&gs_stats_t::driver_calls), 0u) << "no other code can capture the stream";
    ASSERT_OK(gs_trim());
    count.wait_for(50);
    settle_dispatcher(stream);
    EXPECT_EQ(count.value(), 50);
    for (int i = 0; i < 1000; ++i) ASSERT_OK(count.defer(stream)); // more than a batch has room for
    ASSERT_OK(gs_trim());
    count.wait_for(1050);
    (void)native_of(stream);
    const StatsDelta asked;
    for (int i = 0; i < 10; ++i) ASSERT_OK(count.defer(stream));
    EXPECT_EQ(asked.since(&gs_stats_t::driver_calls), 10u) << "whether other code captures it is asked, nothing else";
    ASSERT_OK(gs_trim());
    count.wait_for(1060);
}

TEST_P(Conformance, Defer_OutlivesTheStream) {
    Count count;
    Stream beside = make_stream(0);
    for (const uint32_t flags : {0u, uint32_t{GS_STREAM_DEDICATED}, uint32_t{GS_STREAM_SHARED}}) {
        const int before = count.value();
        Gate gate;
        {
            Stream stream = make_stream(0, flags);
            ASSERT_OK(gate.hold(stream));
            ASSERT_OK(count.defer(stream));
        }
        ASSERT_OK(gs_trim());
        settle_dispatcher(beside);
        EXPECT_EQ(count.value(), before) << flags;
        gate.open();
        while (count.value() == before) {
            ASSERT_OK(gs_trim()); // the driver's stream is found to be idle
            std::this_thread::yield();
        }
        EXPECT_EQ(count.value(), before + 1) << flags;
    }
}

TEST_P(Conformance, Defer_OnAnUnusedStream) {
    Count count;
    {
        Stream stream = make_stream(0);
        ASSERT_OK(count.defer(stream));
    }
    while (count.value() == 0) {
        ASSERT_OK(gs_trim());
        std::this_thread::yield();
    }
    ASSERT_OK(count.defer(default_stream(0)));
    ASSERT_OK(count.defer(GS_STREAM_CURRENT));
    ASSERT_OK(gs_trim());
    count.wait_for(3);
}

TEST_P(Conformance, Defer_FromManyThreadsOnOneStream) {
    constexpr int kThreads = 4, kEach = 500;
    Stream stream = make_stream(0);
    Count count;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < kEach; ++n) {
                EXPECT_OK(count.defer(stream));
                if (n % 50 == 0) {
                    EXPECT_OK(gs_stream_sleep(stream, 1));
                }
            }
        });
    for (std::thread &thread : threads) thread.join();
    ASSERT_OK(gs_trim());
    count.wait_for(kThreads * kEach);
    settle_dispatcher(stream);
    EXPECT_EQ(count.value(), kThreads * kEach);
}

TEST_P(Conformance, Defer_ItsFunctionMayCallTheLibraryButNotWait) {
    static gs_stream_t g_stream;
    static std::atomic<int> g_answers{0};
    Stream stream = make_stream(0);
    g_stream = stream;
    g_answers = 0;
    ASSERT_OK(gs_stream_defer(
        stream,
        [](void *) {
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize(g_stream));
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize_for(g_stream, 1));
            Event event = make_event();
            EXPECT_OK(gs_event_record(event, g_stream));
            ++g_answers;
        },
        nullptr));
    ASSERT_OK(gs_trim());
    while (g_answers == 0) std::this_thread::yield();
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_defer(stream, nullptr, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_defer(nullptr, [](void *) {}, nullptr));
}

// One handle stands for a driver stream per thread: what another thread submits says nothing about this thread's work.
TEST_P(Conformance, Defer_OnThePerThreadStreamWaitsForTheThreadsOwnWork) {
    Stream beside = make_stream(0);
    const gs_stream_t mine = per_thread_stream(0);
    Count count, of_another;
    Gate gate;
    std::atomic<bool> ready{false}, held{false}, checked{false};
    // A driver may wait for all work when it makes or ends a thread's stream. So the other thread's stream exists before the
    // gate closes, and until it has opened.
    ASSERT_OK(gs_stream_sleep(beside, 1));
    std::thread other([&] {
        EXPECT_OK(gs_stream_sleep(mine, 1));
        EXPECT_OK(gs_stream_synchronize(mine));
        ready = true;
        while (!held) std::this_thread::yield();
        EXPECT_OK(of_another.defer(mine));
        EXPECT_OK(gs_stream_sleep(mine, 1));
        EXPECT_OK(gs_trim());
        of_another.wait_for(1);
        while (!checked) std::this_thread::yield();
    });
    while (!ready) std::this_thread::yield();
    EXPECT_OK(gate.hold(mine));
    EXPECT_OK(count.defer(mine));
    held = true;
    of_another.wait_for(1);
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 0) << "the work of the thread that deferred it is not done";
    gate.open();
    checked = true;
    other.join();
    ASSERT_OK(gs_trim());
    count.wait_for(1);
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 1);
}

// The capture of another, blocking stream closes the default stream for calls. Its work goes on.
TEST_P(Conformance, Defer_OnTheDefaultStreamBesideACapture) {
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING), beside = make_stream(0);
    Count count;
    Gate gate;
    ASSERT_OK(gate.hold(default_stream(0)));
    ASSERT_OK(count.defer(default_stream(0)));
    ASSERT_OK(gs_stream_begin_capture(blocking, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_trim());
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 0) << "a mark that has to wait is no end of the work";
    EXPECT_STATUS(GS_ERROR_CAPTURING, count.defer(default_stream(0)));
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 0) << "nor is a call that is refused";
    ASSERT_OK(gs_stream_abort_capture(blocking));
    gate.open();
    ASSERT_OK(gs_trim());
    count.wait_for(1);
    settle_dispatcher(beside);
    EXPECT_EQ(count.value(), 1);
}

TEST_P(HostConformanceProcess, Defer_RunsAfterAFault) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count count;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_TRUE(host::testing::inject_fault_later(0, native_of(stream), 700, "the test"));
    ASSERT_OK(count.defer(stream));
    gate.open();
    while (gs_device_check(0) == GS_OK) std::this_thread::yield();
    EXPECT_STATUS(GS_ERROR_STICKY, count.defer(stream));
    count.wait_for(1);
    EXPECT_EQ(count.value(), 1);
}

TEST_P(Conformance, Limit_OfADevice) {
    Stream stream = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    const gs_status_t first = gs_device_synchronize_for(0, 200'000);
    if (first == GS_ERROR_NOT_SUPPORTED) {
        gate.open();
        GTEST_SKIP() << "no GPU whose driver records whole devices";
    }
    EXPECT_EQ(first, GS_ERROR_TIMEOUT);
    EXPECT_EQ(gs_device_synchronize_for(GS_DEVICE_CURRENT, 0), GS_ERROR_TIMEOUT);
    gate.open();
    EXPECT_OK(gs_device_synchronize_for(0, INT64_MAX));
    EXPECT_TRUE(done(stream.get()));
    EXPECT_OK(gs_device_synchronize_for(0, -1));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_synchronize_for(12345, 0));
}

} // namespace gs::test
