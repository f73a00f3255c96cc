// SPDX-License-Identifier: Apache-2.0
// Timelines: signals and waits of streams and threads, in any order.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"
#include "support/timelines.hpp"

namespace gs::test {

TEST_P(Conformance, Timeline_AStreamSignalsWhenItsWorkIsDone) {
    ROWS("W16");
    Stream stream = make_stream(0);
    Timeline timeline(7);
    EXPECT_EQ(timeline.value(), 7u);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 9));
    EXPECT_EQ(timeline.value(), 7u);
    EXPECT_EQ(gs_timeline_synchronize(timeline, 8, 0), GS_ERROR_TIMEOUT);
    gate.open();
    EXPECT_OK(gs_timeline_synchronize(timeline, 8, -1));
    EXPECT_EQ(timeline.value(), 9u);
    EXPECT_OK(gs_timeline_synchronize(timeline, 3, 0));
}

// Where a driver has semaphores, tests/fault imports one.
TEST_P(Conformance, Timeline_WhatIsNoSemaphoreOfAnotherApi) {
    ASSERT_OK(gs_init());
    const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, 0, file, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_D3D12_FENCE + 1, file, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, -1, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_timeline_from_fd(1000, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_D3D12_FENCE, file, &timeline));
    EXPECT_STATUS(on_host() ? GS_ERROR_NOT_SUPPORTED : GS_ERROR_INVALID_ARGUMENT,
                  gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_EQ(timeline, nullptr);
    EXPECT_EQ(close(file), 0) << "it is still the caller's";
}

TEST_P(Conformance, Timeline_AWaitMayComeBeforeTheSignal) {
    ROWS("W16");
    GS_NEEDS_DEVICES(2);
    Stream waits = make_stream(0), signals = make_stream(0), third = make_stream(1);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(third, timeline, 3)); // of another device
    EXPECT_FALSE(done(waits.get()));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 1));
    ASSERT_OK(gs_timeline_synchronize(timeline, 1, -1));
    EXPECT_FALSE(done(waits.get()));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 2));
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_FALSE(done(third.get()));
    ASSERT_OK(gs_timeline_signal(timeline, 100)); // of the host, past the value
    EXPECT_OK(gs_stream_synchronize(third));
}

TEST_P(Conformance, Timeline_AWaitForASubmittedSignalUsesItsEvent) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    Gate gate, later;
    ASSERT_OK(gate.hold(signals));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 5));
    ASSERT_OK(later.hold(signals));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    EXPECT_FALSE(done(waits.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits)) << "what the other stream does after its signal does not matter";
    later.open();
}

// The larger signal is submitted, and waits for what the stream does once the smaller value is reached.
TEST_P(Conformance, Timeline_AWaitEndsWithASmallerSignalThatComesLater) {
    ROWS("W16");
    Stream larger = make_stream(0), waits = make_stream(0);
    Timeline timeline, back;
    ASSERT_OK(gs_stream_wait_timeline(larger, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(larger, back, 1));
    ASSERT_OK(gs_stream_signal_timeline(larger, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(waits, back, 1));
    EXPECT_FALSE(done(waits.get()));
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_OK(gs_stream_synchronize(larger));
    EXPECT_EQ(timeline.value(), 2u);
}

TEST_P(Conformance, Timeline_WhatIsReachedAndWhatTheStreamSignalsItselfNeedsNoCall) {
    Stream stream = make_stream(0), other = make_stream(0);
    Timeline timeline(3);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 4));
    StatsDelta delta;
    ASSERT_OK(gs_stream_wait_timeline(other, timeline, 3));
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 4));
    EXPECT_EQ(delta.driver_calls(), 0u);
    gate.open();
    EXPECT_OK(gs_stream_synchronize(stream));
}

// The work of a whole pipeline is submitted before its input exists.
TEST_P(Conformance, Timeline_AlternatingSignalsOfTwoStreams) {
    Stream ping = make_stream(0), pong = make_stream(0);
    Timeline timeline;
    constexpr uint64_t kRounds = 8;
    for (uint64_t i = 0; i < kRounds; ++i) { // all of one stream first: its signals wait for the other's
        ASSERT_OK(gs_stream_wait_timeline(ping, timeline, 2 * i + 1));
        ASSERT_OK(gs_stream_signal_timeline(ping, timeline, 2 * i + 2));
    }
    for (uint64_t i = 1; i < kRounds; ++i) {
        ASSERT_OK(gs_stream_wait_timeline(pong, timeline, 2 * i));
        ASSERT_OK(gs_stream_signal_timeline(pong, timeline, 2 * i + 1));
    }
    EXPECT_EQ(timeline.value(), 0u);
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    ASSERT_OK(gs_timeline_synchronize(timeline, 2 * kRounds, -1));
    EXPECT_EQ(timeline.value(), 2 * kRounds);
}

TEST_P(Conformance, Timeline_SignalsHappenInTheOrderOfTheirValues) {
    Stream held = make_stream(0), free = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    Gate gate;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_stream_signal_timeline(held, timeline, 5));
    ASSERT_OK(gs_stream_signal_timeline(free, timeline, 6)); // waits for 5
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 6));
    EXPECT_FALSE(done(free.get()));
    EXPECT_FALSE(done(waits.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 6u);
}

TEST_P(Conformance, Timeline_SignalsThatCannotKeepTheOrderAreRefused) {
    Stream stream = make_stream(0), other = make_stream(0);
    Timeline timeline(3);
    for (const uint64_t value : {uint64_t{0}, uint64_t{3}, uint64_t{INT64_MAX}, uint64_t{1} << 63, UINT64_MAX}) {
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, value));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(stream, timeline, value));
    }
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 10));
    for (gs_stream_t one : {stream.get(), other.get()}) {
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(one, timeline, 10));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(one, timeline, 9));
    }
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 10));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 11)) << "10 would set it back";
    EXPECT_OK(gs_timeline_signal(timeline, 9)) << "a smaller one may come first";
    gate.open();
    EXPECT_OK(gs_timeline_synchronize(timeline, 10, -1));
}

TEST_P(Conformance, Timeline_TheLargestValues) {
    Stream stream = make_stream(0);
    Timeline timeline(uint64_t{INT64_MAX} - 3);
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, uint64_t{INT64_MAX} - 2));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_timeline_signal(timeline, uint64_t{INT64_MAX} - 1));
    EXPECT_EQ(timeline.value(), uint64_t{INT64_MAX} - 1);
    gs_timeline_t none = timeline;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_create(0, INT64_MAX, 0, &none));
    EXPECT_EQ(none, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_create(0, 0, 2, &none));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_timeline(stream, timeline, INT64_MAX));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_synchronize(timeline, INT64_MAX, 0));
}

TEST_P(Conformance, Timeline_AThreadSignalsValuesOfMoreThan32Bits) {
    constexpr uint64_t kLarge = uint64_t{1} << 40;
    Timeline timeline(kLarge);
    for (const uint64_t value : {kLarge + 5, 3 * kLarge, 3 * kLarge + 1}) {
        ASSERT_OK(gs_timeline_signal(timeline, value));
        EXPECT_EQ(timeline.value(), value);
    }
}

TEST_P(Conformance, Timeline_AThreadIsWokenByEachKindOfSignal) {
    Stream stream = make_stream(0);
    Timeline timeline;
    std::atomic<uint64_t> seen{0};
    std::thread waits([&] {
        for (const uint64_t value : {1, 2, 3}) {
            EXPECT_OK(gs_timeline_synchronize(timeline, value, -1));
            seen = value;
        }
    });
    ASSERT_OK(gs_timeline_signal(timeline, 1));
    while (seen != 1) std::this_thread::yield();
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 2));
    while (seen != 2) std::this_thread::yield();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    EXPECT_EQ(seen, 2u);
    gate.open();
    waits.join();
    EXPECT_EQ(seen, 3u);
}

TEST_P(Conformance, Timeline_AHostFunctionMaySignal) {
    Stream stream = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 1));
    ASSERT_OK(gs_stream_launch_host(
        stream, [](void *raw) { EXPECT_OK(gs_timeline_signal(static_cast<gs_timeline_t>(raw), 1)); }, timeline.get()));
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, Timeline_References) {
    Timeline timeline(1);
    const gs_timeline_t raw = timeline;
    ASSERT_OK(gs_timeline_retain(raw));
    ASSERT_OK(gs_timeline_destroy(raw));
    EXPECT_EQ(timeline.value(), 1u);
    ASSERT_OK(gs_timeline_destroy(timeline.release()));
    uint64_t value = 5;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_timeline_value(raw, &value));
    EXPECT_EQ(value, 0u);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_timeline_destroy(raw));
    Timeline next;
    EXPECT_NE(next.get(), raw);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_timeline_signal(raw, 9));
    EXPECT_EQ(next.value(), 0u);
}

TEST_P(Conformance, Timeline_CapturesAreLeftIntact) {
    Stream stream = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_timeline(stream, timeline, 1));
    EXPECT_OK(gs_timeline_signal(timeline, 2)); // the host's calls do not concern the capture
    Timeline another;
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    end_capture(stream).reset();
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    EXPECT_OK(gs_timeline_synchronize(timeline, 3, -1));
}

TEST_P(Conformance, Timeline_OnTheSpecialStreams) {
    Timeline timeline;
    gs_stream_t standard = nullptr, per_thread = nullptr;
    ASSERT_OK(gs_default_stream(0, &standard));
    ASSERT_OK(gs_per_thread_stream(0, &per_thread));
    uint64_t value = 0;
    for (gs_stream_t one : {standard, per_thread, GS_STREAM_CURRENT}) {
        ASSERT_OK(gs_stream_signal_timeline(one, timeline, ++value));
        ASSERT_OK(gs_stream_wait_timeline(one, timeline, value));
        ASSERT_OK(gs_timeline_synchronize(timeline, value, -1));
    }
}

TEST_P(Conformance, Timeline_ManyStreamsWaitFirst) {
    constexpr size_t kStreams = 64;
    std::vector<Stream> streams;
    Timeline timeline;
    Stream other = make_stream(0);
    // All of them before any waits: a driver that makes a stream may wait for those that are held.
    for (size_t i = 0; i < kStreams; ++i) streams.push_back(make_stream(0));
    for (size_t i = 0; i < kStreams; ++i) ASSERT_OK(gs_stream_wait_timeline(streams[i], timeline, i + 1));
    ASSERT_OK(gs_stream_synchronize(other));
    // By the host: on a GPU a stream's signal may be behind one of the waits in their hardware queue.
    for (size_t i = 0; i < kStreams; ++i) ASSERT_OK(gs_timeline_signal(timeline, i + 1));
    for (Stream &stream : streams) EXPECT_OK(gs_stream_synchronize(stream));
}

} // namespace gs::test
