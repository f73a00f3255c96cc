// SPDX-License-Identifier: Apache-2.0
// Ranges and marks in the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "support/status_matchers.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/log_notes.hpp"

namespace gs::check::test {
namespace {

using recorder::LogCall;
using recorder::LogEntry;
using ::testing::ElementsAre;

// Since that time, of all threads.
std::vector<LogEntry> entries_of_ranges(uint64_t since) {
    std::vector<LogEntry> all;
    recorder::for_each_entry(recorder::live_evidence(), [&](const LogEntry &entry) {
        if (entry.time_ns > since && entry.call >= LogCall::RangePush && entry.call <= LogCall::Mark)
            all.push_back(entry);
    });
    std::sort(all.begin(), all.end(), [](const LogEntry &a, const LogEntry &b) { return a.time_ns < b.time_ns; });
    return all;
}

std::string shown(const LogEntry &entry) {
    const bool named =
        entry.call == LogCall::RangePush || entry.call == LogCall::RangeStart || entry.call == LogCall::Mark;
    return std::string(recorder::text_of(entry.call)) +
           (named ? std::string(" ") + recorder::text_with_number(static_cast<uint32_t>(entry.value)) : "");
}

TEST(RangeLog, HasThemInOrder) {
    const std::vector<LogEntry> earlier = entries_of_ranges(0); // of tests before this one in the same process
    uint64_t range = 0;
    ASSERT_OK(gs_range_start("epoch", &range));
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_mark("first"));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_end(range));
    const std::vector<LogEntry> all = entries_of_ranges(earlier.empty() ? 0 : earlier.back().time_ns);
    std::vector<std::string> texts;
    for (const LogEntry &entry : all) texts.push_back(shown(entry));
    ASSERT_THAT(texts, ElementsAre("the thread starts the range epoch", "the thread begins the range step",
                                   "the thread marks first", "the thread ends its range", "the thread ends a range"));
    EXPECT_EQ(all[0].object, range);
    EXPECT_EQ(all[4].object, range);
}

TEST(RangeLog, KeepsEachNameOnce) {
    const std::string cut(70, 'x'), other = std::string(63, 'x') + "y and more", control = "a\x01\x7f";
    EXPECT_EQ(recorder::log_text("step"), recorder::log_text("step"));
    EXPECT_NE(recorder::log_text("step"), recorder::log_text("Step"));
    EXPECT_NE(recorder::log_text(""), 0u);
    EXPECT_STREQ(recorder::text_with_number(recorder::log_text("")), "");
    EXPECT_EQ(recorder::log_text("\0a"), recorder::log_text("\0b")) << "both are empty";
    EXPECT_EQ(recorder::text_with_number(recorder::log_text(cut.c_str())), std::string(63, 'x'));
    EXPECT_NE(recorder::log_text(cut.c_str()), recorder::log_text(other.c_str()))
        << "the byte behind the last one differs";
    EXPECT_STREQ(recorder::text_with_number(recorder::log_text(control.c_str())), "a??");
    EXPECT_STREQ(recorder::text_with_number(recorder::log_text("\xC3\xA4\xFF")), "\xC3\xA4?");
    EXPECT_STREQ(recorder::text_with_number(UINT32_MAX), "...");
}

TEST(RangeLog, IsBoundedInItsNames) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int i = 0; i < 5000; ++i) {
                const std::string name = "name " + std::to_string(i);
                const uint32_t number = recorder::log_text(name.c_str());
                if (number != 0) EXPECT_EQ(recorder::text_with_number(number), name);
            }
        });
    for (std::thread &one : threads) one.join();
    EXPECT_EQ(recorder::log_text("one more"), 0u);
    EXPECT_STREQ(recorder::text_with_number(0), "...");
    EXPECT_NE(recorder::log_text("name 0"), 0u);
}

} // namespace
} // namespace gs::check::test
