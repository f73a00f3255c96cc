// SPDX-License-Identifier: Apache-2.0
// Queues of completions: one entry per add, with token and status, in an order that agrees with happens-before.
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"
#include "support/entries.hpp"

namespace gs::test {
TEST_P(Conformance, Queue_DeliversWhenTheWorkSoFarIsDone) {
    Stream stream = make_stream(0);
    Queue queue;
    Gate gate, later;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 42));
    ASSERT_OK(later.hold(stream));
    EXPECT_EQ(queue.poll(), 0u);
    gate.open();
    const gs_completion_t entry = queue.take_one(); // although later work is pending
    EXPECT_EQ(entry.token, 42u);
    EXPECT_EQ(entry.status, GS_OK);
    EXPECT_EQ(entry.native_code, 0);
    EXPECT_EQ(entry.device, 0);
    EXPECT_NE(entry.time_ns, 0u);
    EXPECT_FALSE(done(stream.get()));
    later.open();
}

TEST_P(Conformance, Queue_StreamsAndEventsDoNotWaitForEachOther) {
    Stream held = make_stream(0), free = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gs_event_record(event, held));
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_queue_add_stream(queue, held, 1));
    ASSERT_OK(gs_queue_add_stream(queue, free, 2));
    ASSERT_OK(gs_queue_add_event(queue, event, 3)); // its record lies before the gate
    const auto entries = queue.take(2);
    EXPECT_EQ(entries[0].token + entries[1].token, 5u);
    EXPECT_EQ(queue.poll(), 0u);
    gate.open();
    EXPECT_EQ(queue.take_one().token, 1u);
}

TEST_P(Conformance, Queue_AnEventsEntryIsForTheRecordItHad) {
    Stream first = make_stream(0), second = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate old_gate, new_gate;
    ASSERT_OK(old_gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_queue_add_event(queue, event, 1));
    ASSERT_OK(gs_event_synchronize_for(event, 1) == GS_ERROR_TIMEOUT ? GS_OK : GS_ERROR_INTERNAL);
    ASSERT_OK(new_gate.hold(second));
    ASSERT_OK(gs_event_record(event, second));
    ASSERT_OK(gs_queue_add_event(queue, event, 2));
    old_gate.open();
    EXPECT_EQ(queue.take_one().token, 1u);
    EXPECT_EQ(queue.poll(), 0u);
    EXPECT_FALSE(done(event.get()));
    new_gate.open();
    EXPECT_EQ(queue.take_one().token, 2u);
    EXPECT_TRUE(done(event.get()));
}

// From then on other code has the driver's event, and so the next record is one of the same.
TEST_P(Conformance, Queue_AnEventIsGivenOutWhileItsEntryIsPending) {
    Stream first = make_stream(0), second = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate old_gate;
    uintptr_t native = 0;
    ASSERT_OK(old_gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    ASSERT_OK(gs_queue_add_event(queue, event, 1));
    ASSERT_OK(gs_event_native(event, &native));
    ASSERT_OK(gs_stream_begin_capture(second, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_record, "waits for the event", event, second);
    EXPECT_TRUE(end_capture(second));
    ASSERT_OK(gs_event_record(event, second));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(queue.poll(), 0u) << "the record that the entry waits for is pending";
    old_gate.open();
    EXPECT_EQ(queue.take_one().status, GS_OK);
    EXPECT_OK(gs_event_synchronize(event));
    uintptr_t same = 0;
    EXPECT_OK(gs_event_native(event, &same));
    EXPECT_EQ(same, native);
}

TEST_P(Conformance, Queue_EventsThatNeedNoWait) {
    Stream stream = make_stream(0);
    Event never = make_event(), complete = make_event();
    Queue queue;
    ASSERT_OK(gs_event_record(complete, stream));
    ASSERT_OK(gs_event_synchronize(complete));
    ASSERT_OK(gs_queue_add_event(queue, never, 1));
    ASSERT_OK(gs_queue_add_event(queue, complete, 2));
    const auto entries = queue.take(2);
    EXPECT_EQ(entries[0].token, 1u);
    EXPECT_EQ(entries[1].token, 2u);
    EXPECT_EQ(entries[1].status, GS_OK);
}

// Others may record an exported event: a stream of the library waits for it. It is in the pool already, since a driver may
// wait for all work when it makes one.
TEST_P(Conformance, Queue_ExportedEvents) {
    Stream stream = make_stream(0);
    make_stream(0).reset();
    Event exported = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(exported, stream));
    uintptr_t native = 0;
    ASSERT_OK(gs_event_native(exported, &native));
    EXPECT_NE(native, 0u);
    ASSERT_OK(gs_queue_add_event(queue, exported, 1));
    exported.reset();
    EXPECT_EQ(queue.poll(), 0u);
    gate.open();
    EXPECT_EQ(queue.take_one().status, GS_OK);
}

TEST_P(Conformance, Queue_OutlivesStreamAndEvent) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_queue_add_event(queue, event, 1));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 2));
    event.reset();
    stream.reset();
    ASSERT_OK(gs_trim());
    Event reused = make_event(); // may get the slot, but not the driver's event that is waited for
    ASSERT_OK(gs_event_record(reused, other));
    ASSERT_OK(gs_event_synchronize(reused));
    EXPECT_EQ(queue.poll(), 0u);
    gate.open();
    const auto entries = queue.take(2);
    EXPECT_EQ(entries[0].token, 1u);
    EXPECT_EQ(entries[1].token, 2u);
}

// What b waits for is delivered before b's entry, whichever the scanner looks at first.
TEST_P(Conformance, Queue_OrderAgreesWithHappensBefore) {
    constexpr int kStreams = 8;
    std::vector<Stream> streams;
    for (int i = 0; i < kStreams; ++i) streams.push_back(make_stream(0));
    for (int round = 0; round < 50; ++round) {
        Queue queue;
        Gate gate;
        ASSERT_OK(gate.hold(streams[0]));
        ASSERT_OK(gs_queue_add_stream(queue, streams[0], 0));
        for (size_t i = 1; i < kStreams; ++i) {
            ASSERT_OK(gs_stream_wait_stream(streams[i], streams[i - 1]));
            ASSERT_OK(gs_queue_add_stream(queue, streams[i], i));
        }
        gate.open();
        const auto entries = queue.take(kStreams);
        for (size_t i = 0; i < kStreams; ++i) ASSERT_EQ(entries[i].token, i) << "round " << round;
    }
}

TEST_P(Conformance, Queue_CapacityCountsWhatIsNotTaken) {
    Stream stream = make_stream(0);
    Queue queue(2);
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 2));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_FULL, gs_queue_add_stream(queue, stream, 3));
    EXPECT_EQ(queue.take(2).size(), 2u);
    ASSERT_OK(gs_queue_add_stream(queue, stream, 4));
    EXPECT_EQ(queue.take_one().token, 4u);
    EXPECT_EQ(queue.poll(), 0u) << "what was refused has no entry";
    gs_queue_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_create(0, 0, &none));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_queue_create(1, 1, &none));
    Queue large(0x80000000u);
    ASSERT_OK(gs_queue_add_stream(large, stream, 5));
    EXPECT_EQ(large.take_one().token, 5u);
}

TEST_P(Conformance, Queue_CancelledEntriesComeNowAndOnce) {
    Stream stream = make_stream(0);
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    for (uint64_t token : {7, 8, 7}) ASSERT_OK(gs_queue_add_stream(queue, stream, token));
    size_t count = 0;
    EXPECT_OK(gs_queue_cancel(queue, 7, &count));
    EXPECT_EQ(count, 2u);
    EXPECT_OK(gs_queue_cancel(queue, 7, &count));
    EXPECT_EQ(count, 0u);
    for (const gs_completion_t &entry : queue.take(2)) {
        EXPECT_EQ(entry.token, 7u);
        EXPECT_EQ(entry.status, GS_ERROR_CANCELLED);
    }
    gate.open();
    EXPECT_EQ(queue.take_one().token, 8u);
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(queue.poll(), 0u);
}

TEST_P(Conformance, Queue_IsDestroyedWithEntriesPending) {
    Stream stream = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    {
        Queue queue;
        ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
        ASSERT_OK(gs_queue_retain(queue));
        ASSERT_OK(gs_queue_destroy(queue));
        ASSERT_OK(gs_queue_wake(queue)) << "one reference is left";
    }
    Queue next; // may have the slot; the old entry is not its
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_queue_add_stream(next, stream, 2));
    EXPECT_EQ(next.take_one().token, 2u);
    EXPECT_EQ(next.poll(), 0u);
}

TEST_P(Conformance, Queue_ManyStreamsAtOnce) {
    constexpr size_t kStreams = 200;
    std::vector<Stream> streams; // all before the gate closes: a driver may wait for all work when it makes a stream
    for (size_t i = 0; i < kStreams; ++i) streams.push_back(make_stream(0));
    Queue queue(kStreams);
    Stream first = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(first));
    for (size_t i = 0; i < kStreams; ++i) {
        ASSERT_OK(gs_stream_wait_stream(streams[i], first));
        ASSERT_OK(gs_queue_add_stream(queue, streams[i], i));
    }
    gate.open();
    std::vector<int> seen(kStreams);
    for (const gs_completion_t &entry : queue.take(kStreams)) ++seen.at(entry.token);
    EXPECT_EQ(seen, std::vector<int>(kStreams, 1));
}

TEST_P(Conformance, Queue_NotificationsKeepHappensBeforeToo) {
    Stream a = make_stream(0), b = make_stream(0);
    std::atomic<int> order{0}, first{0}, second{0};
    struct Note {
        std::atomic<int> *order, *place;
    } notes[2] = {{&order, &first}, {&order, &second}};
    const auto told = [](void *opaque, gs_status_t) {
        Note &note = *static_cast<Note *>(opaque);
        *note.place = ++*note.order;
    };
    for (int round = 0; round < 50; ++round) {
        order = first = second = 0;
        Gate gate;
        ASSERT_OK(gate.hold(a));
        ASSERT_OK(gs_stream_notify(a, told, &notes[0]));
        ASSERT_OK(gs_stream_wait_stream(b, a));
        ASSERT_OK(gs_stream_notify(b, told, &notes[1]));
        gate.open();
        while (second == 0) std::this_thread::yield();
        ASSERT_EQ(first, 1);
        ASSERT_EQ(second, 2);
    }
}

} // namespace gs::test
