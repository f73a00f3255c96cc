// SPDX-License-Identifier: Apache-2.0
// Which record a wait binds to, and which record an event reports on.
#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Case01_UnrecordedEventIsDone) {
    ROWS("B2 B17 D5 D6 J4");
    Stream stream = make_stream();
    Event event = make_event(GS_EVENT_TIMING);
    Event other = make_event(GS_EVENT_TIMING);
    gs_device_t device = 0;
    uintptr_t native = 1;
    uint64_t id = 1;
    const StatsDelta stats;
    EXPECT_OK(gs_event_device(event, &device));
    EXPECT_EQ(device, GS_DEVICE_NONE);
    EXPECT_OK(gs_event_native(event, &native));
    EXPECT_EQ(native, 0u);
    EXPECT_OK(gs_event_id(event, &id));
    EXPECT_EQ(id, 0u);
    EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_event_wait(event, stream));
    EXPECT_OK(gs_stream_wait_event(stream, event));
    double ms = 1;
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms(event, other, &ms));
    EXPECT_EQ(ms, 0.0);
    EXPECT_EQ(stats.driver_calls(), 0u) << "never recorded needs no driver, with or without elision";
}

TEST_P(Conformance, Case02_RerecordWhilePending) {
    ROWS("B8 B10");
    Bytes bytes(1);
    Stream first = make_stream(), waiting = make_stream(), second = make_stream();
    Event event = make_event();
    Gate old_gate, new_gate;
    ASSERT_OK(old_gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_event_wait(event, waiting));
    bytes.set(waiting, 0, 1);
    ASSERT_OK(new_gate.hold(second));
    ASSERT_OK(gs_event_record(event, second));
    EXPECT_FALSE(done(waiting.get()));
    old_gate.open();
    ASSERT_OK(gs_stream_synchronize(waiting)); // hangs if the wait had moved to the new record
    EXPECT_EQ(bytes[0], 1);
    EXPECT_FALSE(done(event.get())) << "the query refers to the new record";
    new_gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
}

TEST_P(Conformance, Case03_RerecordBehindOwnWait) {
    Bytes bytes(1);
    Stream source = make_stream(), sink = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_OK(gs_event_wait(event, sink));
    bytes.set(sink, 0, 7);
    ASSERT_OK(gs_event_record(event, sink)); // a backend that looks up the event late waits for itself
    EXPECT_FALSE(done(event.get()));
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_EQ(bytes[0], 7);
}

TEST_P(Conformance, Case04_OlderRecordCompletes) {
    Stream first = make_stream(), second = make_stream();
    Event event = make_event();
    Gate old_gate, new_gate;
    ASSERT_OK(old_gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(new_gate.hold(second));
    ASSERT_OK(gs_event_record(event, second));
    old_gate.open();
    ASSERT_OK(gs_stream_synchronize(first));
    EXPECT_FALSE(done(event.get())) << "the older record's completion is not the newer one's";
    new_gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
}

TEST_P(Conformance, Case05_DestroyEventWithPendingWait) {
    ROWS("B9");
    Bytes bytes(2);
    Stream source = make_stream(), sink = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    bytes.set(source, 0, 5);
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_OK(gs_event_wait(event, sink));
    const gs_event_t dead = event.release();
    ASSERT_OK(gs_event_destroy(dead));
    int32_t answer = 1;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_query(dead, &answer));
    EXPECT_EQ(answer, 0);
    bytes.copy(sink, 1, 0);
    EXPECT_FALSE(done(sink.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(sink));
    EXPECT_EQ(bytes[1], 5) << "the copy ran before the work that the destroyed event covered";
}

TEST_P(Conformance, Case07_ReusedEventLeavesOldWaitersAlone) {
    Bytes bytes(2);
    Stream source = make_stream(), sink = make_stream(), elsewhere = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    bytes.set(source, 0, 9);
    gs_event_t old = nullptr;
    ASSERT_OK(gs_event_create(0, &old));
    ASSERT_OK(gs_event_record(old, source));
    ASSERT_OK(gs_event_wait(old, sink));
    ASSERT_OK(gs_event_destroy(old));
    for (int i = 0; i < 300; ++i) { // the old driver event is reused, on an idle stream
        Event next = make_event();
        ASSERT_NE(next.get(), old);
        ASSERT_OK(gs_event_record(next, elsewhere));
        ASSERT_OK(gs_event_synchronize(next));
    }
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(old, elsewhere));
    bytes.copy(sink, 1, 0);
    EXPECT_FALSE(done(sink.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(sink));
    EXPECT_EQ(bytes[1], 9);
}

TEST_P(Conformance, Case08_RecordOnAnotherDevice) {
    ROWS("B3 B7 A19");
    GS_NEEDS_DEVICES(2);
    Stream here = make_stream(0), there = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, here));
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_event_record, "does not match recording stream's device", event, there);
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_stream_record_event, "1", there, event);
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_event_device(event, &device));
    EXPECT_EQ(device, 0) << "bound permanently by the first record";
    EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_event_record(event, here));
}

TEST_P(Conformance, Case09_WaitFromAnotherDevice) {
    ROWS("B4");
    GS_NEEDS_DEVICES(2);
    Bytes bytes(2);
    Stream here = make_stream(0), there = make_stream(1);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(here));
    bytes.set(here, 0, 3);
    ASSERT_OK(gs_event_record(event, here));
    EXPECT_OK(gs_event_wait(event, there));
    bytes.copy(there, 1, 0);
    EXPECT_FALSE(done(there.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(there));
    EXPECT_EQ(bytes[1], 3);
}

TEST_P(Conformance, Case16_DoneStaysDone) {
    ROWS("B11 A11");
    Stream stream = make_stream(), busy = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_synchronize(event));
    Gate gate;
    ASSERT_OK(gate.hold(stream)); // later work of the same stream does not change that
    ASSERT_OK(gate.hold(busy));
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(done(event.get()));
    EXPECT_FALSE(done(stream.get()));
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_FALSE(done(event.get())) << "a new record does";
    gate.open();
    ASSERT_OK(gs_event_synchronize(event));
    ASSERT_OK(gs_stream_synchronize(busy));
}

TEST_P(Conformance, Case06_DestroyStreamWithPendingWork) {
    Bytes bytes(1);
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream));
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    bytes.set(stream, 0, 4);
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_destroy(stream)); // returns although the work cannot run yet
    int32_t answer = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_query, "was destroyed", stream, &answer);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(stream));
    EXPECT_FALSE(done(event.get()));
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_EQ(bytes[0], 4);
}

TEST_P(Conformance, RowJ1_NothingBlocksWhileAStreamIsHeld) {
    ROWS("A8 A9 A10 J1 J3 B21");
    Bytes bytes(4);
    Stream held = make_stream(), sink = make_stream();
    Event middle = make_event();
    Gate gate, later;
    ASSERT_OK(gate.hold(held));
    bytes.set(held, 0, 1);
    EXPECT_OK(gs_stream_record_event(held, middle));
    EXPECT_OK(later.hold(held)); // an event is a point in the middle of its stream
    EXPECT_OK(gs_stream_wait_event(sink, middle));
    bytes.copy(sink, 1, 0);
    EXPECT_FALSE(done(held.get()));
    EXPECT_FALSE(done(sink.get()));
    EXPECT_FALSE(done(middle.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(sink));
    EXPECT_EQ(bytes[1], 1);
    EXPECT_FALSE(done(held.get()));
    ASSERT_OK(gs_stream_wait_stream(sink, held)); // for all work submitted to it so far
    bytes.set(sink, 2, 1);
    EXPECT_FALSE(done(sink.get()));
    later.open();
    ASSERT_OK(gs_stream_synchronize(sink));
    EXPECT_TRUE(done(held.get()));
}

TEST_P(Conformance, RowA9_WaitStreamCoversOnlyEarlierWork) {
    ROWS("A9 C12");
    Stream source = make_stream(), sink = make_stream();
    Gate early, late;
    ASSERT_OK(early.hold(source));
    ASSERT_OK(gs_stream_wait_stream(sink, source));
    ASSERT_OK(late.hold(source)); // submitted after the wait: not waited for
    EXPECT_FALSE(done(sink.get()));
    early.open();
    EXPECT_OK(gs_stream_synchronize(sink)); // hangs if it waited for the later gate
    EXPECT_FALSE(done(source.get()));
    EXPECT_OK(gs_stream_wait_stream(sink, sink));
    EXPECT_OK(gs_stream_synchronize(sink));
    late.open();
    EXPECT_OK(gs_stream_synchronize(source));
}

} // namespace gs::test
