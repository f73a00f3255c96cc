// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS: who blocks threads, and who uses the default stream. Each child uses the library for the first time.
#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <regex>
#include <thread>

#include "dumps/dumped.hpp"
#include "support/child_process.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gs::test::Outcome watched(const char *syncs, const std::function<void()> &body) {
    return gs::test::run_forked([&] {
        setenv("GPUSTREAM_SYNCS", syncs, 1);
        body();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
}

size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
    return count;
}

} // namespace

// Exported, so that call stacks have its name.
[[gnu::noinline]] __attribute__((visibility("default"))) void step_that_waits(gs_stream_t stream) {
    EXPECT_OK(gs_stream_synchronize(stream));
    __asm__ volatile("");
}

namespace {

TEST(Syncs, AreCountedByCallerAndThread) {
    const auto outcome = watched("1", [] {
        const Stream stream = make_stream(0);
        const Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        for (int i = 0; i < 3; ++i) step_that_waits(stream);
        std::thread([&] { step_that_waits(stream); }).join();
        ASSERT_OK(gs_event_synchronize(event));
        int32_t done = 0;
        ASSERT_OK(gs_event_query(event, &done)); // does not block
        const std::string text = dumped();
        EXPECT_EQ(count_of(text, "was blocked by gs_stream_synchronize 3 times, "), 1u) << text;
        EXPECT_EQ(count_of(text, "was blocked by gs_stream_synchronize 1 times, "), 1u) << text;
        EXPECT_EQ(count_of(text, "called from gs::check::test::step_that_waits(gs_stream*)+"), 2u) << text;
        EXPECT_THAT(text, HasSubstr("was blocked by gs_event_synchronize 1 times, "));
        EXPECT_THAT(text, Not(HasSubstr("query")));
        EXPECT_TRUE(std::regex_search(text, std::regex(R"(thread \d+ was .*, \d+\.\d{3} ms in all, \d+\.\d{3} ms at)")))
            << text;
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

TEST(Syncs, OfACallThatRunsOutOfTimeCount) {
    const auto outcome = watched("1", [] {
        const Stream stream = make_stream(0);
        const Timeline timeline = make_timeline();
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
        EXPECT_EQ(gs_stream_synchronize_for(stream, 2'000'000), GS_ERROR_TIMEOUT);
        const std::string text = dumped();
        std::smatch found;
        ASSERT_TRUE(std::regex_search(text, found, std::regex(R"(gs_stream_synchronize_for 1 times, (\d+)\.)")))
            << text;
        EXPECT_GE(std::stoi(found[1]), 2) << "milliseconds";
        ASSERT_OK(gs_timeline_signal(timeline, 1));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

TEST(Syncs, AreNotCountedUnlessAsked) {
    for (const char *value : {"", "0", "all"}) {
        const auto outcome = watched(value, [] {
            const Stream stream = make_stream(0);
            step_that_waits(stream);
            EXPECT_THAT(dumped(), Not(HasSubstr("was blocked")));
        });
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        EXPECT_EQ(count_of(outcome.output, "GPUSTREAM_SYNCS='all' is ignored"), *value == 'a' ? 1u : 0u);
    }
}

// The table is full: the others are counted together.
TEST(Syncs, FromManyThreads) {
    const auto outcome = watched("1", [] {
        const Stream stream = make_stream(0);
        for (int i = 0; i < 600; ++i) std::thread([&] { step_that_waits(stream); }).join();
        const std::string text = dumped();
        EXPECT_LE(count_of(text, " was blocked by "), 512u);
        EXPECT_TRUE(std::regex_search(text, std::regex(R"(and \d+ times from other places\n)"))) << text.substr(0, 500);
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

TEST(Syncs, WarnOfTheDefaultStreamOncePerCaller) {
    const auto outcome = watched("null", [] {
        gs_stream_t standard = nullptr, own = nullptr;
        ASSERT_OK(gs_default_stream(0, &standard));
        ASSERT_OK(gs_per_thread_stream(0, &own));
        const Stream stream = make_stream(0);
        const Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_wait_event(own, event));
        for (int i = 0; i < 3; ++i) ASSERT_OK(gs_stream_wait_event(standard, event));
        ASSERT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1)); // the default stream, too
        ASSERT_OK(gs_stream_synchronize(standard));       // is a sync, not a use
        EXPECT_THAT(dumped(), HasSubstr("was blocked by gs_stream_synchronize 1 times"));
        EXPECT_THAT(dumped(), HasSubstr("log of 0 operations"));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_EQ(count_of(outcome.output, "uses the default stream"), 2u) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("gs_stream_wait_event"));
    EXPECT_THAT(outcome.output, HasSubstr("gs_stream_sleep"));
}

} // namespace
} // namespace gs::check::test
