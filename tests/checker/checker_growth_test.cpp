// SPDX-License-Identifier: Apache-2.0
// What the checker knows of queues, threads and clocks that have ended is forgotten.
#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>

#include "checker/graphs.hpp"
#include "tools/check/checker.hpp"
#include "tools/check/facts.hpp"

namespace gs::check::test {
namespace {

#if defined(__GLIBC__)
size_t bytes_in_use() { return mallinfo2().uordblks; } // 0 under a sanitizer's allocator
#else
size_t bytes_in_use() { return 0; }
#endif

constexpr uint64_t kWarm = Order::kMostHandovers + 1, kRounds = 3 * kWarm;

void expect_no_growth(const std::function<void(uint64_t)> &round) {
    for (uint64_t i = 1; i <= kWarm; ++i) round(i);
    const size_t before = bytes_in_use();
    for (uint64_t i = kWarm + 1; i <= kRounds; ++i) round(i);
    EXPECT_LE(bytes_in_use(), before + kRounds) << "a block for each round would be 32 times as much";
}

TEST(CheckerGrowth, QueuesThatEndWithEntries) {
    Checker checker;
    expect_no_growth([&](uint64_t queue) {
        for (const uint64_t token : {uint64_t{0}, uint64_t{7}, UINT64_MAX}) checker.expect(queue, token, VectorClock());
        checker.end_queue(queue);
    });
}

TEST(CheckerGrowth, EntriesThatAreTold) {
    Checker checker;
    expect_no_growth([&](uint64_t token) {
        checker.expect(1, token, VectorClock());
        checker.told({1, 1, false}, 1, token);
    });
}

TEST(CheckerGrowth, PerThreadStreams) {
    Checker checker;
    expect_no_growth([&](uint64_t serial) {
        StreamFacts facts;
        facts.key = {kKeyPerThread, 1, 0, serial};
        facts.device = 1;
        facts.blocking = true;
        checker.order().submit(checker.thread({serial, serial, false}), checker.order().stream(facts));
        checker.order().end_thread(serial);
    });
}

TEST(CheckerGrowth, Clocks) {
    Checker checker;
    ThreadLine &thread = checker.thread({1, 1, false});
    expect_no_growth([&](uint64_t) {
        uint64_t clock = 0;
        checker.order().hand_over(thread, &clock);
    });
}

TEST(CheckerGrowth, ExecutablesThatEnd) {
    const Stream stream = make_stream(0);
    const Graph graph = make_graph();
    add_empty(graph, {});
    Checking checking;
    expect_no_growth([&](uint64_t) {
        const Exec exec = instantiate(graph);
        EXPECT_OK(gs_graph_exec_launch(exec, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
    });
}

// Those of the queues beside it are still expected.
TEST(CheckerGrowth, OtherQueuesAreLeftAlone) {
    for (const uint64_t asked : {1, 2, 3}) {
        Checker checker;
        VectorClock point;
        point.set(3, 5);
        for (const uint64_t queue : {1, 2, 3}) checker.expect(queue, 0, point);
        checker.end_queue(2);
        const Caller caller{1, 1, false};
        checker.told(caller, asked, 0);
        EXPECT_EQ(checker.thread(caller).clock.at(3), asked == 2 ? 0u : 5u);
    }
}

} // namespace
} // namespace gs::check::test
