// SPDX-License-Identifier: Apache-2.0
// Driver streams of partitions that are being captured when their handles end.
#include <gtest/gtest.h>

#include <utility>

#include "fault/partition_streams.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

CUresult begin_elsewhere(uintptr_t native) {
    const auto begin = fake().symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
    return begin(reinterpret_cast<CUstream>(native), CU_STREAM_CAPTURE_MODE_RELAXED);
}

TEST(PartitionStreams, ACaptureOfOtherCodeIsLeftAlone) {
    OWN_PROCESS();
    Partition partition = make_partition();
    uintptr_t native = 0;
    uint64_t first = 0;
    {
        Stream stream = stream_in(partition);
        ASSERT_OK(gs_stream_native(stream, &native));
        first = use_and_destroy(std::move(stream));
    }
    ASSERT_EQ(begin_elsewhere(native), CUDA_SUCCESS);
    EXPECT_NE(driver_id(stream_in(partition)), first);
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0)) << "which would break it";
    ASSERT_OK(gs_trim());
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0)) << "it was kept";
    partition.reset();
    EXPECT_OK(gs_device_synchronize(0));
    expect_nothing_left();
}

// A stream that has kept its raw handle to itself, behind an event of a stream that the library no longer knows.
TEST(PartitionStreams, ACaptureThatAStreamHasJoinedIsLeftAlone) {
    OWN_PROCESS();
    Partition partition = make_partition();
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    ASSERT_EQ(begin_elsewhere(foreign.native()), CUDA_SUCCESS);
    {
        gs_stream_t wrapped = nullptr;
        ASSERT_OK(gs_stream_from_native(0, foreign.native(), &wrapped));
        Stream origin(wrapped), joins = stream_in(partition);
        Event fork = make_event();
        ASSERT_OK(gs_event_record(fork, origin));
        ASSERT_OK(gs_stream_wait_event(joins, fork));
    }
    Stream other = stream_in(partition); // the first was found to be captured
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 3u);
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0)) << "which would break it";
    const auto end = fake().symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
    CUgraph graph = nullptr;
    ASSERT_EQ(end(reinterpret_cast<CUstream>(foreign.native()), &graph), CUDA_SUCCESS);
    EXPECT_EQ(fake().symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph), CUDA_SUCCESS);
    EXPECT_OK(gs_device_synchronize(0));
    Stream again = stream_in(partition);
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 3u) << "it is idle by now";
}

TEST(PartitionStreams, ACaptureOfTheLibraryEndsWithItsStream) {
    OWN_PROCESS();
    Partition partition = make_partition();
    Stream stream = stream_in(partition);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    stream.reset();
    partition.reset();
    expect_nothing_left();
}

} // namespace
} // namespace gs::test
