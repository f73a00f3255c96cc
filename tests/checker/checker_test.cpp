// SPDX-License-Identifier: Apache-2.0
// The checker's surroundings: start and end, flags, names and stacks in reports, files, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "checker/reports.hpp"
#include "support/file_limit.hpp"
#include "support/long_form.hpp"
#include "support/own_process.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const void *at(uintptr_t address) { return reinterpret_cast<const void *>(address); }

struct TwoStreams {
    Stream first = make_stream(0), second = make_stream(0);
    gs_status_t race(const char *one = "one", const char *two = "two", uintptr_t address = 0x1000) const {
        const gs_status_t status = gs_check_write(first, at(address), 16, one);
        return status != GS_OK ? status : gs_check_write(second, at(address + 8), 16, two);
    }
};

std::string read_file(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Checker, IsOffUntilItIsStarted) {
    TwoStreams streams;
    Checking checking;
    ASSERT_OK(gs_check_stop());
    ASSERT_OK(streams.race());
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_start(0));
    ASSERT_OK(streams.race());
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_check_stop());
    ASSERT_OK(gs_check_stop());
    ASSERT_OK(streams.race());
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_start(0)); // and has forgotten what was before
    ASSERT_OK(gs_check_read(streams.first, at(0x1008), 8, nullptr));
    EXPECT_EQ(checking.count(), 0u);
}

TEST(Checker, ReportsSayWhoAndWhere) {
    TwoStreams streams;
    ASSERT_OK(gs_stream_set_name(streams.first, "up\"load"));
    ASSERT_OK(gs_stream_set_name(streams.second, "compute"));
    Checking checking(GS_CHECK_STACKS);
    ASSERT_OK(streams.race("fill", "scale\n\x01"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    const std::string &text = reports[0].text, &json = reports[0].json;
    EXPECT_THAT(text, HasSubstr("race on 8 bytes at 0x1008"));
    EXPECT_THAT(text, HasSubstr("(\"up\"load\")"));
    EXPECT_THAT(text, HasSubstr("wait for it before the later one"));
    EXPECT_THAT(text, HasSubstr(", submitted by thread "));
    EXPECT_THAT(text, HasSubstr("#0 "));
    EXPECT_THAT(json, HasSubstr("\"stream_name\":\"up\\\"load\""));
    EXPECT_THAT(json, HasSubstr("\"label\":\"scale\\u000a\\u0001\""));
    EXPECT_THAT(json, HasSubstr("\"waited_before\":false"));
    EXPECT_THAT(json, Not(HasSubstr("\n")));
    EXPECT_EQ(json.back(), '}');
}

TEST(Checker, ReportsAPairOnce) {
    TwoStreams streams;
    Checking checking;
    for (int i = 0; i < 5; ++i) ASSERT_OK(streams.race("one", "two", 0x1000 + 0x100 * static_cast<uintptr_t>(i)));
    EXPECT_EQ(checking.count(), 1u);
    // Without labels and stacks only the addresses tell them apart.
    for (int i = 0; i < 5; ++i) ASSERT_OK(streams.race(nullptr, nullptr, 0x9000 + 0x100 * static_cast<uintptr_t>(i)));
    EXPECT_EQ(checking.count(), 5u);
}

TEST(Checker, RefusesBadArguments) {
    Stream stream = make_stream(0);
    for (const bool on : {false, true}) {
        if (on) ASSERT_OK(gs_check_start(0));
        EXPECT_EQ(gs_check_read(stream, nullptr, 1, nullptr), GS_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(gs_check_write(stream, at(UINTPTR_MAX - 6), 8, nullptr), GS_ERROR_INVALID_ARGUMENT);
        EXPECT_OK(gs_check_write(stream, at(UINTPTR_MAX - 8), 8, nullptr));
        EXPECT_OK(gs_check_read(stream, nullptr, 0, nullptr));
        EXPECT_OK(gs_check_read(GS_STREAM_CURRENT, at(1), SIZE_MAX - 1, ""));
        EXPECT_EQ(gs_check_read(nullptr, at(1), 1, nullptr), GS_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gs_check_handover(nullptr), GS_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(gs_check_start(8), GS_ERROR_INVALID_ARGUMENT);
    }
    EXPECT_OK(gs_check_stop());
}

TEST(Checker, CallsInsideTheCallbackAreThoseOfAHostFunction) {
    static gs_stream_t target = nullptr;
    static gs_status_t blocked = GS_OK, named = GS_OK;
    TwoStreams streams;
    target = streams.first;
    ASSERT_OK(gs_set_check_callback(
        [](void *, const char *, const char *) {
            blocked = gs_stream_synchronize(target);
            named = gs_stream_set_name(target, "seen");
        },
        nullptr));
    ASSERT_OK(gs_check_start(0));
    ASSERT_OK(streams.race());
    EXPECT_EQ(blocked, GS_ERROR_NOT_PERMITTED);
    EXPECT_EQ(named, GS_OK);
    EXPECT_OK(gs_check_stop());
    EXPECT_OK(gs_set_check_callback(nullptr, nullptr));
}

TEST(Checker, ManyRangesAndLongLabels) {
    Stream stream = make_stream(0), other = make_stream(0);
    const std::string label(100'000, 'x');
    Checking checking;
    ASSERT_OK(gs_check_write(stream, at(0x10), 1, label.c_str()));
    const uintptr_t count = gs::test::long_form() ? 1'000'000 : 50'000;
    for (uintptr_t i = 0; i < count; ++i) ASSERT_OK(gs_check_write(stream, at(0x1000 + 64 * i), 32, "range"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(other, at(0x1000), 64 * count, "all of them"));
    EXPECT_EQ(checking.count(), 1u); // the same pair of labels
}

// What the children of the tests below do; on its own it shows that nothing is checked unless it is asked for.
TEST(CheckerChild, Races) {
    TwoStreams streams;
    ASSERT_OK(gs_stream_set_name(streams.first, "early"));
    ASSERT_OK(streams.race());
    ASSERT_OK(streams.race("three", "four", 0x2000));
}

constexpr char kRaces[] = "CheckerChild.Races";

size_t occurrences(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t found = text.find(part); found != std::string::npos; found = text.find(part, found + 1)) ++count;
    return count;
}

std::string temporary(const char *name) { return ::testing::TempDir() + name + std::to_string(getpid()); }

TEST(CheckerEnvironment, NothingIsReportedUnasked) {
    const auto child = gs::test::run_self(kRaces, {});
    EXPECT_EQ(child.status, 0);
    EXPECT_THAT(child.output, Not(HasSubstr("race on")));
}

TEST(CheckerEnvironment, ReportGoesToStderr) {
    const auto child = gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}});
    EXPECT_EQ(child.status, 0) << child.output;
    EXPECT_EQ(occurrences(child.output, "gpustream: race on 8 bytes"), 2u) << child.output;
}

TEST(CheckerEnvironment, AbortEndsTheProcessAtTheFirst) {
    const auto child = gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "abort"}});
    ASSERT_TRUE(WIFSIGNALED(child.status)) << child.output;
    EXPECT_EQ(WTERMSIG(child.status), SIGABRT);
    EXPECT_EQ(occurrences(child.output, "gpustream: race on 8 bytes"), 1u) << child.output;
}

TEST(CheckerEnvironment, AnUnknownWordIsIgnoredWithAWarning) {
    const auto child = gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "maybe"}});
    EXPECT_EQ(child.status, 0);
    EXPECT_THAT(child.output, HasSubstr("GPUSTREAM_CHECK='maybe' is ignored"));
    EXPECT_THAT(child.output, Not(HasSubstr("race on")));
}

TEST(CheckerEnvironment, JsonIsAppendedLineByLine) {
    const std::string path = temporary("check.json");
    unlink(path.c_str());
    for (int run = 1; run <= 2; ++run) {
        const auto child = gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_JSON", path}});
        EXPECT_EQ(child.status, 0) << child.output;
        EXPECT_EQ(occurrences(read_file(path), "\n"), 2u * static_cast<size_t>(run));
    }
    EXPECT_THAT(read_file(path), HasSubstr("\"stream_name\":\"early\""));
    unlink(path.c_str());
}

TEST(CheckerEnvironment, AFileThatCannotBeWrittenIsAMessage) {
    const auto child = gs::test::run_self(
        kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_JSON", "/nonexistent/check.json"}});
    EXPECT_EQ(child.status, 0);
    EXPECT_THAT(child.output, HasSubstr("/nonexistent/check.json"));
    EXPECT_EQ(occurrences(child.output, "gpustream: race on 8 bytes"), 2u) << child.output;
    const auto device =
        gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_JSON", "/dev/full"}});
    EXPECT_THAT(device.output, HasSubstr("cannot open '/dev/full' for reports: it is no regular file"));
    const std::string path = temporary("full.json");
    {
        const gs::test::NoFileGrows full_disk;
        const auto full = gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_JSON", path}});
        EXPECT_EQ(full.status, 0);
        EXPECT_THAT(full.output, HasSubstr("could not be written"));
    }
    struct stat made{};
    ASSERT_EQ(stat(path.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 07777, 0600u) << "it has addresses";
    unlink(path.c_str());
}

TEST(CheckerEnvironment, SuppressionsLeaveOut) {
    const std::string path = temporary("check.suppressions");
    // GoogleTest's functions are in every stack; gs_check_write() may have left by a jump, which some compilers make of a last call.
    for (const auto &[text, left] : std::initializer_list<std::pair<const char *, size_t>>{{"# nothing\n\n", 2},
                                                                                           {"label:t*r\n", 2},
                                                                                           {"label:f?ur\n", 1},
                                                                                           {"stream:ear*", 0},
                                                                                           {"stack:*testing*\n", 0}}) {
        std::ofstream(path) << text;
        const auto child =
            gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_SUPPRESSIONS", path}});
        EXPECT_EQ(child.status, 0) << child.output;
        EXPECT_EQ(occurrences(child.output, "gpustream: race on"), left) << text << child.output;
    }
    std::ofstream(path) << "label:good\nname:bad\n";
    const auto child =
        gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_SUPPRESSIONS", path}});
    EXPECT_EQ(child.status, 0);
    EXPECT_THAT(child.output, HasSubstr("line 2 of the suppressions"));
    unlink(path.c_str());
}

TEST(CheckerEnvironment, StartRefusesFilesThatAreBad) {
    OWN_PROCESS({{"GPUSTREAM_CHECK_SUPPRESSIONS", "/nonexistent/suppressions"}});
    EXPECT_EQ(gs_check_start(0), GS_ERROR_SYSTEM);
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_last_error(&info));
    EXPECT_THAT(info.message, HasSubstr("/nonexistent/suppressions"));
}

// It would be waited for, or read without an end.
TEST(CheckerEnvironment, SuppressionsAreARegularFile) {
    const std::string pipe = temporary("check.pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string &path : {pipe, std::string("/dev/zero")}) {
        const auto child =
            gs::test::run_self(kRaces, {{"GPUSTREAM_CHECK", "report"}, {"GPUSTREAM_CHECK_SUPPRESSIONS", path}});
        EXPECT_FALSE(child.timed_out);
        EXPECT_THAT(child.output, HasSubstr("cannot open the suppressions '" + path + "'"));
    }
    unlink(pipe.c_str());
}

TEST(CheckerEnvironment, LabelsCannotMoveTheCursor) {
    Checking checking;
    TwoStreams streams;
    ASSERT_OK(gs_check_write(streams.first, &streams, 8, "red \x1b[31m\nrace on 4 bytes"));
    ASSERT_OK(gs_check_write(streams.second, &streams, 8, "second"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("\"red ?[31m?race on 4 bytes\""));
}

// A forked child leaves the checker alone, and so cannot deadlock on its lock.
TEST(CheckerEnvironment, ForkedChildrenAreRefused) {
    OWN_PROCESS({{"GPUSTREAM_CHECK", "report"}});
    TwoStreams streams;
    ASSERT_OK(streams.race());
    const pid_t child = fork();
    if (child == 0) {
        uint64_t clock = 0;
        const bool refused = streams.race() == GS_ERROR_BAD_FORK && gs_check_start(0) == GS_ERROR_BAD_FORK &&
                             gs_check_handover(&clock) == GS_ERROR_BAD_FORK &&
                             gs_stream_set_name(streams.first, "x") == GS_ERROR_BAD_FORK &&
                             gs_free_host(&clock) == GS_OK;
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace gs::check::test
