// SPDX-License-Identifier: Apache-2.0
// Captures that do not end as planned: broken by a call, forked in their middle, left by their thread.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"
#include "handle/handle_bits.hpp"
#include "support/child_process.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void count_one_more(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

// What was kept for a graph is released by another thread.
bool reaches(const std::atomic<int> &count, int wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (count != wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return count == wanted;
}

// An event that other code knows, recorded outside: only the driver can say that a captured stream must not wait for it.
Event foreign_event(gs_stream_t stream) {
    Event event = make_event();
    uintptr_t native = 0;
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_native(event, &native));
    return event;
}

} // namespace

// The host backend refuses such a wait and leaves the capture as it is; drivers break it.
TEST_P(Conformance, Ended_ABrokenCaptureNamesCallThreadAndStream) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event foreign = foreign_event(other);
    for (const int32_t mode : kCaptureModes) {
        for (const bool aborted : {false, true}) {
            SCOPED_TRACE(mode);
            ASSERT_OK(gs_stream_begin_capture(stream, mode));
            uint64_t breaker = 0;
            std::thread([&] {
                breaker = static_cast<uint64_t>(syscall(SYS_gettid));
                EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_event(stream, foreign));
            }).join();
            const gs_capture_info_t info = info_of(stream);
            if (on_host()) {
                EXPECT_EQ(info.state, GS_CAPTURE_STATE_ACTIVE);
                end_capture(stream).reset();
                continue;
            }
            EXPECT_EQ(info.state, GS_CAPTURE_STATE_INVALIDATED);
            EXPECT_NE(info.id, 0u);
            EXPECT_EQ(info.id, info_of(stream).id);
            EXPECT_EQ(info.origin, stream.get());
            EXPECT_EQ(info.mode, mode);
            EXPECT_EQ(info.graph, nullptr) << "nothing asked for it in time";
            EXPECT_STREQ(info.broken_function, "gs_stream_wait_event");
            EXPECT_EQ(info.broken_thread, breaker);
            EXPECT_EQ(info.broken_stream, stream.get());
            EXPECT_NE(info.broken_code, 0);
            if (aborted) {
                EXPECT_OK(gs_stream_abort_capture(stream));
            } else {
                char text[160];
                std::snprintf(text, sizeof text,
                              "broken by gs_stream_wait_event() of thread %" PRIu64 " on stream %#" PRIx64, breaker,
                              handle_bits(stream.get()));
                gs_graph_t none = nullptr;
                EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, text, stream, &none);
                EXPECT_EQ(none, nullptr);
            }
            EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
            EXPECT_OK(gs_stream_synchronize(stream));
        }
    }
}

// A later failure is not the cause of an earlier break.
TEST_P(Conformance, Ended_TheFirstCallThatBreaksACaptureIsNamed) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event foreign = foreign_event(other);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_wait(foreign, stream));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_event(stream, foreign));
    if (on_host()) return end_capture(stream).reset();
    EXPECT_STREQ(info_of(stream).broken_function, "gs_event_wait");
    gs_graph_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "gs_event_wait()", stream, &none);
}

// However many others are in progress, and whichever of them it is.
TEST_P(Conformance, Ended_TheBreakIsNamedAmongManyCaptures) {
    constexpr size_t kCaptures = 40;
    Stream other = make_stream(0);
    Event foreign = foreign_event(other);
    std::vector<Stream> streams;
    for (size_t i = 0; i < kCaptures; ++i) {
        streams.push_back(make_stream(0));
        ASSERT_OK(gs_stream_begin_capture(streams.back(), GS_CAPTURE_RELAXED));
    }
    for (const size_t broken : {size_t{0}, kCaptures / 2, kCaptures - 1}) {
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_event(streams[broken], foreign));
        if (!on_host()) EXPECT_STREQ(info_of(streams[broken]).broken_function, "gs_stream_wait_event") << broken;
    }
    for (const Stream &stream : streams) EXPECT_OK(gs_stream_abort_capture(stream));
}

TEST_P(Conformance, Ended_EventsOfACaptureAreRecordedAnewAfterIt) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event(GS_EVENT_TIMING), before = make_event(GS_EVENT_TIMING);
    double ms = 0;
    int64_t ns = 0, error_ns = 0;
    ASSERT_OK(gs_event_record(before, stream));
    ASSERT_OK(gs_device_calibrate(0, &error_ns));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_event_record(event, stream));
    int32_t number = 0;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_query, "capture", event, &number);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_elapsed_ms, "in progress", before, event, &ms);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_time_ns, "in progress", event, &ns, &error_ns);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    end_capture(stream).reset();
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_query, "has ended", event, &number);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_synchronize, "has ended", event);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_wait, "has ended", event, other);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_wait_event, "has ended", other, event);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_elapsed_ms, "has ended", before, event, &ms);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_elapsed_ms, "has ended", event, before, &ms);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_time_ns, "has ended", event, &ns, &error_ns);
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
}

// The next event with the library's record of that one has no part in the capture.
TEST_P(Conformance, Ended_AnEventThatEndsInACaptureLeavesNoTrace) {
    Stream stream = make_stream(0), outside = make_stream(0);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_event_record(make_event(), stream));
    Event next = make_event(GS_EVENT_INTERPROCESS);
    gs_ipc_handle_t handle{};
    ASSERT_OK(gs_event_ipc_export(next, &handle)); // another process may record it
    EXPECT_TRUE(done(next.get()));
    EXPECT_OK(gs_event_synchronize(next));
    EXPECT_OK(gs_stream_wait_event(outside, next));
    EXPECT_TRUE(end_capture(stream));
}

TEST_P(Conformance, Ended_UploadsInACaptureAreRefusedInEachMode) {
    Stream stream = make_stream(0), beside = make_stream(0);
    Bytes bytes(1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    bytes.set(stream, 0, 3);
    GraphExec exec = instantiate(end_capture(stream));
    ASSERT_OK(gs_graph_exec_upload(exec, beside));
    ASSERT_OK(gs_stream_synchronize(beside));
    for (const int32_t mode : kCaptureModes) {
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_graph_exec_upload(exec, stream));
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_graph_exec_launch(exec, stream));
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_OK(gs_graph_exec_upload(exec, beside));
        EXPECT_OK(gs_graph_exec_launch(exec, beside));
        EXPECT_OK(gs_stream_synchronize(beside));
        end_capture(stream).reset();
    }
    EXPECT_EQ(bytes[0], 3);
}

// The child may do nothing with the capture, and the parent's goes on.
TEST_P(ConformanceProcess, Ended_AForkInTheMiddleOfACapture) {
    OWN_PROCESS();
    Stream stream = make_stream(0), side = make_stream(0);
    std::atomic<int> count{0};
    for (const int32_t mode : kCaptureModes) {
        count = 0;
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        ASSERT_OK(gs_stream_launch_host(stream, count_one_more, &count));
        ASSERT_OK(gs_stream_wait_stream(side, stream));
        const gs_graph_t graph = info_of(stream).graph;
        const Outcome outcome = run_forked([&] {
            gs_graph_t none = nullptr;
            gs_capture_info_t info{};
            info.struct_size = sizeof info;
            CHILD_REQUIRE(gs_stream_end_capture(stream, &none) == GS_ERROR_BAD_FORK && none == nullptr);
            CHILD_REQUIRE(gs_stream_abort_capture(stream) == GS_ERROR_BAD_FORK);
            CHILD_REQUIRE(gs_stream_capture_info(stream, &info) == GS_ERROR_BAD_FORK);
            CHILD_REQUIRE(gs_stream_launch_host(side, count_one_more, &count) == GS_ERROR_BAD_FORK);
            CHILD_REQUIRE(gs_graph_keep(graph, count_one_more, &count) == GS_ERROR_BAD_FORK);
            CHILD_REQUIRE(gs_graph_destroy(graph) == GS_OK && gs_stream_destroy(side) == GS_OK);
            return 0;
        });
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
        ASSERT_OK(gs_stream_wait_stream(stream, side));
        GraphExec exec = instantiate(end_capture(stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(count, 1);
    }
}

// The capture of a stream that other threads have, too: any of them aborts it, or it ends with the stream.
TEST_P(Conformance, Ended_AThreadThatLeavesItsCapture) {
    for (const int32_t mode : kCaptureModes) {
        SCOPED_TRACE(mode);
        std::atomic<int> released{0}, ran{0};
        Stream stream = make_stream(0), side = make_stream(0);
        std::thread([&] {
            ASSERT_OK(gs_stream_begin_capture(stream, mode));
            ASSERT_OK(gs_graph_keep(info_of(stream).graph, count_one_more, &released));
            ASSERT_OK(gs_stream_launch_host(stream, count_one_more, &ran));
            ASSERT_OK(gs_stream_wait_stream(side, stream));
        }).join();
        EXPECT_EQ(capture_state(side), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_EQ(released, 0);
        ASSERT_OK(gs_stream_abort_capture(stream));
        EXPECT_TRUE(reaches(released, 1));
        EXPECT_EQ(capture_state(side), GS_CAPTURE_STATE_NONE);
        EXPECT_OK(gs_stream_synchronize(side));
        EXPECT_EQ(ran, 0);
    }
}

// No thread can name the stream per thread of a thread that has ended: its capture has ended, too.
TEST_P(ConformanceProcess, Ended_AThreadThatLeavesTheCaptureOfItsOwnStream) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (const int32_t mode : kCaptureModes) {
        gs_graph_t graph = nullptr;
        std::thread([&] {
            gs_stream_t own = nullptr;
            ASSERT_OK(gs_per_thread_stream(0, &own));
            ASSERT_OK(gs_stream_begin_capture(own, mode));
            graph = info_of(own).graph;
            EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0));
        }).join();
        EXPECT_OK(gs_device_synchronize(0)) << "no capture is left";
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_retain(graph));
        ASSERT_OK(gs_stream_begin_capture(stream, mode));
        end_capture(stream).reset();
    }
}

// The graph of a capture that was aborted has ended: its slot serves the next one.
TEST_P(Conformance, Ended_AbortedCapturesLeaveNoGraph) {
    Stream stream = make_stream(0);
    std::set<uint32_t> slots;
    for (int i = 0; i < 10; ++i) {
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        slots.insert(handle_index(reinterpret_cast<uintptr_t>(info_of(stream).graph)));
        ASSERT_OK(gs_stream_abort_capture(stream));
    }
    EXPECT_EQ(slots.size(), 1u);
}

} // namespace gs::test
