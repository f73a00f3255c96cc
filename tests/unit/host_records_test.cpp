// SPDX-License-Identifier: Apache-2.0
// Which record a wait, a query and a synchronisation are bound to.
#include <gmock/gmock.h>

#include <thread>

#include "unit/host_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;

class HostRecords : public HostEngineTest {};
class HostRecordsOneWorker : public HostEngineTest {
protected:
    HostRecordsOneWorker() : HostEngineTest(1) {}
};

TEST_F(HostRecords, NeverRecordedIsComplete) {
    Event &e = event();
    Stream &s = stream();
    Gate gate(*engine_);
    gate.hold(s);
    EXPECT_EQ(engine_->event_query(e), Result::Ok);
    EXPECT_EQ(engine_->event_synchronize(e), Result::Ok);
    Stream &t = stream();
    EXPECT_EQ(engine_->stream_wait(t, e, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(t), Result::Ok);
}

TEST_F(HostRecords, AnEarlierWaitIsReleasedByTheOldRecord) {
    Stream &first = stream(), &second = stream(), &waiting = stream();
    Event &e = event();
    Gate old_gate(*engine_), new_gate(*engine_);
    old_gate.hold(first);
    new_gate.hold(second);
    ASSERT_EQ(engine_->event_record(e, first, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(waiting, e, false), Result::Ok);
    mark(waiting, 1);
    ASSERT_EQ(engine_->event_record(e, second, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(waiting), Result::NotReady);
    old_gate.open();
    ASSERT_EQ(engine_->stream_synchronize(waiting), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
    EXPECT_EQ(engine_->event_query(e), Result::NotReady) << "the query is about the newest record";
    new_gate.open();
    EXPECT_EQ(engine_->event_synchronize(e), Result::Ok);
    EXPECT_EQ(engine_->event_query(e), Result::Ok);
}

// An engine whose waits look at the event when they run waits here for a record behind itself.
TEST_F(HostRecordsOneWorker, ARecordBehindItsOwnWaitIsNoDeadlock) {
    Stream &first = stream(), &second = stream();
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(first);
    ASSERT_EQ(engine_->event_record(e, first, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(second, e, false), Result::Ok);
    ASSERT_EQ(engine_->event_record(e, second, false), Result::Ok);
    gate.open();
    EXPECT_EQ(engine_->event_synchronize(e), Result::Ok);
}

TEST_F(HostRecords, AnOlderCompletionIsNotTheNewerOnes) {
    Stream &first = stream(), &second = stream();
    Event &e = event();
    Gate first_gate(*engine_), second_gate(*engine_);
    first_gate.hold(first);
    second_gate.hold(second);
    ASSERT_EQ(engine_->event_record(e, first, false), Result::Ok);
    ASSERT_EQ(engine_->event_record(e, second, false), Result::Ok);
    first_gate.open();
    ASSERT_EQ(engine_->stream_synchronize(first), Result::Ok);
    EXPECT_EQ(engine_->event_query(e), Result::NotReady);
}

TEST_F(HostRecords, AQueryIsFalseWhileTheLastTaskStillRuns) {
    Stream &s = stream();
    std::atomic<bool> running{false}, leave{false};
    struct Flags {
        std::atomic<bool> *running, *leave;
    } flags{&running, &leave};
    auto task = [](void *arg) {
        auto *f = static_cast<Flags *>(arg);
        f->running->store(true);
        f->running->notify_all();
        f->leave->wait(false);
    };
    ASSERT_EQ(engine_->launch(s, Task{task, nullptr, &flags}), Result::Ok);
    running.wait(false);
    EXPECT_EQ(engine_->stream_query(s), Result::NotReady);
    leave.store(true);
    leave.notify_all();
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
    EXPECT_EQ(engine_->stream_query(s), Result::Ok);
}

TEST_F(HostRecords, AWaitOutlivesItsEvent) {
    Stream &recorded = stream(), &waiting = stream();
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(recorded);
    mark(recorded, 1);
    ASSERT_EQ(engine_->event_record(e, recorded, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(waiting, e, false), Result::Ok);
    mark(waiting, 2);
    const auto address = reinterpret_cast<uintptr_t>(&e);
    engine_->event_destroy(e);
    EXPECT_EQ(engine_->find_event(address), nullptr);
    Event &reused = event(); // most likely the same slot, but with new records
    EXPECT_EQ(engine_->event_query(reused), Result::Ok);
    EXPECT_EQ(engine_->stream_query(waiting), Result::NotReady);
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(waiting), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2));
}

TEST_F(HostRecords, ADestroyedStreamStillDoesItsWork) {
    Stream &s = stream();
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(s);
    mark(s, 1);
    ASSERT_EQ(engine_->event_record(e, s, false), Result::Ok);
    const auto address = reinterpret_cast<uintptr_t>(&s);
    engine_->stream_destroy(s);
    EXPECT_EQ(engine_->find_stream(address), nullptr);
    EXPECT_NE(&stream(), &s) << "the slot is in use until the work is done";
    EXPECT_EQ(engine_->event_query(e), Result::NotReady);
    gate.open();
    EXPECT_EQ(engine_->event_synchronize(e), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
}

TEST_F(HostRecords, AWaitMayCrossDevices) {
    Stream &here = stream(0, false, 0), &there = stream(0, false, 1);
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(here);
    ASSERT_EQ(engine_->event_record(e, here, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(there, e, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(there), Result::NotReady);
    gate.open();
    EXPECT_EQ(engine_->stream_synchronize(there), Result::Ok);
}

TEST_F(HostRecords, DeviceSynchronizeIgnoresLaterWork) {
    Stream &before = stream(), &after = stream();
    Gate first(*engine_), second(*engine_);
    first.hold(before);
    mark(before, 1);
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
        EXPECT_EQ(engine_->device_synchronize(device()), Result::Ok);
        returned.store(true);
    });
    // The waiter is listed once it has taken its snapshot.
    for (;;) {
        MutexLock lock(device().fault_lock);
        if (device().waits) break;
    }
    second.hold(after);
    EXPECT_FALSE(returned.load());
    first.open();
    waiter.join();
    EXPECT_EQ(engine_->stream_query(after), Result::NotReady);
}

TEST_F(HostRecordsOneWorker, ThousandsOfParkedStreamsNeedOneWorker) {
    constexpr int kStreams = 2000;
    Gate gate(*engine_);
    Stream *previous = &stream();
    gate.hold(*previous);
    for (int i = 0; i < kStreams; ++i) {
        Event &e = event();
        ASSERT_EQ(engine_->event_record(e, *previous, false), Result::Ok);
        Stream &next = stream();
        ASSERT_EQ(engine_->stream_wait(next, e, false), Result::Ok);
        mark(next, i);
        engine_->event_destroy(e);
        previous = &next;
    }
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(*previous), Result::Ok);
    std::vector<int> expected;
    for (int i = 0; i < kStreams; ++i) expected.push_back(i);
    EXPECT_EQ(trace_.entries(), expected);
}

} // namespace
} // namespace gs::host
