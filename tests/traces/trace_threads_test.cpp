// SPDX-License-Identifier: Apache-2.0
// Traces that threads begin, end and write while others work or do the same.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "traces/traced.hpp"

namespace gs::check::test {
namespace {

// Threads that work, while traces start, are written and stop.
TEST(Trace, BesideThreadsThatWork) {
    const StopAtEnd end;
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            const Stream stream = make_stream(0), other = make_stream(0);
            const Event event = make_event();
            while (!done) {
                EXPECT_OK(gs_range_push("work"));
                EXPECT_OK(gs_event_record(event, stream));
                EXPECT_OK(gs_stream_wait_event(other, event));
                EXPECT_OK(gs_range_pop());
            }
            EXPECT_OK(gs_stream_synchronize(other));
        });
    for (int i = 0; i < 20; ++i) {
        gs_trace_options_t some = options(i % 2 == 0 ? 0u : uint32_t{GS_TRACE_DEVICE_TIMES}, 64u << (i % 4));
        ASSERT_OK(start_trace(&some));
        EXPECT_FALSE(written().empty());
        ASSERT_OK(stop_trace());
        EXPECT_FALSE(written().empty());
    }
    done = true;
    for (std::thread &one : threads) one.join();
}

// Who has begun a trace has one that runs, whatever others stop at that moment; and what is written at any moment is a trace.
#if defined(__SANITIZE_THREAD__)
constexpr int kTraces = 50; // it sees a race whether it does harm or not
#else
constexpr int kTraces = 5'000;
#endif
TEST(Trace, BeginsWhileAnotherEnds) {
    const StopAtEnd end;
    const gs_trace_options_t few = options(0, 16), timed = options(GS_TRACE_DEVICE_TIMES, 16);
    ASSERT_OK(start_trace(&few));
    ASSERT_OK(stop_trace());
    std::atomic<bool> done{false};
    std::atomic<int> missing{0};
    const auto trace = [&](const gs_trace_options_t &wanted) {
        for (int left = kTraces; left > 0;) {
            uint64_t number = 0;
            if (gs_trace_begin(&wanted, &number) != GS_OK) continue;
            EXPECT_OK(gs_mark("of this trace"));
            if (left % 16 == 0 && lines_with(written(), {"of this trace"}).empty()) ++missing;
            EXPECT_OK(gs_trace_end(number));
            --left;
        }
    };
    std::thread writer([&] {
        while (!done) EXPECT_EQ(written().find(".-"), std::string::npos);
    });
    std::thread other([&] { trace(timed); });
    trace(few);
    other.join();
    done = true;
    writer.join();
    EXPECT_EQ(missing, 0);
}

// The next one overwrites what the trace has, which is then refused: a part of it never goes by its number.
TEST(Trace, IsWrittenWholeWhileAnotherBegins) {
    const StopAtEnd end;
    constexpr size_t kMarks = 12;
    const gs_trace_options_t few = options(0, 16);
    ASSERT_OK(start_trace());
    // It is read first, and what it has is of no later trace: the next one begins meanwhile.
    std::thread([] {
        for (int i = 0; i < 16'384; ++i) EXPECT_OK(gs_mark("long to read"));
    }).join();
    ASSERT_OK(stop_trace());
    std::atomic<uint64_t> latest{0}, taken{0};
    std::atomic<bool> done{false};
    int parts = 0;
    std::thread writer([&] {
        while (!done) {
            std::string text;
            const uint64_t number = latest;
            if (number == 0) continue;
            taken = number;
            const gs_status_t status = gs_trace_write(number, append, &text);
            if (status == GS_ERROR_NOT_RECORDED) continue;
            EXPECT_OK(status);
            if (lines_with(text, {"of this trace"}).size() != kMarks) ++parts;
        }
    });
    for (int i = 0; i < kTraces / 20; ++i) {
        uint64_t number = 0;
        ASSERT_OK(gs_trace_begin(&few, &number));
        for (size_t mark = 0; mark < kMarks; ++mark) EXPECT_OK(gs_mark("of this trace"));
        ASSERT_OK(gs_trace_end(number));
        latest = number;
        while (taken != number) std::this_thread::yield();
        if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i % 100));
    }
    done = true;
    writer.join();
    EXPECT_EQ(parts, 0);
}

} // namespace
} // namespace gs::check::test
