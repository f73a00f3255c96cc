// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LOG_FILE: what outlives a process, and which files are refused.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "logs/log_file.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string file_bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(LogFile, OutlivesAKilledProcess) {
    const auto outcome = logged(path("log"), [] {
        const Hang hang;
        kill(getpid(), SIGKILL);
    });
    ASSERT_EQ(outcome.signal, SIGKILL) << outcome.output;
    const std::string text = read_log(path("log"));
    EXPECT_THAT(text, HasSubstr("which has ended (times are before its last operation), 32 operations a thread\n"));
    EXPECT_EQ(line_about(text, "compute"), kExplained);
    EXPECT_THAT(text, HasSubstr(" ms ago, thread "));
    EXPECT_THAT(text, HasSubstr("gpustream: end of log\n"));
}

TEST_F(LogFile, OfARunningProcessAndOfOneself) {
    const auto outcome = logged(path("log"), [&] {
        Hang hang;
        const std::string own = read_log(path("log"));
        EXPECT_THAT(own, HasSubstr("log of process " + std::to_string(getpid()) + ", which is running"));
        EXPECT_EQ(line_about(own, "compute"), kExplained);
        // Reading it has not ended the lock.
        const auto reader = gs::test::run_forked([&] {
            EXPECT_THAT(read_log(path("log")), HasSubstr(", which is running"));
            return ::testing::Test::HasFailure() ? 1 : 0;
        });
        EXPECT_TRUE(reader.clean()) << gs::test::describe(reader);
        hang.end();
        EXPECT_EQ(line_about(read_log(path("log")), "compute"), "stream  (\"compute\") has no known wait");
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

TEST_F(LogFile, KeepsTheLastOperations) {
    const auto outcome = logged(path("log"), [] {
        const Stream stream = named_stream("first name");
        const Event event = make_event();
        for (int i = 0; i < 100; ++i) ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_set_name(stream, "last\x01name"));
        _exit(0);
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    const std::string text = read_log(path("log"));
    EXPECT_THAT(text, HasSubstr("(\"last?name\") has no known wait"));
    EXPECT_THAT(text, Not(HasSubstr("first name")));
    EXPECT_EQ(fs::file_size(path("log")), 4096u + 73728u + 4096u + 4096u) << "ranges, and a ring of 32 operations";
}

// A trace with more operations than the file has gets a ring of its own, and the file the same entries as before.
TEST_F(LogFile, GoesOnBesideATrace) {
    const auto outcome = logged(path("log"), [] {
        const Stream stream = named_stream("traced");
        const Timeline timeline = make_timeline();
        ASSERT_OK(gs_stream_sleep(stream, 1));
        gs_trace_options_t options{};
        options.struct_size = sizeof options;
        options.operations = 4096;
        uint64_t trace = 0;
        ASSERT_OK(gs_trace_begin(&options, &trace));
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 7));
        std::thread([&] { EXPECT_OK(gs_stream_wait_timeline(stream, timeline, 8)); }).join();
        ASSERT_OK(gs_trace_end(trace));
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 9));
        kill(getpid(), SIGKILL);
    });
    ASSERT_EQ(outcome.signal, SIGKILL) << outcome.output;
    const std::string text = read_log(path("log"));
    for (const char *value : {"7", "8", "9"})
        EXPECT_THAT(text, ::testing::ContainsRegex(std::string("timeline 0x[0-9a-f]+ at ") + value));
    EXPECT_EQ(fs::file_size(path("log")), 4096u + 73728u + 2 * (4096u + 4096u));
}

TEST_F(LogFile, HasTheNumberOfTheProcessInItsName) {
    const auto outcome = logged(path("%p-100%%.log"), [&] {
        const Stream stream = named_stream("mine");
        ASSERT_OK(gs_stream_sleep(stream, 1));
        EXPECT_THAT(read_log(path(std::to_string(getpid()) + "-100%.log")), HasSubstr("(\"mine\")"));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// The first process keeps it, the second one has its log in memory.
TEST_F(LogFile, BelongsToOneProcess) {
    auto first = gs::test::Child::fork_only([&] {
        setenv("GPUSTREAM_LOG_FILE", path("log").c_str(), 1);
        const Stream stream = named_stream("of the first");
        if (gs_stream_sleep(stream, 1) != GS_OK) return 1;
        char end = 0;
        return write(STDOUT_FILENO, "logs\n", 5) == 5 && read(STDIN_FILENO, &end, 1) == 0 ? 0 : 1;
    });
    std::string line;
    ASSERT_TRUE(first.read_line(&line));
    ASSERT_EQ(line, "logs");
    const auto second = logged(path("log"), [] {
        const Stream stream = named_stream("of the second");
        ASSERT_OK(gs_stream_sleep(stream, 1));
        EXPECT_THAT(dumped(), HasSubstr("log of 32 operations"));
    });
    EXPECT_TRUE(second.clean()) << gs::test::describe(second);
    EXPECT_THAT(second.output, HasSubstr("another process writes it"));
    EXPECT_THAT(read_log(path("log")), HasSubstr("of the first"));
    first.close_input();
    const auto ended = first.wait();
    EXPECT_TRUE(ended.clean()) << gs::test::describe(ended);
    // Now the file is free.
    const auto next = logged(path("log"), [] {
        const Stream stream = named_stream("of the next");
        ASSERT_OK(gs_stream_sleep(stream, 1));
    });
    EXPECT_TRUE(next.clean()) << gs::test::describe(next);
    EXPECT_EQ(next.output, "");
    const std::string text = read_log(path("log"));
    EXPECT_THAT(text, HasSubstr("of the next"));
    EXPECT_THAT(text, Not(HasSubstr("of the first")));
}

TEST_F(LogFile, IsNotWrittenByAForkedChild) {
    const auto outcome = logged(path("log"), [&] {
        const Stream stream = named_stream("of the parent");
        ASSERT_OK(gs_stream_sleep(stream, 1));
        const std::string before = read_log(path("log"));
        const auto child = gs::test::run_forked([&] {
            EXPECT_EQ(gs_stream_sleep(stream, 1), GS_ERROR_BAD_FORK);
            EXPECT_EQ(gs_stream_set_name(stream, "of the child"), GS_ERROR_BAD_FORK);
            // The child still holds the parent's mapping, but not its lock.
            EXPECT_THAT(read_log(path("log")), HasSubstr(", which is running"));
            return ::testing::Test::HasFailure() ? 1 : 0;
        });
        EXPECT_TRUE(child.clean()) << gs::test::describe(child);
        EXPECT_THAT(read_log(path("log")), Not(HasSubstr("of the child")));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// The child cannot get memory of its own in place of the file's: its log begins again, and the file stays as it was.
TEST_F(LogFile, IsLeftToTheParentByAChildWithoutMemory) {
    const auto outcome = logged(path("log"), [&] {
        ASSERT_OK(gs_range_push("open in the parent"));
        ASSERT_OK(gs_mark("of the parent"));
        const std::string before = file_bytes(path("log"));
        rlimit limit{};
        ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
        rlimit none = limit;
        none.rlim_cur = 4096; // less than the process has: nothing more can be mapped
        ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
        const pid_t child = fork();
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
        if (child == 0) {
            for (int i = 0; i < 40; ++i) EXPECT_OK(gs_mark("of the child"));
            EXPECT_OK(gs_range_push("open in the child"));
            EXPECT_EQ(file_bytes(path("log")), before);
            EXPECT_THAT(dumped(), HasSubstr("open in the child"));
            _exit(::testing::Test::HasFailure() ? 1 : 0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(file_bytes(path("log")), before);
        ASSERT_OK(gs_mark("of the parent again"));
        EXPECT_NE(file_bytes(path("log")), before);
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// Of a parent that has started nothing: its children may use the library.
TEST_F(LogFile, IsLeftToTheParentByAChildThatMayWork) {
    const auto outcome = logged(path("log"), [&] {
        ASSERT_OK(gs_range_push("open in the parent"));
        const auto child = gs::test::run_forked([&] {
            for (int i = 0; i < 100; ++i) EXPECT_OK(gs_mark("of the child"));
            EXPECT_OK(gs_range_push("open in the child"));
            const Stream stream = named_stream("of the child");
            EXPECT_OK(gs_stream_sleep(stream, 1));
            std::thread([&] { EXPECT_OK(gs_stream_synchronize(stream)); }).join();
            EXPECT_THAT(dumped(), HasSubstr("open in the child"));
            EXPECT_THAT(read_log(path("log")), HasSubstr("open in the parent"));
            return ::testing::Test::HasFailure() ? 1 : 0;
        });
        EXPECT_TRUE(child.clean()) << gs::test::describe(child);
        ASSERT_OK(gs_range_push("after the child"));
        const Stream stream = named_stream("of the parent");
        ASSERT_OK(gs_stream_sleep(stream, 1));
        const std::string text = read_log(path("log"));
        EXPECT_THAT(text, HasSubstr("is in \"open in the parent\" > \"after the child\"\n"));
        EXPECT_THAT(text, HasSubstr("of the parent\""));
        EXPECT_THAT(text, Not(HasSubstr("in the child")));
        EXPECT_THAT(text, Not(HasSubstr("of the child")));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// Both have streams of the same numbers then. What the parent logs later is none of the child's.
TEST_F(LogFile, OfTheParentIsNotThatOfAChildThatMayWork) {
    const auto outcome = logged(path("log"), [&] {
        ASSERT_EQ(setenv("GPUSTREAM_LOG", "1024", 1), 0); // several pages
        ASSERT_OK(gs_range_push("open in both"));
        int ends[2] = {};
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            char byte = 0;
            if (read(ends[0], &byte, 1) != 1) _exit(2);
            const Stream stream = named_stream("of the child");
            EXPECT_OK(gs_stream_sleep(stream, 1));
            EXPECT_EQ(line_about(dumped(), "of the child"), "stream  (\"of the child\") has no known wait");
            EXPECT_THAT(dumped(), HasSubstr(" is in \"open in both\"\n"));
            EXPECT_OK(gs_stream_synchronize(stream));
            _exit(::testing::Test::HasFailure() ? 1 : 0);
        }
        const Stream stream = named_stream("of the parent");
        const Timeline timeline = make_timeline();
        ASSERT_OK(gs_range_push("open in the parent"));
        for (uint64_t value = 1; value < 400; ++value) ASSERT_OK(gs_stream_wait_timeline(stream, timeline, value));
        ASSERT_EQ(write(ends[1], "x", 1), 1);
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        ASSERT_OK(gs_timeline_signal(timeline, 400));
        ASSERT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// The log is then in memory, and the program goes on.
void expect_refused(const gs::test::Outcome &outcome, const char *why) {
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_THAT(outcome.output, HasSubstr("the log is in memory only: "));
    EXPECT_THAT(outcome.output, HasSubstr(why));
}
void use() {
    const Stream stream = named_stream("s");
    ASSERT_OK(gs_stream_sleep(stream, 1));
    EXPECT_THAT(dumped(), HasSubstr("log of 32 operations"));
    EXPECT_THAT(dumped(), HasSubstr(": work\n"));
}

TEST_F(LogFile, RefusesWhatItMayNotWrite) {
    std::ofstream(path("letter")) << "dear reader";
    expect_refused(logged(path("letter"), use), "not a log of gpustream");
    std::string kept;
    std::getline(std::ifstream(path("letter")), kept);
    EXPECT_EQ(kept, "dear reader");
    expect_refused(logged(path("no/such/folder"), use), "No such file");
    expect_refused(logged(directory_.string(), use), "directory");
    expect_refused(logged("/dev/full", use), "no regular file");
    expect_refused(logged(std::string(5000, 'x'), use), "too long");
    fs::create_symlink(path("new"), path("link"));
    expect_refused(logged(path("link"), use), "a symbolic link");
    if (geteuid() != 0) {
        fs::permissions(directory_, fs::perms::owner_read | fs::perms::owner_exec);
        expect_refused(logged(path("log"), use), "Permission denied");
        fs::permissions(directory_, fs::perms::owner_all);
    }
}

// A limit stands for the full disk: both refuse to reserve the space.
TEST_F(LogFile, NeedsItsSpaceBeforeItWrites) {
    for (const rlim_t room : {rlim_t{1000}, rlim_t{80'000}}) {
        const auto outcome = logged(path("log"), [&] {
            rlimit limit{};
            ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
            const rlimit before = limit;
            limit.rlim_cur = room;
            ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
            const Stream stream = named_stream("s");
            ASSERT_OK(gs_stream_sleep(stream, 1));
            std::thread([&] { EXPECT_OK(gs_stream_sleep(stream, 1)); }).join(); // one warning for both
            ASSERT_OK(gs_stream_synchronize(stream));
            ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0); // gcov writes its counters at the end
        });
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        const size_t first = outcome.output.find("in memory only: ");
        EXPECT_NE(first, std::string::npos) << outcome.output;
        EXPECT_EQ(outcome.output.find("in memory only: ", first + 1), std::string::npos) << outcome.output;
    }
}

} // namespace
} // namespace gs::check::test
