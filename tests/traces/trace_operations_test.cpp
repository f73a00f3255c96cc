// SPDX-License-Identifier: Apache-2.0
// Traces have each kind of operation, by its name, and no call that failed.
#include <gmock/gmock.h>

#include "traces/operations.hpp"
#include "traces/traced.hpp"

namespace gs::check::test {
namespace {

TEST(Trace, NamesEachKindOfOperation) {
    const StopAtEnd end;
    Operations operations;
    ASSERT_OK(start_trace());
    operations.do_all();
    ASSERT_OK(stop_trace());
    const std::string text = written();
    const struct {
        const char *name;
        size_t count;
    } rows[] = {{"malloc", 1},
                {"fill", 1},
                {"copy", 1},
                {"free", 1},
                {"host function", 1},
                {"host function runs", 1},
                {"graph launch: step", 1},
                {"wait for a word", 1},
                {"record", 1},
                {"is waited for", 1},
                {"signal", 2},
                {"timeline was read", 1},
                {"event is complete", 1},
                {"stream is idle", 2}};
    for (const auto &row : rows)
        EXPECT_EQ(lines_with(text, {std::string("\"name\": \"") + row.name + "\""}).size(), row.count)
            << row.name << "\n"
            << text;
    // Three waits, of which that for the timeline leads back to the thread's own signal.
    EXPECT_EQ(lines_with(text, {"\"name\": \"Stream Wait Event\"", "wait_on_stream"}).size(), 2u) << text;
    EXPECT_EQ(lines_with(text, {"\"ph\": \"s\", \"cat\": \"order\""}).size(), 3u) << text;
}

TEST(Trace, HasNothingOfCallsThatFail) {
    const StopAtEnd end;
    Operations operations;
    ASSERT_OK(start_trace());
    operations.fail_all();
    ASSERT_OK(stop_trace());
    const std::string text = written();
    EXPECT_TRUE(lines_with(text, {"\"cat\": \"gpustream\""}).empty()) << text;
    EXPECT_TRUE(lines_with(text, {"\"cat\": \"cuda_sync\""}).empty()) << text;
}

} // namespace
} // namespace gs::check::test
