// SPDX-License-Identifier: Apache-2.0
// The ranges that threads have open, in dumps of the process and in the log file of another one.
#include <unistd.h>

#include <atomic>
#include <regex>

#include "logs/log_file.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string thread_text() { return "thread " + std::to_string(gettid()) + " is in "; }

// The line about the calling thread, without its number; "" if there is none.
std::string own_line(const std::string &text) {
    const size_t at = text.find("\n" + thread_text());
    const size_t begin = at + 1 + thread_text().size();
    return at == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

TEST(OpenRanges, AreThoseOfEachThread) {
    EXPECT_EQ(own_line(dumped()), "");
    ASSERT_OK(gs_range_push("step"));
    ASSERT_OK(gs_range_push("upload"));
    EXPECT_EQ(own_line(dumped()), "\"step\" > \"upload\"");
    std::thread([] {
        EXPECT_EQ(own_line(dumped()), "");
        EXPECT_OK(gs_range_push("of another thread"));
        const std::string text = dumped();
        EXPECT_EQ(own_line(text), "\"of another thread\"");
        EXPECT_THAT(text, HasSubstr(" is in \"step\" > \"upload\"\n"));
    }).join();
    EXPECT_THAT(dumped(), Not(HasSubstr("of another thread"))) << "the thread has ended";
    std::thread([] { EXPECT_EQ(own_line(dumped()), "") << "a new thread begins with none"; }).join();
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_push("compute"));
    EXPECT_EQ(own_line(dumped()), "\"step\" > \"compute\"");
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_pop());
    EXPECT_EQ(gs_range_pop(), GS_ERROR_SCOPE);
    EXPECT_EQ(own_line(dumped()), "");
}

TEST(OpenRanges, NamesAreCutAndPrintable) {
    const std::string long_name(5000, 'n');
    ASSERT_OK(gs_range_push(""));
    ASSERT_OK(gs_range_push("a\nb\xff"));
    ASSERT_OK(gs_range_push(long_name.c_str()));
    EXPECT_EQ(own_line(dumped()), "\"\" > \"a?b?\" > \"" + std::string(63, 'n') + "\"");
    for (int i = 0; i < 3; ++i) ASSERT_OK(gs_range_pop());
}

TEST(OpenRanges, TheDeepestOnesAreCounted) {
    for (int i = 0; i < 40; ++i) ASSERT_OK(gs_range_push(std::to_string(i).c_str()));
    const std::string line = own_line(dumped());
    EXPECT_THAT(line, HasSubstr("\"0\" > \"1\" > "));
    EXPECT_THAT(line, HasSubstr(" > \"31\" and 8 more ranges"));
    for (int i = 0; i < 8; ++i) ASSERT_OK(gs_range_pop());
    EXPECT_THAT(own_line(dumped()), testing::EndsWith(" > \"31\""));
    for (int i = 0; i < 32; ++i) ASSERT_OK(gs_range_pop());
    EXPECT_EQ(own_line(dumped()), "");
}

// A dump beside a thread that changes them, and in it by a signal, has whole names.
TEST(OpenRanges, AreReadWhole) {
    const std::string a(63, 'a'), b(63, 'b');
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        while (!stop)
            for (const std::string *name : {&a, &b}) {
                ASSERT_OK(gs_range_push(name->c_str()));
                ASSERT_OK(gs_range_pop());
            }
    });
    const std::regex line("thread [0-9]+ is in \"([^\"]*)\"");
    size_t seen = 0;
    for (int i = 0; i < 2000 || seen == 0; ++i) {
        const std::string text = dumped();
        for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at, ++seen)
            ASSERT_TRUE((*at)[1] == a || (*at)[1] == b || (*at)[1] == "...") << (*at)[1];
    }
    stop = true;
    writer.join();
}

class OpenRangesInFile : public LogFile {};

TEST_F(OpenRangesInFile, OutliveAKilledProcess) {
    const auto outcome = logged(path("log"), [] {
        std::thread([] { EXPECT_OK(gs_range_push("ended")); }).join();
        EXPECT_OK(gs_range_push("step"));
        EXPECT_OK(gs_range_push("popped"));
        EXPECT_OK(gs_range_pop());
        for (int i = 0; i < 39; ++i) EXPECT_OK(gs_range_push("deep"));
        const Hang hang;
        kill(getpid(), SIGKILL);
    });
    ASSERT_EQ(outcome.signal, SIGKILL) << outcome.output;
    const std::string text = read_log(path("log"));
    EXPECT_TRUE(
        std::regex_search(text, std::regex("\nthread [0-9]+ is in \"step\"( > \"deep\"){31} and 8 more ranges\n")))
        << text;
    EXPECT_THAT(text, Not(HasSubstr("ended\"")));
    EXPECT_THAT(text, Not(HasSubstr("popped\"")));
    EXPECT_EQ(line_about(text, "compute"), kExplained);
}

TEST_F(OpenRangesInFile, OfOneselfAreTheSame) {
    const auto outcome = logged(path("log"), [&] {
        EXPECT_OK(gs_range_push("outer"));
        EXPECT_OK(gs_range_push("in\x01ner"));
        EXPECT_EQ(own_line(read_log(path("log"))), "\"outer\" > \"in?ner\"");
        EXPECT_EQ(own_line(dumped()), "\"outer\" > \"in?ner\"");
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

} // namespace
} // namespace gs::check::test
