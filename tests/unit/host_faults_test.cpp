// SPDX-License-Identifier: Apache-2.0
// Latched devices, captures, and threads that cannot be started.
#include <gmock/gmock.h>

#include <thread>

#include "base/testing.hpp"
#include "unit/host_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostFaults : public HostEngineTest {};

TEST_F(HostFaults, PendingWorkIsDroppedAndWaitersReturn) {
    Stream &s = stream();
    Event &e = event();
    void *memory = nullptr;
    ASSERT_EQ(engine_->malloc_async(s, 100, &memory), Result::Ok);
    Gate gate(*engine_);
    gate.hold(s);
    mark(s, 1);
    ASSERT_EQ(engine_->free_async(s, memory), Result::Ok);
    ASSERT_EQ(engine_->event_record(e, s, false), Result::Ok);
    std::thread event_waiter([&] { EXPECT_EQ(engine_->event_synchronize(e), Result::Faulted); });
    std::thread stream_waiter([&] { EXPECT_EQ(engine_->stream_synchronize(s), Result::Faulted); });
    std::thread device_waiter([&] { EXPECT_EQ(engine_->device_synchronize(device()), Result::Faulted); });
    engine_->latch(device(), FaultKind::Sticky, 700, "a kernel");
    engine_->latch(device(), FaultKind::ContextLost, 1, "too late");
    event_waiter.join(); // although the gate is still closed
    stream_waiter.join();
    device_waiter.join();
    EXPECT_NE(device().health.load(), 0u);
    EXPECT_EQ(engine_->fault(device()).code, 700);
    EXPECT_STREQ(engine_->fault(device()).origin, "a kernel");
    EXPECT_EQ(engine_->stream_query(s), Result::Faulted);
    EXPECT_EQ(engine_->event_query(e), Result::Faulted);
    EXPECT_EQ(engine_->event_record(e, s, false), Result::Faulted);
    EXPECT_EQ(engine_->stream_wait(s, e, false), Result::Faulted);
    EXPECT_EQ(engine_->sleep(s, 1), Result::Faulted);
    Stream *none = nullptr;
    EXPECT_EQ(engine_->stream_create(device(), 0, false, &none), Result::Faulted);
    Event *no_event = nullptr;
    EXPECT_EQ(engine_->event_create(device(), {}, &no_event), Result::Faulted);
    gate.open();
    while (is_busy(s)) std::this_thread::yield();
    engine_->event_destroy(e);
    engine_->stream_destroy(s);
    EXPECT_EQ(engine_->stream_query(stream(0, false, 1)), Result::Ok) << "the other device is healthy";
    engine_->clear_fault(device());
    Stream &fresh = stream();
    mark(fresh, 2);
    EXPECT_EQ(engine_->stream_synchronize(fresh), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(2)) << "dropped work was not run later";
}

TEST_F(HostFaults, AFaultInTheMiddleSkipsWhatComesAfter) {
    Stream &s = stream();
    Gate gate(*engine_);
    gate.hold(s);
    mark(s, 1);
    ASSERT_EQ(engine_->fault_later(s, 719, "late"), Result::Ok);
    mark(s, 2);
    gate.open();
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Faulted);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
}

// A stream that has dropped what came after a fault is idle like any other: the answer has to say which one it is.
TEST_F(HostFaults, AreSeenByWhoeverFindsTheStreamIdleAfterThem) {
    constexpr int kRounds = 300;
    Stream &s = stream();
    for (int round = 0; round < kRounds; ++round) {
        Gate gate(*engine_);
        gate.hold(s);
        ASSERT_EQ(engine_->fault_later(s, 719, "late"), Result::Ok);
        std::thread opener([&] { gate.open(); });
        Result result = Result::NotReady;
        if (round % 3 == 0) result = engine_->stream_synchronize(s);
        if (round % 3 == 1) result = engine_->device_synchronize(device());
        if (round % 3 == 2)
            while (result == Result::NotReady) result = engine_->stream_query(s);
        opener.join();
        ASSERT_EQ(result, Result::Faulted) << round;
        while (is_busy(s)) std::this_thread::yield();
        engine_->clear_fault(device());
    }
}

TEST_F(HostFaults, SleepersWake) {
    Stream &s = stream(), &other = stream(0, false, 1);
    Event &e = event();
    ASSERT_EQ(engine_->sleep(s, UINT64_MAX), Result::Ok);
    ASSERT_EQ(engine_->sleep(other, 1000), Result::Ok);
    ASSERT_EQ(engine_->event_record(e, s, false), Result::Ok);
    std::thread waiter([&] { EXPECT_EQ(engine_->event_synchronize(e), Result::ContextLost); });
    engine_->latch(device(), FaultKind::ContextLost, 0, "reset");
    waiter.join();
    EXPECT_EQ(engine_->stream_synchronize(other), Result::Ok);
    while (is_busy(s)) std::this_thread::yield(); // the stream itself drains: its sleep has ended
}

// The worker may have found the device healthy and be about to put the stream to sleep when the others are woken.
TEST_F(HostFaults, NoStreamFallsAsleepAfterTheFault) {
    constexpr int kRounds = 20000;
    Stream &s = stream();
    for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(engine_->sleep(s, UINT64_MAX), Result::Ok);
        engine_->latch(device(), FaultKind::Sticky, 700, "a kernel");
        while (is_busy(s)) std::this_thread::yield();
        engine_->clear_fault(device());
    }
}

TEST_F(HostFaults, AFailedRecordReleasesOtherDevices) {
    Stream &s = stream(), &other = stream(0, false, 1);
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(s);
    ASSERT_EQ(engine_->event_record(e, s, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(other, e, false), Result::Ok);
    mark(other, 1);
    engine_->latch(device(), FaultKind::Sticky, 700, "x");
    gate.open();
    EXPECT_EQ(engine_->stream_synchronize(other), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
}

TEST_F(HostFaults, ACapturedStreamIsNotAsked) {
    Stream &s = stream(), &outside = stream();
    Event &inside_event = event(), &outside_event = event();
    ASSERT_EQ(engine_->event_record(outside_event, outside, false), Result::Ok);
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    EXPECT_EQ(engine_->capture_begin(s, {}), Result::StreamCapturing);
    mark(s, 1);
    EXPECT_EQ(engine_->stream_query(s), Result::StreamCapturing);
    EXPECT_EQ(engine_->stream_synchronize(s), Result::StreamCapturing);
    EXPECT_EQ(engine_->device_synchronize(device()), Result::StreamCapturing);
    EXPECT_EQ(engine_->stream_wait(s, outside_event, false), Result::CaptureIsolation);
    EXPECT_EQ(engine_->stream_wait(s, outside_event, true), Result::Ok);
    ASSERT_EQ(engine_->event_record(inside_event, s, false), Result::Ok);
    EXPECT_EQ(engine_->event_query(inside_event), Result::CapturedEvent);
    EXPECT_EQ(engine_->event_synchronize(inside_event), Result::CapturedEvent);
    EXPECT_EQ(engine_->stream_wait(outside, inside_event, false), Result::Ok);
    EXPECT_NE(Engine::capture_of(outside), 0u) << "it has joined";
    EXPECT_EQ(Engine::capture_of(outside), Engine::capture_of(s));
    ASSERT_EQ(engine_->capture_abort(s), Result::Ok);
    EXPECT_EQ(engine_->capture_abort(s), Result::NotCapturing);
    EXPECT_EQ(engine_->event_query(inside_event), Result::CaptureEnded);
    EXPECT_EQ(engine_->stream_query(s), Result::Ok);
    EXPECT_EQ(engine_->stream_query(outside), Result::Ok);
    EXPECT_THAT(trace_.entries(), IsEmpty()) << "captured work is not executed";
    ASSERT_EQ(engine_->event_record(inside_event, s, false), Result::Ok);
    EXPECT_EQ(engine_->event_query(inside_event), Result::Ok);
}

TEST_F(HostFaults, CapturesDoNotMix) {
    Stream &a = stream(), &b = stream(), &blocking = stream(0, true);
    Stream &legacy = engine_->legacy_stream(device());
    Event &e = event();
    ASSERT_EQ(engine_->capture_begin(a, {}), Result::Ok);
    ASSERT_EQ(engine_->capture_begin(b, {}), Result::Ok);
    ASSERT_EQ(engine_->event_record(e, a, false), Result::Ok);
    EXPECT_EQ(engine_->stream_wait(b, e, false), Result::CaptureMerge);
    EXPECT_EQ(engine_->stream_query(legacy), Result::Ok);
    EXPECT_EQ(engine_->capture_begin(legacy, {}), Result::StreamCapturing);
    ASSERT_EQ(engine_->capture_begin(blocking, {}), Result::Ok);
    EXPECT_EQ(engine_->stream_query(legacy), Result::CaptureImplicit);
    EXPECT_EQ(engine_->sleep(legacy, 1), Result::CaptureImplicit);
    engine_->stream_destroy(blocking); // ends its capture
    EXPECT_EQ(engine_->stream_query(legacy), Result::Ok);
    ASSERT_EQ(engine_->capture_abort(a), Result::Ok);
    ASSERT_EQ(engine_->capture_abort(b), Result::Ok);
}

class HostThreadStart : public HostEngineTest {
protected:
    ~HostThreadStart() override { gs::testing::fail_thread_starts.store(0); }
};

TEST_F(HostThreadStart, NoWorkerIsAStatusAndNothingHappened) {
    Stream &s = stream();
    gs::testing::fail_thread_starts.store(1);
    bool ran = false;
    auto task = [](void *arg) { *static_cast<bool *>(arg) = true; };
    EXPECT_EQ(engine_->launch(s, Task{task, nullptr, &ran}), Result::System);
    EXPECT_EQ(this_thread()->pending.status, GS_ERROR_SYSTEM);
    EXPECT_STREQ(this_thread()->pending.native_function, "pthread_create");
    EXPECT_EQ(engine_->stream_query(s), Result::Ok) << "the stream is as it was";
    EXPECT_EQ(engine_->launch(s, Task{task, nullptr, &ran}), Result::Ok) << "the next attempt may succeed";
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
    EXPECT_TRUE(ran);
}

TEST_F(HostThreadStart, NoTimerIsAStatusAndNothingHappened) {
    Stream &s = stream();
    gs::testing::fail_thread_starts.store(1);
    EXPECT_EQ(engine_->sleep(s, 1000), Result::System);
    EXPECT_EQ(engine_->stream_query(s), Result::Ok);
    EXPECT_EQ(engine_->sleep(s, 1000), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
}

} // namespace
} // namespace gs::host
