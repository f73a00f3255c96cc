// SPDX-License-Identifier: Apache-2.0
// Partitions of the host backend: a number of workers.
#include <sched.h>

#include <atomic>
#include <vector>

#include "conformance/partitions.hpp"

namespace gs::test {
namespace {

// How many host functions of its streams run at the same time.
struct Width {
    std::atomic<int> now{0}, most{0}, done{0};

    static void run(void *self) {
        auto &width = *static_cast<Width *>(self);
        const int running = width.now.fetch_add(1) + 1;
        int most = width.most.load();
        while (most < running && !width.most.compare_exchange_weak(most, running)) {}
        for (int i = 0; i < 20; ++i) sched_yield();
        width.now.fetch_sub(1);
        width.done.fetch_add(1);
    }
};

} // namespace

// Host: streams of a partition have that many workers and no more, and all of their work is done.
TEST_P(HostConformance, Partitions_LimitTheWorkers) {
    Partition partition = make_partition(1);
    Width narrow, wide;
    std::vector<Stream> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(stream_in(partition, -i));
    for (int i = 0; i < 4; ++i) streams.push_back(make_stream());
    constexpr int kEach = 100;
    for (int k = 0; k < kEach; ++k)
        for (size_t i = 0; i < streams.size(); ++i)
            ASSERT_OK(gs_stream_launch_host(streams[i], Width::run, i < 4 ? &narrow : &wide));
    partition.reset(); // changes nothing for them
    ASSERT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    EXPECT_EQ(narrow.most.load(), 1);
    EXPECT_EQ(narrow.done.load(), 4 * kEach);
    EXPECT_EQ(wide.done.load(), 4 * kEach);
}

// A stream that waits takes nothing from its partition.
TEST_P(HostConformance, Partitions_WhoWaitsNeedsNoWorker) {
    Partition partition = make_partition(1);
    if (summary_of(partition).device_sm_count < 2) GTEST_SKIP() << "the gate would hold the only worker";
    Stream waiting = stream_in(partition), working = stream_in(partition), other = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(other));
    gate.wait_until_reached();
    ASSERT_OK(gs_stream_wait_stream(waiting, other));
    Width width;
    ASSERT_OK(gs_stream_launch_host(working, Width::run, &width));
    ASSERT_OK(gs_stream_synchronize(working));
    EXPECT_EQ(width.done.load(), 1);
    EXPECT_FALSE(done(waiting));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(waiting));
}

} // namespace gs::test
