// SPDX-License-Identifier: Apache-2.0
// Which calls take no driver call and which take exactly one. With GPUSTREAM_ELIDE=0 all of them reach the driver.
#include <thread>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Counters_RecordTakesExactlyOneCall) {
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream)); // creates the driver event
    StatsDelta stats;
    for (int i = 0; i < 10; ++i) ASSERT_OK(gs_event_record(event, stream));
    EXPECT_EQ(stats.driver_calls(), 10u);
    EXPECT_EQ(stats.since(&gs_stats_t::records), 10u);
}

TEST_P(Conformance, Counters_WaitOnTheRecordingStream) {
    Stream stream = make_stream(), other = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    StatsDelta stats;
    ASSERT_OK(gs_event_wait(event, stream));
    EXPECT_EQ(stats.driver_calls(), elides() ? 0u : 1u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), elides() ? 1u : 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::waits), 1u);
    stats.restart();
    ASSERT_OK(gs_event_wait(event, other));
    EXPECT_EQ(stats.driver_calls(), 1u) << "pending, on another stream";
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), 0u);
    stats.restart();
    ASSERT_OK(gs_stream_wait_stream(stream, stream));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), elides() ? 1u : 0u);
    gate.open();
}

TEST_P(Conformance, Counters_KnownCompleteNeedsNoDriver) {
    Stream stream = make_stream(), other = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    // What another thread has waited for proves nothing to this one.
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(stream)); }).join();
    StatsDelta stats;
    EXPECT_TRUE(done(event.get()));
    const uint64_t query_calls = stats.driver_calls(); // on CUDA including those that protect other threads' captures
    EXPECT_GE(query_calls, 1u) << "the first query reaches the driver";
    stats.restart();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_event_wait(event, other));
    if (elides())
        EXPECT_EQ(stats.driver_calls(), 0u);
    else
        EXPECT_GE(stats.driver_calls(), 7u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), elides() ? 5u : 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), elides() ? 1u : 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), elides() ? 1u : 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::queries), 5u);
    EXPECT_EQ(stats.since(&gs_stats_t::synchronizes), 1u);
    // After a new record the driver is queried again.
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    stats.restart();
    EXPECT_FALSE(done(event.get()));
    EXPECT_EQ(stats.driver_calls(), query_calls);
    gate.open();
}

TEST_P(Conformance, Counters_NeverElided) {
    Stream stream = make_stream(0);
    Event plain = make_event(), exported = make_event(), external = make_event(GS_EVENT_EXTERNAL);
    uintptr_t native = 0;
    for (Event *event : {&plain, &exported, &external}) {
        ASSERT_OK(gs_event_record(*event, stream));
        ASSERT_OK(gs_event_synchronize(*event));
    }
    ASSERT_OK(gs_event_native(exported, &native));
    StatsDelta stats;
    // Waits on the default and per-thread streams are actions in them.
    EXPECT_OK(gs_event_wait(plain, default_stream(0)));
    EXPECT_OK(gs_event_wait(plain, per_thread_stream(0)));
    // Other code may have recorded these.
    EXPECT_TRUE(done(exported.get()));
    EXPECT_OK(gs_event_wait(exported, stream));
    EXPECT_OK(gs_event_synchronize(exported));
    EXPECT_TRUE(done(external.get()));
    EXPECT_OK(gs_event_wait(external, stream));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), 0u);
    EXPECT_GE(stats.driver_calls(), 7u);
}

TEST_P(Conformance, Counters_CreateAndDestroyWithoutTheDriverOnceWarm) {
    Stream stream = make_stream();
    for (int i = 0; i < 2; ++i) { // warm: the driver event stays with its slot
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_event_synchronize(event));
    }
    StatsDelta stats;
    for (int i = 0; i < 500; ++i) make_event().reset();
    EXPECT_EQ(stats.driver_calls(), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::events_created), 500u);
    stats.restart();
    for (int i = 0; i < 10; ++i) {
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
    }
    EXPECT_EQ(stats.driver_calls(), 10u) << "the records only: the driver event came from the pool";
    EXPECT_EQ(stats.since(&gs_stats_t::event_pool_misses), 0u);
}

TEST_P(Conformance, Counters_CurrentStreamNeedsNoDriver) {
    ROWS("G1 G3 G5");
    Stream a = make_stream(0), b = make_stream(0);
    ASSERT_OK(
        gs_set_current_device(0)); // a thread that has set none follows the driver's context, which it has to query
    StatsDelta stats;
    for (int i = 0; i < 20; ++i) {
        uint64_t outer = 0, inner = 0;
        ASSERT_OK(gs_push_current_stream(a, &outer));
        ASSERT_OK(gs_push_current_stream(b, &inner));
        EXPECT_EQ(current_stream(0), b.get());
        ASSERT_OK(gs_pop_current_stream(inner));
        ASSERT_OK(gs_pop_current_stream(outer));
        ASSERT_OK(gs_set_current_stream(a));
        ASSERT_OK(gs_set_current_stream(default_stream(0)));
    }
    EXPECT_EQ(stats.driver_calls(), 0u);
}

TEST_P(Conformance, Counters_ElisionNeverChangesOrder) {
    // Elided and executed waits have the same result; the process without elision runs this too.
    Bytes bytes(2);
    Stream a = make_stream(), b = make_stream();
    Event event = make_event();
    for (int round = 1; round <= 200; ++round) {
        bytes.set(a, 0, round % 251);
        ASSERT_OK(gs_event_record(event, a));
        if (round % 3 == 0) (void)done(event.get());
        if (round % 7 == 0) ASSERT_OK(gs_event_synchronize(event));
        ASSERT_OK(gs_event_wait(event, a));
        ASSERT_OK(gs_event_wait(event, b));
        bytes.copy(b, 1, 0);
        ASSERT_OK(gs_event_record(event, b));
        ASSERT_OK(gs_event_wait(event, a)); // before a overwrites what b reads
        if (round % 10 == 0) {
            ASSERT_OK(gs_stream_synchronize(b));
            ASSERT_EQ(bytes[1], round % 251);
        }
    }
    ASSERT_OK(gs_stream_synchronize(a));
}

TEST_P(Conformance, Counters_Synchronizes) {
    Stream stream = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    const auto expect_counted = [](const char *what, const auto &call) {
        SCOPED_TRACE(what);
        StatsDelta stats;
        EXPECT_OK(call());
        EXPECT_EQ(stats.since(&gs_stats_t::synchronizes), 1u);
    };
    expect_counted("stream", [&] { return gs_stream_synchronize(stream); });
    expect_counted("event", [&] { return gs_event_synchronize(event); });
    expect_counted("device", [] { return gs_device_synchronize(0); });
}

TEST_P(Conformance, Counters_ResetMakesANewZeroPoint) {
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_GE(read_stats().records, 1u);
    ASSERT_OK(gs_reset_stats());
    EXPECT_EQ(read_stats().records, 0u);
    EXPECT_EQ(read_stats().driver_calls, 0u);
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_EQ(read_stats().records, 1u);
    EXPECT_EQ(read_stats().reserved, 0u);
}

TEST_P(Conformance, Counters_TrimGivesBack) {
    {
        Stream stream = make_stream();
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    ASSERT_OK(gs_trim());
    StatsDelta stats;
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_GE(stats.since(&gs_stats_t::stream_pool_misses), 1u);
    EXPECT_GE(stats.since(&gs_stats_t::event_pool_misses), 1u);
    Gate gate;
    ASSERT_OK(gate.hold(stream)); // objects in use or with pending work are kept
    const gs_stream_t dead = stream.release();
    ASSERT_OK(gs_event_record(event, dead));
    ASSERT_OK(gs_stream_destroy(dead));
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(done(event.get()));
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
}

// The usual thread. Only where the driver can have another device current must it be asked, once.
TEST_P(Conformance, Counters_AThreadThatSetsNoDevice) {
    Stream stream = make_stream(0);
    int32_t devices = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    const uint64_t asked = on_cuda() && devices > 1 ? 1 : 0;
    std::thread([&] {
        gs_stream_t current = nullptr;
        gs_device_t device = GS_DEVICE_NONE;
        uint64_t scope = 0;
        EXPECT_OK(gs_current_stream(GS_DEVICE_CURRENT, &current)); // attaches the thread
        StatsDelta stats;
        EXPECT_OK(gs_current_stream(GS_DEVICE_CURRENT, &current));
        EXPECT_EQ(stats.driver_calls(), asked);
        stats.restart();
        EXPECT_OK(gs_current_device(&device));
        EXPECT_EQ(stats.driver_calls(), asked);
        EXPECT_EQ(device, 0);
        stats.restart();
        EXPECT_OK(gs_push_current_stream(stream, &scope));
        EXPECT_EQ(stats.driver_calls(), asked);
        EXPECT_OK(gs_current_stream(GS_DEVICE_CURRENT, &current));
        EXPECT_EQ(current, stream.get());
        EXPECT_OK(gs_pop_current_stream(scope));
        EXPECT_EQ(stats.driver_calls(), asked) << "inside the scope and at its end the driver was asked";
        // A device set inside a scope ends with it.
        EXPECT_OK(gs_push_current_stream(stream, &scope));
        EXPECT_OK(gs_set_current_device(devices - 1));
        EXPECT_OK(gs_pop_current_stream(scope));
        stats.restart();
        EXPECT_OK(gs_current_device(&device));
        EXPECT_EQ(device, 0);
        EXPECT_EQ(stats.driver_calls(), asked);
    }).join();
}

} // namespace gs::test
