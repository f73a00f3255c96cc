// SPDX-License-Identifier: Apache-2.0
// Work in streams: in place or queued, delays, memory, priorities.
#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "unit/host_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;

class HostWork : public HostEngineTest {
protected:
    HostWork() : HostEngineTest(1) {}
};

TEST_F(HostWork, AnIdleStreamWorksInPlace) {
    Stream &s = stream();
    Event &e = event();
    char from[64] = "copied", to[64] = {};
    EXPECT_EQ(engine_->copy(s, to, from, sizeof to), Result::Ok);
    EXPECT_STREQ(to, "copied") << "without any synchronisation";
    EXPECT_EQ(engine_->fill(s, to, 'x', 3), Result::Ok);
    EXPECT_STREQ(to, "xxxied");
    EXPECT_EQ(engine_->event_record(e, s, false), Result::Ok);
    EXPECT_EQ(engine_->event_query(e), Result::Ok);
    EXPECT_EQ(engine_->stream_wait(s, e, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(s), Result::Ok);
    EXPECT_TRUE(s.spare_ops.empty()) << "nothing was ever queued";
}

TEST_F(HostWork, UserCodeNeverRunsOnTheCaller) {
    Stream &s = stream();
    std::thread::id ran_on;
    ASSERT_EQ(
        engine_->launch(s, Task{[](void *out) { *static_cast<std::thread::id *>(out) = std::this_thread::get_id(); },
                                nullptr, &ran_on}),
        Result::Ok);
    ASSERT_EQ(engine_->stream_synchronize(s), Result::Ok);
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST_F(HostWork, LargeCopiesAndBusyStreamsQueue) {
    Stream &s = stream();
    std::vector<char> from(1 << 20, 'a'), to(1 << 20, 'b');
    Gate gate(*engine_);
    gate.hold(s);
    ASSERT_EQ(engine_->copy(s, to.data(), from.data(), to.size()), Result::Ok);
    ASSERT_EQ(engine_->fill(s, to.data(), 'c', 1), Result::Ok);
    EXPECT_EQ(to[0], 'b');
    gate.open();
    ASSERT_EQ(engine_->stream_synchronize(s), Result::Ok);
    EXPECT_EQ(to[0], 'c');
    EXPECT_EQ(to[1], 'a');
    EXPECT_EQ(to.back(), 'a');
}

TEST_F(HostWork, PrioritiesAreClampedAndChooseWhoRunsFirst) {
    EXPECT_EQ(stream(100).priority, kLeastPriority);
    EXPECT_EQ(stream(-100).priority, kGreatestPriority);
    EXPECT_EQ(stream(-3).priority, -3);
    Stream &low = stream(0), &middle = stream(-2), &high = stream(-5), &blocker = stream();
    // The only worker is held while the others become ready.
    std::atomic<int> phase{0};
    auto hold = [](void *arg) {
        auto *p = static_cast<std::atomic<int> *>(arg);
        p->store(1);
        p->notify_all();
        p->wait(1);
    };
    ASSERT_EQ(engine_->launch(blocker, Task{hold, nullptr, &phase}), Result::Ok);
    phase.wait(0);
    mark(low, 0);
    mark(middle, -2);
    mark(high, -5);
    phase.store(2);
    phase.notify_all();
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(-5, -2, 0));
}

TEST_F(HostWork, DelaysOccupyNoWorker) {
    constexpr int kStreams = 300;
    Event &start = event({true, false, false}), &end = event({true, false, false});
    Stream *longest = nullptr;
    constexpr uint64_t kStep = 20000;
    for (int i = kStreams; i > 0; --i) {
        Stream &s = stream();
        if (i == kStreams) {
            longest = &s;
            ASSERT_EQ(engine_->event_record(start, s, false), Result::Ok);
        }
        ASSERT_EQ(engine_->sleep(s, static_cast<uint64_t>(i) * kStep), Result::Ok);
        mark(s, i);
        if (i == kStreams) {
            ASSERT_EQ(engine_->event_record(end, s, false), Result::Ok);
        }
    }
    ASSERT_EQ(engine_->stream_synchronize(*longest), Result::Ok);
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    EXPECT_EQ(trace_.entries().size(), static_cast<size_t>(kStreams));
    int64_t ns = 0;
    ASSERT_EQ(engine_->event_elapsed_ns(start, end, &ns), Result::Ok);
    EXPECT_GE(ns, static_cast<int64_t>(kStreams * kStep)) << "a delay is never shorter than requested";
    ASSERT_EQ(engine_->event_elapsed_ns(end, start, &ns), Result::Ok);
    EXPECT_LE(ns, -static_cast<int64_t>(kStreams * kStep));
    ASSERT_EQ(engine_->event_elapsed_ns(end, end, &ns), Result::Ok);
    EXPECT_EQ(ns, 0);
}

TEST_F(HostWork, ElapsedTellsWhatIsMissing) {
    Event &timed = event({true, false, false}), &plain = event(), &pending = event({true, false, false});
    Stream &s = stream();
    int64_t ns = 7;
    EXPECT_EQ(engine_->event_elapsed_ns(plain, timed, &ns), Result::TimingDisabled);
    EXPECT_EQ(engine_->event_elapsed_ns(timed, timed, &ns), Result::NotRecorded);
    ASSERT_EQ(engine_->event_record(timed, s, false), Result::Ok);
    Gate gate(*engine_);
    gate.hold(s);
    ASSERT_EQ(engine_->event_record(pending, s, false), Result::Ok);
    EXPECT_EQ(engine_->event_elapsed_ns(timed, pending, &ns), Result::NotReady);
    EXPECT_EQ(ns, 7);
    gate.open();
    ASSERT_EQ(engine_->event_synchronize(pending), Result::Ok);
    ASSERT_EQ(engine_->event_elapsed_ns(timed, pending, &ns), Result::Ok);
    EXPECT_GE(ns, 0);
}

TEST_F(HostWork, MemoryIsFreedInStreamOrder) {
    Stream &s = stream();
    void *memory = nullptr;
    ASSERT_EQ(engine_->malloc_async(s, 1000, &memory), Result::Ok);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
    Gate gate(*engine_);
    gate.hold(s);
    ASSERT_EQ(engine_->fill(s, memory, 1, 1000), Result::Ok);
    ASSERT_EQ(engine_->free_async(s, memory), Result::Ok);
    std::memset(memory, 2, 1000); // still valid: the free has not been reached (ASan checks)
    EXPECT_EQ(engine_->free_async(s, memory), Result::InvalidValue);
    int local = 0;
    EXPECT_EQ(engine_->free_async(s, &local), Result::InvalidValue);
    gate.open();
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
}

TEST_F(HostWork, ImpossibleSizesAreRefused) {
    void *memory = &memory;
    EXPECT_EQ(engine_->malloc_async(stream(), SIZE_MAX, &memory), Result::OutOfMemory);
    EXPECT_EQ(engine_->malloc_host(size_t{1} << 60, &memory), Result::OutOfMemory);
    EXPECT_EQ(memory, &memory);
}

TEST_F(HostWork, HostMemoryIsKnown) {
    std::vector<void *> blocks;
    for (int i = 0; i < 1000; ++i) {
        void *block = nullptr;
        ASSERT_EQ(engine_->malloc_host(64, &block), Result::Ok);
        blocks.push_back(block);
    }
    for (size_t i = 0; i < blocks.size(); i += 2) EXPECT_EQ(engine_->free_host(blocks[i]), Result::Ok);
    for (size_t i = 1; i < blocks.size(); i += 2) EXPECT_EQ(engine_->free_host(blocks[i]), Result::Ok) << i;
    for (void *block : blocks) EXPECT_EQ(engine_->free_host(block), Result::InvalidValue);
    EXPECT_EQ(engine_->free_host(&blocks), Result::InvalidValue);
}

} // namespace
} // namespace gs::host
