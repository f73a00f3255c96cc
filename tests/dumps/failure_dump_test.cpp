// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_DUMP_ON and GPUSTREAM_DUMP_FILE. Each child uses the library for the first time.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "dumps/dumped.hpp"
#include "support/child_process.hpp"
#include "support/file_limit.hpp"
#include "support/host_hooks.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gs::test::Outcome dumping_on(const char *when, const std::string &file, const std::function<void()> &body) {
    return gs::test::run_forked([&] {
        setenv("GPUSTREAM_DUMP_ON", when, 1);
        if (!file.empty()) setenv("GPUSTREAM_DUMP_FILE", file.c_str(), 1);
        body();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
}

size_t dumps_in(const std::string &text) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find("gpustream: dump of process", at)) != std::string::npos; ++at) ++count;
    return count;
}

// Two waits that run out of time.
void time_out() {
    const Stream stream = named_stream("stuck");
    const Timeline timeline = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    for (int i = 0; i < 2; ++i) {
        errno = 1234;
        EXPECT_EQ(gs_stream_synchronize_for(stream, 1'000'000), GS_ERROR_TIMEOUT);
    }
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
}

void break_device() {
    const Stream stream = named_stream("broken");
    ASSERT_OK(gs_stream_sleep(stream, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
    host::testing::inject_fault(0, 700, "the test");
    EXPECT_EQ(gs_stream_sleep(stream, 1), GS_ERROR_STICKY);
    EXPECT_EQ(gs_stream_sleep(stream, 1), GS_ERROR_STICKY);
    EXPECT_EQ(gs::test::last_error().status, GS_ERROR_STICKY);
}

TEST(DumpOn, ATimeoutOnce) {
    const auto outcome = dumping_on("timeout", "", time_out);
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_EQ(dumps_in(outcome.output), 1u) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("gpustream: gs_stream_synchronize_for() returned TIMEOUT\n"));
    EXPECT_THAT(outcome.output, HasSubstr("(\"stuck\") waits for timeline"));
}

TEST(DumpOn, AStickyErrorOnce) {
    for (const char *when : {"error", "timeout,error"}) {
        const auto outcome = dumping_on(when, "", break_device);
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        EXPECT_EQ(dumps_in(outcome.output), 1u) << outcome.output;
        EXPECT_THAT(outcome.output, HasSubstr("gpustream: gs_stream_sleep() returned STICKY\n"));
    }
}

TEST(DumpOn, NothingElse) {
    for (const char *when : {"", "error"}) {
        const auto outcome = dumping_on(when, "", time_out);
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        EXPECT_EQ(outcome.output, "");
    }
    EXPECT_EQ(dumps_in(dumping_on("timeout", "", break_device).output), 0u);
}

TEST(DumpOn, RefusesOtherWords) {
    for (const char *when : {"errors", "timeout,", ",", "1", "error timeout"}) {
        const auto outcome = dumping_on(when, "", time_out);
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        EXPECT_EQ(dumps_in(outcome.output), 0u);
        EXPECT_THAT(outcome.output, HasSubstr(std::string("GPUSTREAM_DUMP_ON='") + when + "' is ignored"));
    }
}

TEST(DumpOn, AppendsToAFile) {
    char name[] = "/tmp/gpustream-dump-XXXXXX";
    const int fd = mkstemp(name);
    ASSERT_GE(fd, 0);
    for (int i = 0; i < 2; ++i) {
        const auto outcome = dumping_on("timeout", name, time_out);
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
        EXPECT_EQ(outcome.output, "");
    }
    std::ifstream in(name);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(dumps_in(text), 2u) << text;
    close(fd);
    unlink(name);
}

TEST(DumpOn, TellsOfFilesThatItCannotWrite) {
    const auto none = dumping_on("timeout", "/no/such/folder/dump", time_out);
    EXPECT_TRUE(none.clean()) << gs::test::describe(none);
    EXPECT_THAT(none.output, HasSubstr("cannot be opened, the dump goes to stderr: No such file"));
    EXPECT_EQ(dumps_in(none.output), 1u);
    const auto device = dumping_on("timeout", "/dev/full", time_out);
    EXPECT_THAT(device.output, HasSubstr("the dump goes to stderr: it is no regular file"));
    const std::string name = ::testing::TempDir() + "gpustream_full_dump";
    const gs::test::NoFileGrows full_disk;
    const auto full = dumping_on("timeout", name, time_out);
    EXPECT_TRUE(full.clean()) << gs::test::describe(full);
    EXPECT_THAT(full.output, HasSubstr("could not be written"));
    unlink(name.c_str());
}

// Whichever of them is first.
TEST(DumpOn, OnceForAllThreads) {
    const auto outcome = dumping_on("timeout", "", [] {
        const Stream stream = named_stream("stuck");
        const Timeline timeline = make_timeline();
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { EXPECT_EQ(gs_stream_synchronize_for(stream, 1), GS_ERROR_TIMEOUT); });
        for (std::thread &thread : threads) thread.join();
        ASSERT_OK(gs_timeline_signal(timeline, 1));
        ASSERT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_EQ(dumps_in(outcome.output), 1u) << outcome.output;
}

} // namespace
} // namespace gs::check::test
