// SPDX-License-Identifier: Apache-2.0
// Traces that threads begin, end and write while others work or do the same.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"
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

// Another one begins while the clocks are compared, for which the driver is asked: the text would have parts of both. The host
// backend answers at once, so the other trace comes too late there.
TEST(Trace, IsRefusedIfAnotherBeginsWhileItIsWritten) {
    const bool waits = std::string(getenv("GPUSTREAM_BACKEND")) == "cuda";
    const auto lock = waits ? gs::test::driver_symbol<decltype(&fake_cuda_lock)>("fake_cuda_lock") : [](int) {};
    const StopAtEnd end;
    const gs_trace_options_t timed = options(GS_TRACE_DEVICE_TIMES);
    for (const bool named : {true, false}) {
        ASSERT_OK(start_trace(&timed));
        ASSERT_OK(gs_range_push("timed"));
        ASSERT_OK(gs_range_pop());
        ASSERT_OK(stop_trace());
        const uint64_t number = named ? g_trace : 0;
        ASSERT_EQ(lines_with(written(number), {"gpu_user_annotation"}).size(), 1u);
        std::string text;
        gs_status_t status = GS_ERROR_INTERNAL;
        lock(1);
        std::thread writer([&] { status = gs_trace_write(number, append, &text); });
        if (waits)
            std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it is in the driver by then, or comes later
        else
            writer.join();
        EXPECT_OK(start_trace());
        EXPECT_OK(gs_mark("of the other one"));
        EXPECT_OK(stop_trace());
        lock(0);
        if (waits) writer.join();
        EXPECT_EQ(status, waits && named ? GS_ERROR_NOT_RECORDED : GS_OK);
        EXPECT_EQ(lines_with(text, {"of the other one"}).size(), waits && !named ? 1u : 0u);
        EXPECT_EQ(lines_with(text, {"\"timed\""}).empty(), waits) << text;
    }
}

} // namespace
} // namespace gs::check::test
