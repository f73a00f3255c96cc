// SPDX-License-Identifier: Apache-2.0
// Timelines that end before their signals, which the scanner asks about while the driver fails, and their events where no driver can
// be called.
#include <thread>

#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

// About a write that is still to come: the timelines that are made before must not have its word.
TEST(TimelineFaults, AQuestionAboutALateWriteThatFails) {
    OWN_PROCESS();
    Stream signals = make_stream(0), waits = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    {
        Timeline timeline;
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
        ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 5));
    }
    ASSERT_OK(gs_stream_synchronize(waits));
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    while (fake().injected(nullptr, 0) == 0) std::this_thread::yield();
    ASSERT_OK(gs_trim()); // what no stream waits for may serve again
    Timeline next[4];
    gate.open();
    ASSERT_OK(gs_stream_synchronize(signals));
    for (const Timeline &timeline : next) EXPECT_EQ(timeline.value(), 0u);
}

// With more events than are kept as spare ones, and no call of the driver is permitted there.
TEST(TimelineFaults, ATimelineThatEndsInAHostFunction) {
    OWN_PROCESS();
    Stream signals = make_stream(0), calls = make_stream(0);
    ASSERT_OK(gs_trim());
    const size_t events = fake().live(FAKE_CUDA_EVENT);
    Timeline timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    for (uint64_t value = 1; value <= 200; ++value) ASSERT_OK(gs_stream_signal_timeline(signals, timeline, value));
    const auto destroy = [](void *ended) { EXPECT_OK(gs_timeline_destroy(static_cast<gs_timeline_t>(ended))); };
    ASSERT_OK(gs_stream_launch_host(calls, destroy, timeline.release()));
    ASSERT_OK(gs_stream_synchronize(calls));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(signals));
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_EVENT), events);
    EXPECT_EQ(fake().violation_text(), "");
}

// The same of one whose word may still be written, so that no other timeline gets it.
TEST(TimelineFaults, ALostTimelineThatEndsInAHostFunction) {
    OWN_PROCESS();
    Stream signals = make_stream(0), waits = make_stream(0), calls = make_stream(0);
    ASSERT_OK(gs_trim());
    const size_t events = fake().live(FAKE_CUDA_EVENT);
    Timeline lost, many;
    ASSERT_OK(gs_stream_wait_timeline(waits, lost, 1));
    inject("cuStreamWriteValue64_v2", FAKE_CUDA_AFTER);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(signals, lost, 1));
    ASSERT_OK(gs_stream_synchronize(waits));
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    for (uint64_t value = 1; value <= 200; ++value) ASSERT_OK(gs_stream_signal_timeline(signals, many, value));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(signals));
    ASSERT_OK(gs_timeline_destroy(many.release())); // fills the stock
    const auto destroy = [](void *ended) { EXPECT_OK(gs_timeline_destroy(static_cast<gs_timeline_t>(ended))); };
    ASSERT_OK(gs_stream_launch_host(calls, destroy, lost.release()));
    ASSERT_OK(gs_stream_synchronize(calls));
    EXPECT_EQ(fake().violation_text(), "");
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_EVENT), events);
    Timeline next[3];
    for (Timeline &timeline : next) EXPECT_EQ(timeline.value(), 0u);
}

} // namespace gs::test
