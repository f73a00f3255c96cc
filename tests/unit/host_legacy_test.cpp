// SPDX-License-Identifier: Apache-2.0
// The implicit order of the default stream, and the default streams of threads.
#include <gmock/gmock.h>

#include <thread>

#include "unit/host_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;

class HostLegacy : public HostEngineTest {
protected:
    HostLegacy() : HostEngineTest(1) {}
    Stream &legacy() { return engine_->legacy_stream(device()); }
    Stream &per_thread() {
        Stream *mine = nullptr;
        EXPECT_EQ(engine_->per_thread_stream(*this_thread(), device(), &mine), Result::Ok);
        return *mine;
    }
};

TEST_F(HostLegacy, OrdersBlockingStreamsBeforeAndAfter) {
    Stream &a = stream(0, true), &b = stream(0, true);
    Gate gate(*engine_);
    gate.hold(a);
    mark(a, 1);
    mark(legacy(), 2);
    mark(b, 3); // b was idle; it must still come after the default stream's work
    EXPECT_EQ(engine_->stream_query(legacy()), Result::NotReady);
    EXPECT_EQ(engine_->stream_query(b), Result::NotReady);
    gate.open();
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2, 3));
}

TEST_F(HostLegacy, ExemptsNonBlockingStreams) {
    Stream &blocking = stream(0, true), &free = stream(0, false);
    Gate gate(*engine_);
    gate.hold(blocking);
    mark(legacy(), 1);
    mark(free, 2);
    ASSERT_EQ(engine_->stream_synchronize(free), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(2));
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(legacy()), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(2, 1));
}

TEST_F(HostLegacy, ARecordCoversAllBlockingStreams) {
    Stream &a = stream(0, true), &b = stream(0, true);
    Gate first(*engine_), second(*engine_);
    first.hold(a);
    second.hold(b);
    Event &e = event();
    ASSERT_EQ(engine_->event_record(e, legacy(), false), Result::Ok);
    first.open();
    ASSERT_EQ(engine_->stream_synchronize(a), Result::Ok);
    EXPECT_EQ(engine_->event_query(e), Result::NotReady);
    second.open();
    EXPECT_EQ(engine_->event_synchronize(e), Result::Ok);
}

TEST_F(HostLegacy, AWaitIsAnActionInIt) {
    Stream &source = stream(), &blocking = stream(0, true);
    Event &e = event();
    Gate gate(*engine_);
    gate.hold(source);
    ASSERT_EQ(engine_->event_record(e, source, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(legacy(), e, false), Result::Ok);
    mark(blocking, 1);
    EXPECT_EQ(engine_->stream_query(blocking), Result::NotReady);
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(blocking), Result::Ok);
}

TEST_F(HostLegacy, QueryAndSynchronizeCoverBlockingStreams) {
    Stream &a = stream(0, true);
    EXPECT_EQ(engine_->stream_query(legacy()), Result::Ok);
    Gate gate(*engine_);
    gate.hold(a);
    EXPECT_EQ(engine_->stream_query(legacy()), Result::NotReady);
    std::thread opener([&] { gate.open(); });
    EXPECT_EQ(engine_->stream_synchronize(legacy()), Result::Ok);
    EXPECT_EQ(engine_->stream_query(a), Result::Ok);
    EXPECT_EQ(engine_->stream_query(legacy()), Result::Ok);
    opener.join();
}

TEST_F(HostLegacy, EveryNewSubmissionIsJoinedAgain) {
    Stream &a = stream(0, true);
    for (int round = 0; round < 50; ++round) {
        Gate gate(*engine_);
        gate.hold(a);
        mark(a, 3 * round);
        mark(legacy(), 3 * round + 1);
        mark(a, 3 * round + 2);
        if (round % 2 == 0) gate.open(); // else by the destructor, with the next round not yet submitted
    }
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    std::vector<int> expected;
    for (int i = 0; i < 150; ++i) expected.push_back(i);
    EXPECT_EQ(trace_.entries(), expected);
}

TEST_F(HostLegacy, ADestroyedBlockingStreamIsJoinedUntilItsWorkIsDone) {
    Stream &a = stream(0, true);
    Gate gate(*engine_);
    gate.hold(a);
    mark(a, 1);
    engine_->stream_destroy(a);
    mark(legacy(), 2);
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(legacy()), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2));
    // Idle streams leave the device's lists when destroyed.
    for (int i = 0; i < 100; ++i) {
        Stream &temporary = stream(0, true);
        mark(temporary, 0);
        engine_->stream_destroy(temporary);
    }
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
}

TEST_F(HostLegacy, PerThreadStreamsAreApartButOrderedWithTheDefaultStream) {
    Stream &mine = per_thread();
    EXPECT_EQ(&per_thread(), &mine);
    Gate gate(*engine_);
    gate.hold(mine);
    Stream *other = nullptr;
    std::thread thread([&] {
        other = &per_thread();
        EXPECT_NE(other, &mine);
        mark(*other, 1);
        EXPECT_EQ(engine_->stream_synchronize(*other), Result::Ok) << "not held by the first thread's stream";
        mark(legacy(), 2);
        mark(*other, 3);
        EXPECT_EQ(engine_->stream_query(*other), Result::NotReady) << "behind the default stream, which waits for both";
    });
    thread.join(); // the thread ends with work pending in its stream
    EXPECT_EQ(engine_->find_stream(reinterpret_cast<uintptr_t>(other)), nullptr);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
    gate.open();
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2, 3));
}

} // namespace
} // namespace gs::host
