// SPDX-License-Identifier: Apache-2.0
// What an error says: what was given, what it is, and the next step.
#include <unistd.h>

#include <string>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/gate.hpp"

namespace gs::test {
namespace {

template <typename To, typename From>
To as(From handle) {
    return reinterpret_cast<To>(handle);
}

std::string text() { return last_error().message; }

} // namespace

TEST_P(Conformance, ErrorTexts_HandlesOfAnotherKind) {
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_stream_set_name(stream, "copies"));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize, "is an event, not a stream",
                 as<gs_stream_t>(event.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize, "(\"copies\") is a stream, not an event",
                 as<gs_event_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_pool_destroy, "is a stream, not a pool", as<gs_pool_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_destroy, "is a stream, not a graph", as<gs_graph_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_destroy, "is a stream, not an executable graph",
                 as<gs_graph_exec_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_queue_destroy, "is a stream, not a queue", as<gs_queue_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_module_destroy, "is an event, not a module", as<gs_module_t>(event.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_timeline_destroy, "is a stream, not a timeline",
                 as<gs_timeline_t>(stream.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_partition_destroy, "is a stream, not a partition",
                 as<gs_partition_t>(stream.get()));
}

TEST_P(Conformance, ErrorTexts_HandlesOfNothing) {
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize,
                 "the stream is NULL: was it closed, or did gs_stream_create fail?", nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_destroy,
                 "the executable graph is NULL: was it closed, or did gs_graph_instantiate fail?", nullptr);
    gs_stream_t dead = make_stream().release();
    ASSERT_OK(gs_stream_destroy(dead));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize, "was destroyed", dead);
    int there = 0;
    for (void *native : {static_cast<void *>(&there), reinterpret_cast<void *>(2)}) {
        EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize,
                     "is not a gpustream handle: wrap a driver's stream with gs_stream_from_native",
                     static_cast<gs_stream_t>(native));
        EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize, "wrap a driver's event with gs_event_from_native",
                     static_cast<gs_event_t>(native));
    }
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize, "is not a gpustream handle, a stream is needed",
                 reinterpret_cast<gs_stream_t>(0x4141414141414141));
    int64_t id = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_id, "gs_current_stream finds the one that it names",
                 GS_STREAM_CURRENT, &id);
}

TEST_P(Conformance, ErrorTexts_Flags) {
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create,
                 "in the stream flags 0xffffffff (-1): there are GS_STREAM_BLOCKING 1", GS_DEVICE_CURRENT, 0,
                 static_cast<uint32_t>(-1), &stream);
    gs_event_t event = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_create, "unknown bits 0x10 in the event flags 0x11: there are",
                 0x11, &event);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "there are 0 to 3", 9, 0);
}

TEST_P(Conformance, ErrorTexts_Scopes) {
    Stream stream = make_stream();
    uint64_t outer = 0;
    uint64_t inner = 0;
    ASSERT_OK(gs_push_current_stream(stream, &outer));
    ASSERT_OK(gs_push_current_stream(stream, &inner));
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream,
                 "1 opened after it are still open; end those first, or all at once "
                 "with gs_unwind_current_stream",
                 outer);
    const std::string self = std::to_string(gettid());
    std::thread([&] {
        EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, ("was opened by thread " + self).c_str(), outer);
        EXPECT_FAILS(GS_ERROR_SCOPE, gs_unwind_current_stream, "which alone can end it", outer);
    }).join();
    ASSERT_OK(gs_pop_current_stream(inner));
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, "has ended already", inner);
    ASSERT_OK(gs_pop_current_stream(outer));
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, "there is no scope 0xffffffffffffffff", UINT64_MAX);
    EXPECT_FAILS(GS_ERROR_SCOPE, gs_pop_current_stream, "this thread has no open scope", 0);
}

TEST_P(Conformance, ErrorTexts_CapturesNameTheirThreadAndTheirStreams) {
    Stream first = make_stream();
    Stream second = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_stream_set_name(second, "copies"));
    ASSERT_OK(gs_stream_begin_capture(first, GS_CAPTURE_GLOBAL));
    const std::string thread = "; thread " + std::to_string(gettid()) + " began the capture";
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_synchronize, "end the capture first", first);
    EXPECT_NE(text().find(thread), std::string::npos) << text();
    ASSERT_OK(gs_stream_abort_capture(first));
    ASSERT_OK(gs_stream_begin_capture(first, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_stream_wait_event(second, event));
    ASSERT_OK(gs_stream_launch_host(second, [](void *) {}, nullptr));
    gs_graph_t graph = nullptr;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "the streams that joined the capture are 0x", first,
                 &graph);
    EXPECT_NE(text().find("(\"copies\")"), std::string::npos) << text();
}

TEST_P(Conformance, ErrorTexts_WhoForbadeAWait) {
    Stream stream = make_stream();
    int32_t before = 0;
    ASSERT_OK(gs_forbid_sync(1, &before));
    EXPECT_FAILS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize, " called gs_forbid_sync(1); gs_forbid_sync(0) ends it",
                 stream);
    ASSERT_OK(gs_forbid_sync(before, &before));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_ERROR));
    EXPECT_FAILS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize, " set GS_OPTION_SYNC_DEBUG_MODE to 2", stream);
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
}

// An older failure is not taken for the reason of a call that only has to be repeated.
TEST_P(Conformance, ErrorTexts_AfterNotReadyAndTimeout) {
    Stream stream = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize(nullptr));
    Event start = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(start, stream));
    double ms = 0;
    EXPECT_STATUS(GS_NOT_READY, gs_event_elapsed_ms(start, start, &ms));
    EXPECT_EQ(last_error().status, GS_NOT_READY);
    EXPECT_EQ(text(), "gs_event_elapsed_ms: the work is not done yet");
    EXPECT_STATUS(GS_ERROR_TIMEOUT, gs_stream_synchronize_for(stream, 1000000));
    EXPECT_EQ(last_error().status, GS_ERROR_TIMEOUT);
    EXPECT_EQ(text(), "gs_stream_synchronize_for: a time limit passed");
    gate.open();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize(nullptr));
    EXPECT_EQ(last_error().status, GS_ERROR_INVALID_HANDLE);
}

} // namespace gs::test
