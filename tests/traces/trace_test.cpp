// SPDX-License-Identifier: Apache-2.0
// Traces: what is in them. Python's tests hold the whole text against a schema.
#include <gmock/gmock.h>

#include <thread>

#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "traces/traced.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Trace, HasTheVeryRecordThatAWaitIsFor) {
    const StopAtEnd end;
    const Stream first = make_stream(0), second = make_stream(0), third = make_stream(0);
    const Event event = make_event();
    ASSERT_OK(gs_stream_set_name(first, "up \"load\""));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_stream_wait_event(third, event)); // of a record before the trace
    ASSERT_OK(gs_stream_sleep(first, 1));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_stream_wait_event(second, event));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(stop_trace());
    const std::string text = written();
    const auto records = lines_with(text, {"\"name\": \"record\""});
    const auto waits = lines_with(text, {"\"cat\": \"cuda_sync\""});
    ASSERT_EQ(records.size(), 3u) << text;
    ASSERT_EQ(waits.size(), 2u) << text;
    EXPECT_THAT(waits[0], Not(HasSubstr("wait_on_stream"))) << "the trace does not have that record";
    EXPECT_EQ(number_in(waits[1], "wait_on_cuda_event_record_corr_id"), number_in(records[1], "correlation"));
    EXPECT_EQ(number_in(waits[1], "wait_on_stream"), number_in(records[1], "tid"));
    EXPECT_EQ(number_in(records[1], "stream"), number_in(records[1], "tid"));
    const auto begins = lines_with(text, {"\"ph\": \"s\""}), ends = lines_with(text, {"\"ph\": \"f\""});
    ASSERT_EQ(begins.size(), 1u);
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(number_in(begins[0], "ts"), number_in(records[1], "ts"));
    EXPECT_EQ(number_in(begins[0], "tid"), number_in(records[1], "tid"));
    EXPECT_EQ(number_in(ends[0], "ts"), number_in(waits[1], "ts"));
    EXPECT_EQ(number_in(ends[0], "tid"), number_in(waits[1], "tid"));
    EXPECT_THAT(text, HasSubstr("up \\\"load\\\""));
    EXPECT_EQ(number_in(text, "dropped"), 0);
}

TEST(Trace, HasOtherEdges) {
    const StopAtEnd end;
    const Stream first = make_stream(0), second = make_stream(0);
    gs_timeline_t made = nullptr;
    ASSERT_OK(gs_timeline_create(0, 0, 0, &made));
    const gs::test::Owner<gs_timeline_t, gs_timeline_destroy> timeline(made);
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_stream_sleep(first, 1));
    ASSERT_OK(gs_stream_wait_stream(second, first));
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 2)); // before the signal
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 3));
    ASSERT_OK(gs_stream_synchronize(second));
    const std::string text = written();
    const auto point = lines_with(text, {"is waited for"});
    ASSERT_EQ(point.size(), 1u) << text;
    const auto signals = lines_with(text, {"\"name\": \"signal\""});
    ASSERT_EQ(signals.size(), 2u) << text;
    const auto waits = lines_with(text, {"\"cat\": \"cuda_sync\"", "wait_on_stream"});
    ASSERT_EQ(waits.size(), 2u) << text;
    EXPECT_EQ(number_in(waits[0], "wait_on_cuda_event_record_corr_id"), number_in(point[0], "correlation"));
    EXPECT_EQ(number_in(waits[1], "wait_on_cuda_event_record_corr_id"), number_in(signals[1], "correlation"));
    const auto met = lines_with(text, {"can be met"});
    ASSERT_EQ(met.size(), 1u) << "an arrow never leads back in time";
    EXPECT_EQ(number_in(met[0], "ts"), number_in(signals[1], "ts"));
    EXPECT_EQ(lines_with(text, {"stream is idle"}).size(), 1u);
}

TEST(Trace, NestsRangesOfEachThread) {
    const StopAtEnd end;
    ASSERT_OK(gs_range_push("before"));
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_range_pop()); // began before the trace
    ASSERT_OK(gs_range_push("outer"));
    std::thread([] {
        EXPECT_OK(gs_range_push("elsewhere"));
        EXPECT_OK(gs_mark("there \\ \x01"));
    }).join();
    ASSERT_OK(gs_range_push("inner"));
    ASSERT_OK(gs_range_pop());
    uint64_t range = 0;
    ASSERT_OK(gs_range_start("any thread", &range));
    ASSERT_OK(gs_range_end(range));
    ASSERT_OK(stop_trace());
    ASSERT_OK(gs_range_pop()); // after it
    const std::string text = written();
    EXPECT_TRUE(lines_with(text, {"\"before\""}).empty());
    const auto outer = lines_with(text, {"\"outer\""}), inner = lines_with(text, {"\"inner\""});
    ASSERT_EQ(outer.size(), 1u);
    ASSERT_EQ(inner.size(), 1u);
    EXPECT_THAT(outer[0], HasSubstr("\"open\": true"));
    EXPECT_THAT(inner[0], Not(HasSubstr("open")));
    EXPECT_GE(number_in(inner[0], "ts"), number_in(outer[0], "ts"));
    EXPECT_LE(number_in(inner[0], "ts") + number_in(inner[0], "dur"),
              number_in(outer[0], "ts") + number_in(outer[0], "dur"));
    EXPECT_EQ(lines_with(text, {"\"elsewhere\"", "\"open\": true"}).size(), 1u);
    EXPECT_EQ(lines_with(text, {"\"ph\": \"i\"", "there \\\\ ?"}).size(), 1u);
    EXPECT_EQ(lines_with(text, {"\"ph\": \"b\"", "any thread"}).size(), 1u);
    EXPECT_EQ(lines_with(text, {"\"ph\": \"e\""}).size(), 1u);
}

// In a process of its own: a thread keeps the largest ring that it ever had.
TEST(Trace, IsBoundedAndCountsWhatItDrops) {
    OWN_PROCESS();
    const StopAtEnd end;
    gs_trace_options_t few = options(0, 20); // 32
    std::thread([&] {
        ASSERT_OK(start_trace(&few));
        for (int i = 0; i < 100; ++i) ASSERT_OK(gs_mark("many"));
        ASSERT_OK(stop_trace());
    }).join();
    const std::string text = written();
    EXPECT_EQ(lines_with(text, {"\"many\""}).size(), 32u);
    EXPECT_EQ(number_in(text, "dropped"), 68);
    EXPECT_EQ(written(), text) << "it can be written again";
    // The next one begins again, and may want more of the same thread.
    gs_trace_options_t more = options(0, 256);
    ASSERT_OK(start_trace(&more));
    for (int i = 0; i < 256; ++i) ASSERT_OK(gs_mark("again"));
    const std::string next = written();
    EXPECT_EQ(lines_with(next, {"\"again\""}).size(), 256u);
    EXPECT_TRUE(lines_with(next, {"\"many\""}).empty());
    EXPECT_EQ(number_in(next, "dropped"), 0);
}

TEST(Trace, TimesRangesOnTheDevice) {
    const StopAtEnd end;
    const Stream stream = make_stream(0);
    gs_stream_t before = nullptr;
    gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
    ASSERT_OK(start_trace(&timed));
    ASSERT_OK(gs_exchange_current_stream(stream, &before));
    ASSERT_OK(gs_range_push("outer"));
    ASSERT_OK(gs_range_push("inner"));
    gs::test::Gate gate;
    gate.hold(stream);
    ASSERT_OK(gs_stream_sleep(stream, 2'000'000)); // nanoseconds, as the fake driver's clock counts
    ASSERT_OK(gs_range_pop());
    EXPECT_EQ(number_in(written(), "ranges_pending"), 2) << "the work of one is not done, the other is open";
    gate.open();
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_range_push("captured"));
    ASSERT_OK(gs_range_pop());
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    ASSERT_OK(gs_graph_destroy(graph));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_set_current_stream(before));
    ASSERT_OK(gs_stream_destroy(before));
    ASSERT_OK(stop_trace());
    const std::string text = written();
    const auto outer = lines_with(text, {"gpu_user_annotation", "\"outer\""});
    const auto inner = lines_with(text, {"gpu_user_annotation", "\"inner\""});
    ASSERT_EQ(outer.size(), 1u) << text;
    ASSERT_EQ(inner.size(), 1u) << text;
    EXPECT_GE(number_in(inner[0], "dur"), 2000 - 2 * number_in(inner[0], "error_ns") / 1000)
        << "the stream sleeps 2000 us";
    EXPECT_GE(number_in(outer[0], "dur"), number_in(inner[0], "dur"));
    EXPECT_GT(number_in(inner[0], "error_ns"), 0) << "no comparison of two clocks is exact";
    EXPECT_TRUE(lines_with(text, {"gpu_user_annotation", "\"captured\""}).empty());
    EXPECT_EQ(number_in(text, "ranges_not_timed"), 1);
    EXPECT_EQ(number_in(text, "ranges_pending"), 0);
}

TEST(Trace, TimesRangesInTheStreamsThatGetTheirWork) {
    const StopAtEnd end;
    const Stream first = make_stream(0), second = make_stream(0), captured = make_stream(0);
    gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
    ASSERT_OK(start_trace(&timed));
    ASSERT_OK(gs_range_push("both"));
    ASSERT_OK(gs_range_push("inside"));
    ASSERT_OK(gs_stream_sleep(first, 2'000'000));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_stream_sleep(second, 1'000'000));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_push("behind"));
    ASSERT_OK(gs_stream_sleep(first, 1'000'000));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_range_push("of other code"));
    ASSERT_OK(gs_range_pop());
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_range_push("captured"));
    ASSERT_OK(gs_stream_sleep(captured, 1'000'000));
    ASSERT_OK(gs_range_pop());
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(captured, &graph));
    ASSERT_OK(gs_graph_destroy(graph));
    for (const gs_stream_t stream : {gs_stream_t(first), gs_stream_t(second)}) ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(stop_trace());
    const std::string text = written();
    const auto of = [&](const char *name, int stream) {
        return lines_with(text, {"gpu_user_annotation", name, "\"tid\": " + std::to_string(stream) + ","});
    };
    const auto until = [&](const std::string &line) { return number_in(line, "ts") + number_in(line, "dur"); };
    ASSERT_EQ(of("\"both\"", 1).size(), 1u) << text;
    ASSERT_EQ(of("\"both\"", 2).size(), 1u) << text;
    ASSERT_EQ(of("\"inside\"", 1).size(), 1u) << text;
    ASSERT_EQ(of("\"behind\"", 1).size(), 1u) << text;
    for (const char *name : {"\"both\"", "\"inside\"", "\"behind\""})
        EXPECT_TRUE(of(name, 0).empty()) << "the default stream has no work of " << name;
    EXPECT_TRUE(of("\"inside\"", 2).empty());
    EXPECT_EQ(of("\"of other code\"", 0).size(), 1u) << "what is given to the current stream may be unknown here";
    EXPECT_EQ(number_in(of("\"both\"", 1)[0], "ts"), number_in(of("\"inside\"", 1)[0], "ts"));
    EXPECT_GE(number_in(of("\"behind\"", 1)[0], "ts"), until(of("\"inside\"", 1)[0]))
        << "it begins when the work before has ended";
    EXPECT_GE(until(of("\"behind\"", 1)[0]), until(of("\"both\"", 1)[0]));
    EXPECT_TRUE(lines_with(text, {"gpu_user_annotation", "\"captured\""}).empty());
    EXPECT_EQ(number_in(text, "ranges_not_timed"), 1);
    EXPECT_EQ(number_in(text, "ranges_pending"), 0);
}

// The stream has ended, and nothing else was submitted to it.
TEST(Trace, KnowsTheDeviceOfARangeByItsEvents) {
    int32_t devices = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    if (devices < 2) GTEST_SKIP() << "one device";
    const StopAtEnd end;
    gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
    ASSERT_OK(start_trace(&timed));
    {
        gs_stream_t made = nullptr;
        ASSERT_OK(gs_stream_create(1, 0, 0, &made));
        const Stream stream(made);
        uint64_t scope = 0;
        ASSERT_OK(gs_push_current_stream(stream, &scope));
        ASSERT_OK(gs_range_push("elsewhere"));
        ASSERT_OK(gs_range_pop());
        ASSERT_OK(gs_pop_current_stream(scope));
        ASSERT_OK(gs_device_synchronize(1));
    }
    const auto ranges = lines_with(written(), {"gpu_user_annotation", "\"elsewhere\""});
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(number_in(ranges[0], "pid"), 1);
}

// By the entries, since nothing else knows it any more.
TEST(Trace, KnowsTheDeviceOfTheRecordsOfAStreamThatHasEnded) {
    int32_t devices = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    if (devices < 2) GTEST_SKIP() << "one device";
    const StopAtEnd end;
    ASSERT_OK(start_trace());
    {
        gs_stream_t made = nullptr;
        ASSERT_OK(gs_stream_create(1, 0, 0, &made));
        const Stream stream(made);
        const Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    const auto records = lines_with(written(), {"\"name\": \"record\""});
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(number_in(records[0], "pid"), 1);
}

} // namespace
} // namespace gs::check::test
