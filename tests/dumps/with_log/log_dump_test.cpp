// SPDX-License-Identifier: Apache-2.0
// gs_dump with the log: exact chains.
#include <gmock/gmock.h>

#include <thread>

#include "dumps/dumped.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(DumpLog, ExplainsAHang) {
    const Stream upload = named_stream("upload"), compute = named_stream("compute"), idle = named_stream("idle");
    const Event uploaded = named_event("uploaded"), computed = make_event();
    const Timeline timeline = make_timeline();
    // No caller has asked about it, so it may wait: what is certain counts more.
    ASSERT_OK(gs_event_record(computed, idle));
    ASSERT_OK(gs_stream_wait_event(compute, computed));
    ASSERT_OK(gs_stream_wait_timeline(upload, timeline, 2));
    ASSERT_OK(gs_event_record(uploaded, upload));
    std::thread([&] { EXPECT_OK(gs_stream_wait_event(compute, uploaded)); }).join();
    ASSERT_OK(gs_event_record(computed, compute));
    const std::string text = dumped();
    EXPECT_EQ(
        line_about(text, "compute"),
        "stream  (\"compute\") waits for event  (\"uploaded\"), recorded in stream  (\"upload\"), which waits for "
        "timeline  to reach 2 (it is at 0), and nothing in the log signals that");
    EXPECT_EQ(line_about(text, "idle"), "stream  (\"idle\") has no known wait");
    EXPECT_THAT(text, HasSubstr(": records event "));
    EXPECT_THAT(text, HasSubstr(": waits for timeline "));
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    EXPECT_THAT(line_about(dumped(), "compute"), HasSubstr("(it is at 1)"));
    ASSERT_OK(gs_timeline_signal(timeline, 2));
    ASSERT_OK(gs_stream_synchronize(compute));
    EXPECT_EQ(line_about(dumped(), "compute"), "stream  (\"compute\") has no known wait");
}

TEST(DumpLog, FollowsASignalToItsStream) {
    const Stream first = named_stream("first"), second = named_stream("second");
    const Timeline a = make_timeline(), b = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(first, a, 1));
    ASSERT_OK(gs_stream_wait_timeline(second, b, 5));
    ASSERT_OK(gs_stream_signal_timeline(second, a, 3));
    EXPECT_EQ(
        line_about(dumped(), "first"),
        "stream  (\"first\") waits for timeline  to reach 1 (it is at 0), signalled in stream  (\"second\"), which "
        "waits for timeline  to reach 5 (it is at 0), and nothing in the log signals that");
    ASSERT_OK(gs_timeline_signal(b, 5));
    ASSERT_OK(gs_stream_synchronize(first));
}

// The event carries the wait, which the search at the signal does not see.
TEST(DumpLog, NamesACircle) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Event event = named_event("of a");
    const Timeline timeline = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(a, timeline, 1));
    ASSERT_OK(gs_event_record(event, a));
    ASSERT_OK(gs_stream_wait_event(b, event));
    ASSERT_OK(gs_stream_signal_timeline(b, timeline, 1));
    const std::string text = dumped();
    EXPECT_THAT(line_about(text, "b"), HasSubstr("a circle that begins with stream  (\"b\")"));
    EXPECT_THAT(line_about(text, "a"),
                HasSubstr("signalled in stream  (\"b\"), which waits for event  (\"of a\"), recorded "
                          "in stream  (\"a\"), which waits for the above: a circle"));
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_CANCELLED));
    ASSERT_OK(gs_stream_synchronize(b));
    EXPECT_THAT(dumped(), Not(HasSubstr("circle")));
}

// Waits for earlier work of each other, in turn, and a wait that is behind all of them.
TEST(DumpLog, TellsEarlierWaitsFromLaterOnes) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Event mine = make_event(), theirs = make_event();
    const Timeline timeline = make_timeline();
    for (int i = 0; i < 10; ++i) {
        ASSERT_OK(gs_event_record(mine, a));
        ASSERT_OK(gs_stream_wait_event(b, mine));
        ASSERT_OK(gs_event_record(theirs, b));
        ASSERT_OK(gs_stream_wait_event(a, theirs));
    }
    std::string text = dumped();
    EXPECT_THAT(text, Not(HasSubstr("circle")));
    EXPECT_THAT(line_about(text, "a"), HasSubstr("may wait for event"));
    ASSERT_OK(gs_stream_wait_timeline(b, timeline, 1));
    text = dumped();
    EXPECT_THAT(line_about(text, "b"), HasSubstr("(\"b\") waits for timeline  to reach 1"));
    EXPECT_THAT(line_about(text, "a"), Not(HasSubstr("timeline")));
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_stream_synchronize(b));
}

TEST(DumpLog, KnowsWhatAThreadHasSeen) {
    const Stream a = named_stream("a"), b = named_stream("b");
    const Event event = make_event();
    ASSERT_OK(gs_event_record(event, a));
    ASSERT_OK(gs_stream_wait_event(b, event));
    EXPECT_THAT(line_about(dumped(), "b"), HasSubstr("may wait for event , recorded in stream  (\"a\")"));
    ASSERT_OK(gs_event_synchronize(event));
    ASSERT_OK(gs_event_record(event, a)); // another record does not bring the wait back
    EXPECT_EQ(line_about(dumped(), "b"), "stream  (\"b\") has no known wait");
    ASSERT_OK(gs_stream_wait_stream(b, a));
    EXPECT_THAT(line_about(dumped(), "b"), HasSubstr("may wait for stream  (\"a\")"));
    ASSERT_OK(gs_stream_synchronize(a));
    EXPECT_EQ(line_about(dumped(), "b"), "stream  (\"b\") has no known wait");
}

TEST(DumpLog, HasTheCurrentStreamByItsName) {
    const Stream stream = named_stream("current");
    gs_stream_t before = nullptr;
    ASSERT_OK(gs_exchange_current_stream(stream, &before));
    const Event event = named_event("now");
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    const std::string text = dumped();
    EXPECT_THAT(text.substr(text.find("(\"current\")")), HasSubstr(": records event "));
    EXPECT_THAT(text, HasSubstr("(\"now\")"));
    ASSERT_OK(gs_set_current_stream(before));
    ASSERT_OK(gs_stream_synchronize(stream));
    if (before) ASSERT_OK(gs_stream_destroy(before));
}

TEST(DumpLog, KeepsTheLastOperations) {
    const Stream stream = named_stream("busy");
    const Event event = make_event();
    for (int i = 0; i < 1000; ++i) ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_set_name(event, "the event"));
    ASSERT_OK(gs_stream_sleep(stream, 1));
    const std::string text = dumped();
    const std::string own = text.substr(text.find("(\"busy\")"));
    EXPECT_LT(own.find(": work\n"), own.find(": records event "));
    EXPECT_THAT(own, HasSubstr("(\"the event\")"));
}

// Which begins with what the smaller one had.
TEST(DumpLog, GoesOnInTheLargerRingOfATrace) {
    const Stream stream = named_stream("before the trace");
    const Timeline timeline = make_timeline();
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    const std::string expected = "stream  (\"before the trace\") waits for timeline  to reach 1 (it is at 0), and "
                                 "nothing in the log signals that";
    EXPECT_EQ(line_about(dumped(), "before the trace"), expected);
    gs_trace_options_t options{};
    options.struct_size = sizeof options;
    options.operations = 4096;
    uint64_t trace = 0;
    ASSERT_OK(gs_trace_begin(&options, &trace));
    ASSERT_OK(gs_stream_sleep(stream, 1));
    EXPECT_EQ(line_about(dumped(), "before the trace"), expected);
    ASSERT_OK(gs_trace_end(trace));
    EXPECT_EQ(line_about(dumped(), "before the trace"), expected);
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_stream_synchronize(stream));
}

} // namespace
} // namespace gs::check::test
