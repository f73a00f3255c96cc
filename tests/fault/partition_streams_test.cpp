// SPDX-License-Identifier: Apache-2.0
// Driver streams of partitions: reused while the partition's handle lives, and ended with it.
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fault/partition_streams.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

// The life of a stream that was used, as the driver sees it.
std::vector<std::string> calls_of_a_life(const std::function<Stream()> &make) {
    Event event = make_event();
    EXPECT_OK(gs_event_record(event, make())); // makes the driver's objects
    fake().start_trace();
    EXPECT_OK(gs_event_record(event, make()));
    return fake().trace_lines();
}

TEST(PartitionStreams, CostTheDriverWhatOtherStreamsCost) {
    OWN_PROCESS();
    Partition partition = make_partition();
    const std::vector<std::string> plain = calls_of_a_life([] { return make_stream(0); });
    EXPECT_EQ(calls_of_a_life([&] { return stream_in(partition); }), plain);
    EXPECT_FALSE(plain.empty()) << "the trace works";
}

TEST(PartitionStreams, AreReusedByTheirPartitionOnly) {
    OWN_PROCESS();
    Partition partition = make_partition(), other = make_partition();
    const uint64_t first = use_and_destroy(stream_in(partition));
    EXPECT_EQ(live_streams_of(partition), 0u);
    const StatsDelta stats;
    EXPECT_NE(driver_id(make_stream(0)), first);
    EXPECT_NE(driver_id(stream_in(other)), first);
    EXPECT_NE(driver_id(stream_in(partition, -1)), first) << "of another priority";
    EXPECT_NE(driver_id(stream_in(partition, 0, GS_STREAM_DEDICATED)), first);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), 0u);
    Stream again = stream_in(partition);
    EXPECT_EQ(driver_id(again), first);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), 1u);
    EXPECT_EQ(live_streams_of(partition), 1u);
    EXPECT_NE(driver_id(stream_in(partition)), first) << "it has an owner";
}

TEST(PartitionStreams, UnusedOnesAreReusedToo) {
    OWN_PROCESS();
    Partition partition = make_partition();
    const uint64_t first = driver_id(stream_in(partition));
    fake().start_trace();
    Stream again = stream_in(partition);
    EXPECT_EQ(fake().trace_lines(), std::vector<std::string>{}) << "nothing was asked";
    EXPECT_EQ(driver_id(again), first);
}

TEST(PartitionStreams, BusyOnesAreNot) {
    OWN_PROCESS();
    Partition partition = make_partition();
    Gate gate;
    Stream busy = stream_in(partition);
    ASSERT_OK(gate.hold(busy));
    const uint64_t first = driver_id(busy);
    busy.reset();
    EXPECT_NE(use_and_destroy(stream_in(partition)), first);
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 2u);
    gate.open();
    ASSERT_OK(gs_device_synchronize(0));
    EXPECT_EQ(driver_id(stream_in(partition)), first);
}

TEST(PartitionStreams, DedicatedOnesEndWithTheirHandle) {
    OWN_PROCESS();
    Partition partition = make_partition();
    use_and_destroy(stream_in(partition, 0, GS_STREAM_DEDICATED));
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 0u);
}

TEST(PartitionStreams, EndWithTheHandleOfTheirPartition) {
    OWN_PROCESS();
    Partition partition = make_partition();
    {
        Stream used = stream_in(partition), unused = stream_in(partition), urgent = stream_in(partition, -1);
        use_and_destroy(std::move(used));
    }
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 3u);
    partition.reset();
    expect_nothing_left();
}

TEST(PartitionStreams, WorkOfThoseThatEndIsDone) {
    OWN_PROCESS();
    Partition partition = make_partition();
    std::atomic<int> deferred{0};
    Event event = make_event();
    Gate gate;
    {
        Stream stream = stream_in(partition);
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(
            gs_stream_defer(stream, [](void *arg) { static_cast<std::atomic<int> *>(arg)->fetch_add(1); }, &deferred));
    }
    partition.reset();
    EXPECT_FALSE(done(event.get()));
    EXPECT_EQ(deferred, 0);
    gate.open();
    ASSERT_OK(gs_event_synchronize(event));
    while (deferred == 0) ASSERT_OK(gs_trim());
    EXPECT_EQ(deferred, 1);
    expect_nothing_left();
}

TEST(PartitionStreams, AreReturnedByTrim) {
    OWN_PROCESS();
    Partition partition = make_partition();
    const uint64_t first = use_and_destroy(stream_in(partition));
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 0u);
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 1u) << "the partition is the caller's";
    EXPECT_NE(use_and_destroy(stream_in(partition)), first);
    partition.reset();
    expect_nothing_left();
}

TEST(PartitionStreams, TheLastOneEndsThePartition) {
    OWN_PROCESS();
    Partition partition = make_partition();
    Stream one = stream_in(partition), two = stream_in(partition);
    partition.reset();
    use_and_destroy(std::move(one));
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 1u) << "not kept for a partition that has ended";
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 1u);
    use_and_destroy(std::move(two));
    expect_nothing_left();
}

// Another thread has used the stream, so it has a grace period before it.
TEST(PartitionStreams, TheLastOneEndsThePartitionAlsoAfterOtherThreads) {
    OWN_PROCESS();
    Partition partition = make_partition();
    Stream stream = stream_in(partition);
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(stream)); }).join();
    partition.reset();
    stream.reset();
    expect_nothing_left();
}

TEST(PartitionStreams, EndWithTheDevice) {
    OWN_PROCESS();
    Partition partition = make_partition();
    use_and_destroy(stream_in(partition));
    Stream stream = stream_in(partition);
    use_and_destroy(stream_in(partition));
    ASSERT_OK(gs_device_reset(0));
    gs_stream_t late = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create_in(partition, 0, 0, &late));
    ASSERT_OK(gs_trim());
    EXPECT_EQ(live_streams_of(partition), 1u);
    stream.reset();
    partition.reset();
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(PartitionStreams, TheDriverCannotDestroyAPooledOne) {
    OWN_PROCESS();
    Partition partition = make_partition();
    use_and_destroy(stream_in(partition));
    fake_cuda_fault_t fault{};
    fault.function = "cuStreamDestroy_v2";
    fault.nth = 1;
    fault.code = CUDA_ERROR_UNKNOWN;
    fake().inject(&fault);
    EXPECT_OK(gs_partition_destroy(partition.release()));
    fake().clear_fault();
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 1u) << "a stream that may be left does not outlive its partition";
    EXPECT_EQ(fake().violation_text(), "");
}

// Threads make and end streams of a partition, and trim, while its handle ends: in the end nothing is left of any.
TEST(PartitionStreams, NothingIsLeftWhileThreadsUseThem) {
    OWN_PROCESS();
    for (int round = 0; round < 30; ++round) {
        Partition partition = make_partition();
        std::atomic<int> made{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, i] {
                Event event = make_event();
                for (;;) {
                    gs_stream_t stream = nullptr;
                    const gs_status_t status = gs_stream_create_in(partition, -(i & 1), 0, &stream);
                    if (status == GS_ERROR_INVALID_HANDLE) return;
                    ASSERT_EQ(status, GS_OK);
                    made.fetch_add(1);
                    EXPECT_OK(gs_event_record(event, stream));
                    if (i == 3) EXPECT_OK(gs_trim());
                    EXPECT_OK(gs_stream_destroy(stream));
                }
            });
        while (made.load() < 8) sched_yield();
        EXPECT_OK(gs_partition_destroy(partition.get()));
        for (std::thread &thread : threads) thread.join();
        (void)partition.release();
    }
    EXPECT_OK(gs_trim());
    expect_nothing_left();
}

} // namespace
} // namespace gs::test
