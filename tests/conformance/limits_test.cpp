// SPDX-License-Identifier: Apache-2.0
// Waits with a limit, waits for several events, and the wait modes.
#include <thread>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int64_t kShort = 200'000;

class WaitMode {
public:
    explicit WaitMode(int32_t mode) { EXPECT_OK(gs_set_option(GS_OPTION_WAIT_MODE, mode)); }
    ~WaitMode() { EXPECT_OK(gs_set_option(GS_OPTION_WAIT_MODE, GS_WAIT_DRIVER)); }
    WaitMode(const WaitMode &) = delete;
    WaitMode &operator=(const WaitMode &) = delete;
};

} // namespace

TEST_P(Conformance, Limit_ThatPassesChangesNothing) {
    Stream stream = make_stream(0);
    Event event = make_event();
    for (const int32_t mode : {GS_WAIT_DRIVER, GS_WAIT_SPIN, GS_WAIT_BLOCK, GS_WAIT_ADAPTIVE}) {
        const WaitMode set(mode);
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(gs_event_record(event, stream));
        for (const int64_t limit : {int64_t{0}, kShort}) {
            EXPECT_EQ(gs_stream_synchronize_for(stream, limit), GS_ERROR_TIMEOUT) << mode;
            EXPECT_EQ(gs_event_synchronize_for(event, limit), GS_ERROR_TIMEOUT) << mode;
        }
        gate.open();
        EXPECT_OK(gs_event_synchronize_for(event, INT64_MAX));
        EXPECT_OK(gs_stream_synchronize_for(stream, INT64_MAX));
        EXPECT_OK(gs_stream_synchronize_for(stream, 0));
        EXPECT_OK(gs_event_synchronize_for(event, 0));
    }
}

TEST_P(Conformance, WaitMode_AllModesWaitForTheWork) {
    Stream stream = make_stream(0);
    for (const int32_t mode : {GS_WAIT_DRIVER, GS_WAIT_SPIN, GS_WAIT_BLOCK, GS_WAIT_ADAPTIVE}) {
        const WaitMode set(mode);
        int64_t got = -1;
        EXPECT_OK(gs_get_option(GS_OPTION_WAIT_MODE, &got));
        EXPECT_EQ(got, mode);
        for (const uint32_t flags : {0u, uint32_t{GS_EVENT_BLOCKING}}) {
            Event event = make_event(flags);
            EXPECT_OK(gs_event_synchronize(event)); // never recorded
            ASSERT_OK(gs_stream_sleep(stream, 300'000));
            ASSERT_OK(gs_event_record(event, stream));
            EXPECT_OK(gs_event_synchronize(event));
            EXPECT_TRUE(done(event.get()));
            ASSERT_OK(gs_stream_sleep(stream, 300'000));
            EXPECT_OK(gs_stream_synchronize(stream));
            EXPECT_TRUE(done(stream.get()));
            ASSERT_OK(gs_stream_sleep(stream, 300'000));
            EXPECT_OK(gs_device_synchronize(0));
            EXPECT_TRUE(done(stream.get()));
        }
    }
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_set_option(GS_OPTION_WAIT_MODE, -1));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_set_option(GS_OPTION_WAIT_MODE, 4));
}

TEST_P(ConformanceProcess, WaitMode_OfTheEnvironment) {
    OWN_PROCESS({{"GPUSTREAM_WAIT", "adaptive"}, {"GPUSTREAM_WAIT_CPU", "30"}});
    int64_t mode = -1;
    EXPECT_OK(gs_get_option(GS_OPTION_WAIT_MODE, &mode));
    EXPECT_EQ(mode, GS_WAIT_ADAPTIVE);
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_sleep(stream, 100'000));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_TRUE(done(stream.get()));
}

TEST_P(ConformanceProcess, WaitMode_ThatIsNone) {
    OWN_PROCESS({{"GPUSTREAM_WAIT", "lazily"}, {"GPUSTREAM_WAIT_CPU", "0"}});
    int64_t mode = -1;
    EXPECT_OK(gs_get_option(GS_OPTION_WAIT_MODE, &mode));
    EXPECT_EQ(mode, GS_WAIT_DRIVER);
}

TEST_P(Conformance, Several_AnyNamesTheFirstThatIsComplete) {
    Stream held = make_stream(0), free = make_stream(0);
    Event pending = make_event(), complete = make_event(), never = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_event_record(pending, held));
    ASSERT_OK(gs_event_record(complete, free));
    gs_event_t events[] = {pending, pending, complete};
    size_t index = 9;
    EXPECT_OK(gs_event_synchronize_any(events, 3, -1, &index));
    EXPECT_EQ(index, 2u);
    EXPECT_EQ(gs_event_synchronize_any(events, 2, kShort, &index), GS_ERROR_TIMEOUT);
    EXPECT_EQ(index, 0u);
    EXPECT_EQ(gs_event_synchronize_all(events, 3, kShort), GS_ERROR_TIMEOUT);
    gs_event_t with_new[] = {pending, never};
    EXPECT_OK(gs_event_synchronize_any(with_new, 2, 0, &index));
    EXPECT_EQ(index, 1u);
    std::thread opener([&] { gate.open(); });
    EXPECT_OK(gs_event_synchronize_all(events, 3, -1));
    opener.join();
    EXPECT_TRUE(done(pending.get()));
    EXPECT_OK(gs_event_synchronize_all(nullptr, 0, 0));
}

// No array is that long: it is refused before it is read.
TEST_P(Conformance, Several_MoreThanThereCanBe) {
    Event event = make_event();
    const gs_event_t one = event;
    size_t index = 9;
    for (const size_t count : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / sizeof one}) {
        EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_event_synchronize_all(&one, count, 0));
        EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_event_synchronize_any(&one, count, 0, &index));
    }
}

TEST_P(Conformance, Several_BadArguments) {
    Event event = make_event();
    gs_event_t events[] = {event, nullptr};
    size_t index = 9;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize_any(events, 2, 0, &index));
    EXPECT_EQ(index, 0u);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize_all(events, 2, 0));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_synchronize_any(events, 0, 0, &index));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_synchronize_any(nullptr, 1, 0, &index));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_synchronize_any(events, 1, 0, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_synchronize_all(nullptr, 1, 0));
}

// The limits wait for the record at the call, though the event is recorded again and again.
TEST_P(Conformance, Limit_IsForTheRecordAtTheCall) {
    Stream stream = make_stream(0);
    Event event = make_event();
    auto pending = std::make_unique<Gate>();
    ASSERT_OK(pending->hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    std::atomic<bool> returned{false};
    StatsDelta stats;
    std::thread waiter([&] {
        EXPECT_OK(gs_event_synchronize_for(event, INT64_MAX));
        returned = true;
    });
    while (stats.since(&gs_stats_t::synchronizes) == 0) std::this_thread::yield();
    while (!returned) {
        auto next = std::make_unique<Gate>();
        EXPECT_OK(next->hold(stream)); // the stream stays busy, the newest record pending
        EXPECT_OK(gs_event_record(event, stream));
        pending->open();
        pending = std::move(next);
    }
    waiter.join();
    pending->open();
}

TEST_P(Conformance, Limit_TheObjectIsDestroyedDuringTheWait) {
    Stream stream = make_stream(0);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    const StatsDelta stats;
    std::vector<std::thread> waiters;
    waiters.emplace_back([handle = event.get()] { EXPECT_OK(gs_event_synchronize_for(handle, INT64_MAX)); });
    waiters.emplace_back([handle = event.get()] {
        const gs_event_t events[] = {handle, handle};
        EXPECT_OK(gs_event_synchronize_all(events, 2, -1));
    });
    waiters.emplace_back([handle = stream.get()] { EXPECT_OK(gs_stream_synchronize_for(handle, INT64_MAX)); });
    while (stats.since(&gs_stats_t::synchronizes) < 3) std::this_thread::yield();
    const gs_stream_t dead_stream = stream;
    stream.reset();
    gate.open();
    for (std::thread &waiter : waiters) waiter.join();
    const gs_event_t dead_event = event;
    event.reset();
    size_t index = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize_for(dead_stream, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize_for(dead_event, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize_any(&dead_event, 1, 1, &index));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize_all(&dead_event, 1, 1));
}

TEST_P(Conformance, Limit_RecordsOfAnAwaitedEventKeepTheirOrder) {
    Bytes bytes(2);
    Stream first = make_stream(0), second = make_stream(0);
    Event event = make_event();
    Gate gate, other;
    ASSERT_OK(gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    std::atomic<bool> begun{false};
    std::thread waiter([&] {
        begun = true;
        EXPECT_OK(gs_event_synchronize_for(event, INT64_MAX));
    });
    while (!begun) std::this_thread::yield();
    for (int i = 0; i < 100; ++i) ASSERT_OK(gs_event_record(event, first)); // with other driver events, if it is held
    ASSERT_OK(gs_event_wait(event, second));
    bytes.set(second, 0, 1);
    EXPECT_FALSE(done(second.get()));
    gate.open();
    waiter.join();
    EXPECT_OK(gs_stream_synchronize(second));
    EXPECT_EQ(bytes[0], 1);
}

} // namespace gs::test
