// SPDX-License-Identifier: Apache-2.0
// Waits for timelines that are in their streams, while the driver fails to mark their ends.
#include "fault/inject.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

// The stream waits all the same. It can be part of a circle, and an abort releases who waits behind it.
TEST(TimelineFaults, AWaitThatCannotBeMarked) {
    OWN_PROCESS();
    Stream stream = make_stream(0), waits = make_stream(0), behind = make_stream(0);
    Timeline timeline, other, third;
    inject("cuEventRecord", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_wait_timeline(waits, timeline, 1));
    fake().clear_fault();
    ASSERT_OK(gs_stream_wait_timeline(stream, other, 1));
    ASSERT_OK(gs_stream_signal_timeline(waits, other, 1));
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(stream, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(waits, third, 1));
    ASSERT_OK(gs_stream_wait_timeline(behind, third, 1));
    EXPECT_OK(gs_timeline_abort(third, GS_ERROR_ABORTED));
    EXPECT_OK(gs_stream_synchronize(behind));
    EXPECT_OK(gs_timeline_signal(timeline, 1));
    EXPECT_OK(gs_stream_synchronize(stream));
}

// The same of the wait that a signal behind another stream's makes necessary.
TEST(TimelineFaults, AWaitForTheSignalBeforeThatCannotBeMarked) {
    OWN_PROCESS();
    Stream first = make_stream(0), second = make_stream(0);
    Timeline timeline, other;
    ASSERT_OK(gs_stream_wait_timeline(first, other, 1));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    inject("cuEventRecord", FAKE_CUDA_BEFORE, FAKE_CUDA_PERSISTENT);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_signal_timeline(second, timeline, 2));
    fake().clear_fault();
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(second, other, 1));
    EXPECT_OK(gs_timeline_signal(other, 1));
    EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
}

} // namespace gs::test
