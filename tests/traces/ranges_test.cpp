// SPDX-License-Identifier: Apache-2.0
// Ranges without the log and without a tool: what is counted, and refused.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "support/objects.hpp"
#include "support/status_matchers.hpp"

namespace gs::check::test {
namespace {

constexpr int kMostOfAThread = 256;
constexpr size_t kMostOfTheProcess = 1024;

TEST(Ranges, AreBoundedAndOfTheThread) {
    for (int i = 0; i < kMostOfAThread; ++i) ASSERT_OK(gs_range_push("deep"));
    EXPECT_EQ(gs_range_push("too deep"), GS_ERROR_FULL);
    std::thread([] {
        EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
        EXPECT_OK(gs_range_push("of another thread"));
    }).join();
    for (int i = 0; i < kMostOfAThread; ++i) ASSERT_OK(gs_range_pop());
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
}

// The block of a thread that has ended serves the next one, which begins without ranges.
TEST(Ranges, EndWithTheirThread) {
    for (int i = 0; i < 4; ++i)
        std::thread([] {
            EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
            EXPECT_OK(gs_range_push("left open"));
        }).join();
}

TEST(Ranges, StartedOnesAreBoundedAndNeverTheSame) {
    std::set<uint64_t> seen;
    std::vector<uint64_t> open;
    for (int round = 0; round < 3; ++round) {
        uint64_t range = 0;
        while (open.size() < kMostOfTheProcess) {
            ASSERT_OK(gs_range_start("beside", &range));
            ASSERT_NE(range, 0u);
            EXPECT_TRUE(seen.insert(range).second);
            open.push_back(range);
        }
        EXPECT_EQ(gs_range_start("one more", &range), GS_ERROR_FULL);
        EXPECT_EQ(range, 0u);
        for (const uint64_t one : open) ASSERT_OK(gs_range_end(one));
        for (const uint64_t one : open) ASSERT_EQ(gs_range_end(one), GS_ERROR_SCOPE);
        open.clear();
    }
    for (const uint64_t garbage : {uint64_t{0}, uint64_t{1}, UINT64_MAX, *seen.begin() + kMostOfTheProcess * 100000})
        EXPECT_EQ(gs_range_end(garbage), GS_ERROR_SCOPE);
}

TEST(Ranges, MayBeUsedInHostFunctions) {
    const gs::test::Stream stream = gs::test::make_stream(0);
    gs_status_t seen[4] = {-1, -1, -1, -1};
    ASSERT_OK(gs_stream_launch_host(
        stream,
        [](void *arg) {
            auto *out = static_cast<gs_status_t *>(arg);
            out[0] = gs_range_push("in a host function");
            out[1] = gs_mark("there");
            out[2] = gs_range_pop();
            out[3] = gs_profiler_start();
        },
        seen));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(seen[0], GS_OK);
    EXPECT_EQ(seen[1], GS_OK);
    EXPECT_EQ(seen[2], GS_OK);
    EXPECT_EQ(seen[3], GS_ERROR_NOT_PERMITTED);
}

} // namespace
} // namespace gs::check::test
