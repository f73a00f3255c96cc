// SPDX-License-Identifier: Apache-2.0
// gs_dump without the log.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cerrno>

#include "dumps/dumped.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DumpWithoutLog, ShowsTheLastWaitOfEachStream) {
    const Stream a = named_stream("a"), b = named_stream("b"), c = named_stream("c");
    const Event event = named_event("done");
    const Timeline timeline = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(a, timeline, 2));
    ASSERT_OK(gs_event_record(event, a));
    ASSERT_OK(gs_stream_wait_event(b, event));
    ASSERT_OK(gs_stream_wait_stream(c, b));
    const std::string text = dumped();
    EXPECT_THAT(text, HasSubstr("log of 0 operations"));
    EXPECT_EQ(line_about(text, "a"), "stream  (\"a\") waits for timeline  to reach 2 (it is at 0)");
    EXPECT_EQ(line_about(text, "b"),
              "stream  (\"b\") waits for event  (\"done\"), recorded in stream  (\"a\"), which waits "
              "for timeline  to reach 2 (it is at 0)");
    EXPECT_THAT(line_about(text, "c"), HasSubstr("waits for stream  (\"b\"), which waits for event  (\"done\")"));
    ASSERT_OK(gs_timeline_signal(timeline, 2));
    ASSERT_OK(gs_stream_synchronize(c));
    EXPECT_THAT(dumped(), Not(HasSubstr("timeline")));
}

// Two streams that have waited for each other's earlier work.
TEST(DumpWithoutLog, ClaimsNoCircle) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Event first = make_event(), second = make_event();
    ASSERT_OK(gs_event_record(first, a));
    ASSERT_OK(gs_stream_wait_event(b, first));
    ASSERT_OK(gs_event_record(second, b));
    ASSERT_OK(gs_stream_wait_event(a, second));
    ASSERT_OK(gs_event_record(first, a));
    const std::string text = dumped();
    EXPECT_THAT(line_about(text, "a"), HasSubstr("may wait for event"));
    EXPECT_THAT(text, Not(HasSubstr("circle")));
    ASSERT_OK(gs_event_synchronize(second));
    EXPECT_EQ(line_about(dumped(), "a"), "");
}

TEST(DumpWithoutLog, ALeasedStreamBringsNoWaitAlong) {
    const Stream other = make_stream(0);
    {
        const Stream stream = make_stream(0);
        ASSERT_OK(gs_stream_wait_stream(stream, other));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    for (int i = 0; i < 8; ++i) {
        const Stream next = named_stream("next");
        EXPECT_EQ(line_about(dumped(), "next"), "");
    }
}

TEST(DumpWithoutLog, RefusesWhatItCannotWrite) {
    gs_error_info_t before = gs::test::last_error();
    errno = 1234;
    EXPECT_EQ(gs_dump(-1), GS_ERROR_INVALID_ARGUMENT);
    const int gone = dup(2);
    close(gone);
    errno = 1234;
    EXPECT_EQ(gs_dump(gone), GS_ERROR_SYSTEM);
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    errno = 1234;
    EXPECT_EQ(gs_dump(full), GS_ERROR_SYSTEM);
    EXPECT_EQ(errno, 1234);
    close(full);
    EXPECT_EQ(gs::test::last_error().status, before.status);
}

TEST(DumpWithoutLog, HasWhatForkLeft) {
    const Stream stream = named_stream("of the parent"), other = make_stream(0);
    ASSERT_OK(gs_stream_wait_stream(stream, other));
    const TextFile file;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(gs_dump(file.fd()) == GS_OK ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_THAT(file.text(), HasSubstr("of the parent"));
    EXPECT_THAT(file.text(), HasSubstr("end of dump\n"));
}

} // namespace
} // namespace gs::check::test
