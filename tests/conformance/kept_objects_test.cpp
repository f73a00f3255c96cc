// SPDX-License-Identifier: Apache-2.0
// What the library keeps for the next owner: driver events and streams of destroyed objects, and of threads that ended.
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "handle/handle_bits.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kEvents = 20;
constexpr int kStreams = 20;

void record_and_destroy_events(gs_stream_t stream) {
    std::vector<Event> events;
    for (int i = 0; i < kEvents; ++i) {
        events.push_back(make_event());
        ASSERT_OK(gs_event_record(events.back(), stream));
    }
}

uint32_t index_of(gs_stream_t stream) { return handle_index(handle_bits(stream)); }

} // namespace

TEST_P(ConformanceProcess, Kept_DriverEventsOfAnEndedThreadServeOthers) {
    OWN_PROCESS();
    Stream stream = make_stream();
    std::thread([&] { record_and_destroy_events(stream); }).join();
    const StatsDelta stats;
    record_and_destroy_events(stream);
    EXPECT_EQ(stats.since(&gs_stats_t::event_pool_misses), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::event_pool_hits), static_cast<uint64_t>(kEvents));
}

TEST_P(ConformanceProcess, Kept_GracePeriodsOfEventsAreCounted) {
    OWN_PROCESS();
    Stream stream = make_stream();
    const StatsDelta stats;
    std::vector<Event> events;
    for (int i = 0; i < 200; ++i) {
        events.push_back(make_event());
        ASSERT_OK(gs_event_record(events.back(), stream));
    }
    EXPECT_EQ(stats.since(&gs_stats_t::reclaim_rounds), 0u);
    std::thread([&] { // a second thread uses them, so their reuse needs a grace period
        for (Event &event : events) EXPECT_OK(gs_event_synchronize(event));
    })
        .join();
    events.clear();
    EXPECT_OK(gs_trim());
    EXPECT_GT(stats.since(&gs_stats_t::reclaim_rounds), 0u);
}

// What ended threads left behind and what a grace period must pass for go too.
TEST_P(ConformanceProcess, Kept_NothingAfterTrim) {
    OWN_PROCESS();
    Stream stream = make_stream();
    std::thread([&] {
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        std::thread([&] { EXPECT_OK(gs_event_synchronize(event)); }).join();
        std::vector<Stream> streams(2);
        for (Stream &one : streams) one = make_stream();
        std::thread([&] {
            for (Stream &one : streams) EXPECT_OK(gs_stream_synchronize(one));
        }).join();
    }).join();
    EXPECT_OK(gs_trim());
    const StatsDelta stats;
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    Stream other = make_stream();
    EXPECT_EQ(stats.since(&gs_stats_t::event_pool_misses), 1u);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_misses), 1u);
}

TEST_P(ConformanceProcess, Kept_AnEventsHandleNamesNoBackend) {
    OWN_PROCESS();
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_EQ(handle_backend(handle_bits(event.get())), 0u) << "an event is bound by its first record";
    EXPECT_EQ(handle_backend(handle_bits(stream.get())), static_cast<uint32_t>(GetParam()));
}

// The stream's last work is an event record, not a host function: that counts as use as well.
TEST_P(ConformanceProcess, Kept_AStreamThatWaitsIsNotHandedOut) {
    OWN_PROCESS();
    Stream held = make_stream(), waiting = make_stream();
    Event event = make_event();
    Bytes bytes(1);
    Gate gate;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_event_record(event, held));
    ASSERT_OK(gs_event_wait(event, waiting));
    waiting.reset();
    std::vector<Stream> streams;
    for (int i = 0; i < kStreams; ++i) {
        streams.push_back(make_stream());
        EXPECT_TRUE(done(streams.back().get())) << "it waits behind the gate of another owner";
    }
    gate.open();
}

TEST_P(ConformanceProcess, Kept_ABusyStreamDoesNotHideAnIdleOne) {
    OWN_PROCESS();
    Stream busy = make_stream(), idle = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(busy));
    ASSERT_OK(gs_event_record(event, idle));
    ASSERT_OK(gs_stream_synchronize(idle));
    busy.reset();
    idle.reset();
    const StatsDelta stats;
    Stream next = make_stream();
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_misses), 0u);
    EXPECT_TRUE(done(next.get()));
    gate.open();
}

TEST_P(ConformanceProcess, Kept_ASlotIsNotReusedDuringABlockingCall) {
    // Making and destroying streams beyond those that the device's channels serve waits there for the held one.
    if (on_gpu()) GTEST_SKIP() << "a GPU's driver waits for the gate";
    OWN_PROCESS();
    Stream stream = make_stream(GS_DEVICE_CURRENT, GS_STREAM_DEDICATED); // its slot does not wait for idleness
    const uint32_t index = index_of(stream);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    const StatsDelta stats;
    std::thread blocked([name = stream.get()] { EXPECT_OK(gs_stream_synchronize(name)); });
    while (stats.since(&gs_stats_t::synchronizes) == 0) std::this_thread::yield(); // counted when the slot is pinned
    stream.reset();
    std::vector<Stream> streams;
    for (int i = 0; i < 3 * kStreams; ++i) {
        streams.push_back(make_stream());
        EXPECT_NE(index_of(streams.back()), index);
        streams.push_back(make_stream(GS_DEVICE_CURRENT, GS_STREAM_DEDICATED));
        EXPECT_NE(index_of(streams.back()), index);
        EXPECT_OK(gs_trim());
    }
    gate.open();
    blocked.join();
}

} // namespace gs::test
