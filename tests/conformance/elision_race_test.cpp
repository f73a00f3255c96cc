// SPDX-License-Identifier: Apache-2.0
// A record becomes visible to other threads only after its driver call has returned.
#include <atomic>
#include <thread>

#include "base/testing.hpp"
#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

using gs::testing::SeededBug;
using gs::testing::Yield;

thread_local bool t_park = false;
std::atomic<bool> g_parked{false}, g_go_on{false};

void park(Yield where) {
    if (where != Yield::AfterCheck || !t_park) return;
    t_park = false;
    g_parked = true;
    while (!g_go_on) std::this_thread::yield();
}

// The event was recorded on `source`, which is held. While a second record, on `sink`, has not reached the driver yet, a
// wait of `sink` must still wait for the first one. Returns true if it did not.
bool wait_left_out_too_early(SeededBug bug) {
    gs::testing::seeded_bug = bug;
    Bytes bytes(2);
    Stream source = make_stream(0), sink = make_stream(0);
    Event event = make_event();
    Gate gate;
    EXPECT_OK(gate.hold(source));
    bytes.set(source, 0, 1);
    EXPECT_OK(gs_event_record(event, source));
    g_parked = g_go_on = false;
    gs::testing::yield_hook = park;
    std::thread recorder([&] {
        t_park = true;
        EXPECT_OK(gs_event_record(event, sink));
    });
    while (!g_parked) std::this_thread::yield();
    EXPECT_OK(gs_event_wait(event, sink));
    if (bug == SeededBug::None) bytes.copy(sink, 1, 0); // with the bug it would be a data race
    g_go_on = true;
    recorder.join();
    gs::testing::yield_hook = nullptr;
    gs::testing::seeded_bug = SeededBug::None;
    if (bug != SeededBug::None) EXPECT_OK(gs_stream_synchronize(sink)); // it is not held then
    const bool early = done(sink.get());                                // the work it must wait for cannot be done
    gate.open();
    EXPECT_OK(gs_stream_synchronize(sink));
    EXPECT_OK(gs_stream_synchronize(source)); // with the bug no stream waits for it
    return early || (bug == SeededBug::None && bytes[1] != 1);
}

bool wait_left_out_across_streams(SeededBug bug) {
    gs::testing::seeded_bug = bug;
    Bytes bytes(2);
    Stream source = make_stream(0), sink = make_stream(0);
    Event event = make_event();
    Gate gate;
    EXPECT_OK(gate.hold(source));
    bytes.set(source, 0, 1);
    EXPECT_OK(gs_event_record(event, source));
    EXPECT_OK(gs_event_wait(event, sink));
    if (bug == SeededBug::None) bytes.copy(sink, 1, 0);
    gs::testing::seeded_bug = SeededBug::None;
    if (bug != SeededBug::None) EXPECT_OK(gs_stream_synchronize(sink)); // it is not held then
    const bool early = done(sink.get());
    gate.open();
    EXPECT_OK(gs_stream_synchronize(sink));
    EXPECT_OK(gs_stream_synchronize(source)); // with the bug no stream waits for it
    return early || (bug == SeededBug::None && bytes[1] != 1);
}

} // namespace

TEST_P(Conformance, Elision_RecordsArePublishedAfterTheDriverCall) {
    EXPECT_FALSE(wait_left_out_too_early(SeededBug::None));
}

TEST_P(Conformance, Elision_WaitsAcrossStreamsReachTheDriver) {
    EXPECT_FALSE(wait_left_out_across_streams(SeededBug::None));
}

TEST_P(ConformanceProcess, ElisionFixture_PublishedBeforeTheCall) {
    OWN_PROCESS({{"GPUSTREAM_ELIDE", "1"}});
    EXPECT_TRUE(wait_left_out_too_early(SeededBug::PublishBeforeCall)) << "the scenario does not see the seeded bug";
}

TEST_P(ConformanceProcess, ElisionFixture_SkippedWait) {
    OWN_PROCESS();
    EXPECT_TRUE(wait_left_out_across_streams(SeededBug::SkipWaitAcrossStreams))
        << "the scenario does not see the seeded bug";
}

} // namespace gs::test
