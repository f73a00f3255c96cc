// SPDX-License-Identifier: Apache-2.0
// Elapsed time: the order of its checks, and properties of its value that need no clock.
#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Case10_ElapsedChecksInOrder) {
    ROWS("B1 B13 D10");
    Stream stream = make_stream();
    Event timed = make_event(GS_EVENT_TIMING), later = make_event(GS_EVENT_TIMING), untimed = make_event();
    double ms = 5;
    // 1. timing, even if neither was recorded
    EXPECT_FAILS(GS_ERROR_TIMING_DISABLED, gs_event_elapsed_ms, "timing", untimed, timed, &ms);
    EXPECT_EQ(ms, 0.0);
    EXPECT_FAILS(GS_ERROR_TIMING_DISABLED, gs_event_elapsed_ms, "timing", timed, untimed, &ms);
    // 2. recorded
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms, "recorded", timed, later, &ms);
    ASSERT_OK(gs_event_record(timed, stream));
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms, "recorded", timed, later, &ms);
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms, "recorded", later, timed, &ms);
    // 3. complete, without waiting for it
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(later, stream));
    ms = 5;
    EXPECT_STATUS(GS_NOT_READY, gs_event_elapsed_ms(timed, later, &ms));
    EXPECT_EQ(ms, 0.0);
    EXPECT_STATUS(GS_NOT_READY, gs_event_elapsed_ms(later, timed, &ms));
    gate.open();
    ASSERT_OK(gs_event_synchronize(later));
    EXPECT_OK(gs_event_elapsed_ms(timed, later, &ms));
}

TEST_P(Conformance, Case10_ElapsedValues) {
    ROWS("B20");
    Stream stream = make_stream();
    Event start = make_event(GS_EVENT_TIMING), end = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(start, stream));
    ASSERT_OK(gs_stream_sleep(stream, 2'000'000));
    ASSERT_OK(gs_event_record(end, stream));
    ASSERT_OK(gs_event_synchronize(end));
    double forward = 0, backward = 0, same = 1;
    EXPECT_OK(gs_event_elapsed_ms(start, end, &forward));
    EXPECT_OK(gs_event_elapsed_ms(end, start, &backward));
    EXPECT_OK(gs_event_elapsed_ms(start, start, &same));
    EXPECT_GT(forward, 0.0);
    EXPECT_DOUBLE_EQ(backward, -forward);
    EXPECT_EQ(same, 0.0);
    if (on_host()) EXPECT_GE(forward, 2.0) << "on host a cycle is a nanosecond, and a timer never fires early";
}

TEST_P(Conformance, Case10_NotReadyIsNotAnEarlierFailure) {
    Stream stream = make_stream();
    Event start = make_event(GS_EVENT_TIMING), end = make_event(GS_EVENT_TIMING);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(nullptr));
    Gate gate;
    ASSERT_OK(gs_event_record(start, stream));
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(end, stream));
    double ms = 0;
    EXPECT_STATUS(GS_NOT_READY, gs_event_elapsed_ms(start, end, &ms));
    EXPECT_EQ(last_text(), "gs_event_elapsed_ms: the work is not done yet");
    gate.open();
}

TEST_P(Conformance, Case10_ElapsedAcrossDevices) {
    GS_NEEDS_DEVICES(2);
    Stream here = make_stream(0), there = make_stream(1);
    Event start = make_event(GS_EVENT_TIMING), end = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(start, here));
    ASSERT_OK(gs_event_record(end, there));
    ASSERT_OK(gs_event_synchronize(start));
    ASSERT_OK(gs_event_synchronize(end));
    double ms = 0;
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_event_elapsed_ms(start, end, &ms));
}

TEST_P(Conformance, RowB1_EventFlags) {
    ROWS("B1 B5 B6 D4");
    for (uint32_t flags = 0; flags < 16; ++flags) {
        const bool contradiction = (flags & GS_EVENT_TIMING) && (flags & GS_EVENT_INTERPROCESS);
        gs_event_t event = nullptr;
        if (contradiction) {
            EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_create, "timed", flags, &event);
            EXPECT_EQ(event, nullptr);
            continue;
        }
        ASSERT_OK(gs_event_create(flags, &event));
        Event owner(event);
        uint32_t answer = 99;
        answer = facts_of(event).flags;
        EXPECT_EQ(answer, flags);
    }
    gs_event_t event = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_create, "0x10", 0x11, &event);
}

TEST_P(Conformance, RowB5_BlockingEventsSynchronize) {
    Bytes bytes(1);
    Stream stream = make_stream();
    for (const uint32_t flags : {uint32_t{GS_EVENT_BLOCKING}, uint32_t{GS_EVENT_BLOCKING | GS_EVENT_TIMING}}) {
        Event event = make_event(flags);
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        bytes.set(stream, 0, static_cast<int32_t>(flags));
        ASSERT_OK(gs_event_record(event, stream));
        gate.open();
        EXPECT_OK(gs_event_synchronize(event));
        EXPECT_EQ(bytes[0], flags);
    }
}

} // namespace gs::test
