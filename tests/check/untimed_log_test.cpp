// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LOG_TIMES=0: the log has no times, and is in order all the same.
#include <algorithm>
#include <atomic>
#include <regex>
#include <vector>

#include "check/log_file.hpp"
#include "tools/recorder/event_log.hpp"

namespace gs::check::test {
namespace {

using recorder::LogCall;
using recorder::LogEntry;
using ::testing::HasSubstr;
using ::testing::Not;

class UntimedLog : public LogFile {
protected:
    gs::test::Outcome untimed(const std::function<void()> &body) const {
        return logged(path("log"), [&] {
            setenv("GPUSTREAM_LOG_TIMES", "0", 1);
            body();
        });
    }
};

std::vector<LogEntry> entries_of(LogCall call) {
    struct Wanted {
        LogCall call;
        std::vector<LogEntry> found;
    } wanted{call, {}};
    recorder::visit_log(
        [](void *context, const LogEntry &entry) noexcept {
            auto *all = static_cast<Wanted *>(context);
            if (entry.call == all->call) all->found.push_back(entry);
        },
        &wanted);
    std::sort(wanted.found.begin(), wanted.found.end(),
              [](const LogEntry &a, const LogEntry &b) { return a.time_ns < b.time_ns; });
    return wanted.found;
}

TEST_F(UntimedLog, ExplainsAHangAsWell) {
    const auto outcome = untimed([] {
        const Hang hang;
        EXPECT_THAT(dumped(), Not(HasSubstr("ms ago")));
        EXPECT_THAT(line_about(dumped(), "compute"), HasSubstr("and nothing in the log signals that"));
        if (::testing::Test::HasFailure()) _exit(1);
        kill(getpid(), SIGKILL);
    });
    ASSERT_EQ(outcome.signal, SIGKILL) << outcome.output;
    const std::string text = read_log(path("log"));
    EXPECT_EQ(line_about(text, "compute"), kExplained);
    EXPECT_THAT(text, Not(HasSubstr("ms ago")));
    EXPECT_THAT(text, HasSubstr("\n    thread "));
}

// Two threads, one after the other, by an atomic variable that the library does not see.
TEST_F(UntimedLog, KeepsTheOrderBetweenThreads) {
    const auto outcome = untimed([] {
        constexpr size_t kTurns = 30; // of both together: no ring is full
        static char memory[kTurns];
        const Stream stream = make_stream(0);
        std::atomic<size_t> turn{0};
        const auto act = [&](size_t own) {
            for (size_t i = own; i < kTurns; i += 2) {
                while (turn.load() != i) std::this_thread::yield();
                EXPECT_OK(gs_memset_async(memory, 1, i + 1, stream));
                turn = i + 1;
            }
        };
        std::thread other([&] { act(1); });
        act(0);
        other.join();
        const std::vector<LogEntry> fills = entries_of(LogCall::Fill);
        ASSERT_EQ(fills.size(), kTurns);
        for (size_t i = 0; i < kTurns; ++i) {
            EXPECT_EQ(fills[i].value, i + 1);
            EXPECT_FALSE(fills[i].timed);
        }
        ASSERT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// A trace has times. What the log has is one order before, in and after it.
TEST_F(UntimedLog, HasTimesWhileATraceRuns) {
    const auto outcome = untimed([&] {
        const Stream stream = named_stream("traced");
        const Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        for (int i = 0; i < 2; ++i) {
            ASSERT_OK(gs_trace_start(nullptr));
            ASSERT_OK(gs_stream_sleep(stream, 1));
            ASSERT_OK(gs_trace_stop());
            std::thread([&] { EXPECT_OK(gs_event_record(event, stream)); }).join();
        }
        const std::regex order("\n    thread \\d+: records event 0x[0-9a-f]+\n"
                               "    \\d+\\.\\d+ ms ago, thread \\d+: work\n"
                               "    thread \\d+: records event 0x[0-9a-f]+\n"
                               "    \\d+\\.\\d+ ms ago, thread \\d+: work\n");
        for (const std::string &text : {dumped(), read_log(path("log"))})
            EXPECT_TRUE(std::regex_search(text, order)) << text;
        std::vector<LogEntry> all = entries_of(LogCall::Record);
        EXPECT_EQ(all.size(), 3u);
        for (const LogEntry &record : all) EXPECT_FALSE(record.timed);
        for (const LogEntry &work : entries_of(LogCall::Submit)) EXPECT_TRUE(work.timed);
        ASSERT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

} // namespace
} // namespace gs::check::test
