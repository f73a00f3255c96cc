// SPDX-License-Identifier: Apache-2.0
// Words of memory: streams that wait for them cost no worker, and are released by writes, stores and faults.
#include <gmock/gmock.h>

#include "unit/host_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;

class HostWords : public HostEngineTest {
protected:
    HostWords() : HostEngineTest(1) {} // one worker: a wait that held it would stop everything

    WordWait at_least(uint64_t &word, uint64_t value) { return {&word, value, WordTest::Geq, 8}; }
};

TEST_F(HostWords, ManyWaitsHoldNoWorker) {
    constexpr int kStreams = 100;
    uint64_t word = 0;
    Stream &free = stream();
    for (int i = 1; i <= kStreams; ++i) {
        Stream &waits = stream();
        ASSERT_EQ(engine_->wait_value(waits, at_least(word, static_cast<uint64_t>(i))), Result::Ok);
        mark(waits, i);
    }
    mark(free, 0);
    ASSERT_EQ(engine_->stream_synchronize(free), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(0));
    ASSERT_EQ(engine_->write_value(free, {&word, kStreams, 8}), Result::Ok);
    ASSERT_EQ(engine_->device_synchronize(device()), Result::Ok);
    EXPECT_EQ(trace_.entries().size(), kStreams + 1u);
}

TEST_F(HostWords, AnIdleStreamWritesInPlace) {
    uint64_t word = 0;
    ASSERT_EQ(engine_->write_value(stream(), {&word, 7, 8}), Result::Ok);
    EXPECT_EQ(word, 7u);
    Stream &s = stream();
    ASSERT_EQ(engine_->wait_value(s, at_least(word, 7)), Result::Ok);
    EXPECT_TRUE(s.spare_ops.empty()) << "nothing was queued";
}

TEST_F(HostWords, AStoreOfTheProgramIsFound) {
    std::atomic<uint64_t> word{0};
    Stream &s = stream();
    ASSERT_EQ(engine_->wait_value(s, {&word, 3, WordTest::Eq, 8}), Result::Ok);
    EXPECT_EQ(engine_->stream_query(s), Result::NotReady);
    word = 3;
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
    ASSERT_EQ(engine_->wait_value(s, {&word, 4, WordTest::Eq, 8}), Result::Ok);
    word = 4;
    engine_->value_written(&word); // and at once where the engine is called
    EXPECT_EQ(engine_->stream_synchronize(s), Result::Ok);
}

// A wait that was met is over, even if the word changes back before the stream runs.
TEST_F(HostWords, AMetWaitStaysMet) {
    uint64_t word = 0;
    Stream &waits = stream(), &writes = stream();
    Gate gate(*engine_);
    ASSERT_EQ(engine_->wait_value(waits, {&word, 1, WordTest::Eq, 8}), Result::Ok);
    mark(waits, 1);
    ASSERT_EQ(engine_->write_value(writes, {&word, 0, 8}), Result::Ok);
    while (engine_->stream_query(waits) == Result::NotReady) {
        ASSERT_EQ(engine_->write_value(writes, {&word, 1, 8}), Result::Ok);
        ASSERT_EQ(engine_->write_value(writes, {&word, 0, 8}), Result::Ok);
    }
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
}

TEST_F(HostWords, AFaultReleasesTheDevicesStreams) {
    uint64_t word = 0;
    Stream &broken = stream(), &healthy = stream(0, false, 1);
    ASSERT_EQ(engine_->wait_value(broken, at_least(word, 1)), Result::Ok);
    mark(broken, 1);
    ASSERT_EQ(engine_->wait_value(healthy, at_least(word, 1)), Result::Ok);
    mark(healthy, 2);
    engine_->latch(device(), FaultKind::Sticky, 700, "a test");
    EXPECT_EQ(engine_->wait_value(broken, at_least(word, 1)), Result::Faulted);
    EXPECT_EQ(engine_->write_value(broken, {&word, 1, 8}), Result::Faulted);
    EXPECT_EQ(engine_->stream_query(healthy), Result::NotReady);
    ASSERT_EQ(engine_->write_value(stream(0, false, 1), {&word, 1, 8}), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(healthy), Result::Ok);
    EXPECT_THAT(trace_.entries(), ElementsAre(2)) << "the work of the broken device is dropped";
}

TEST_F(HostWords, CapturesRefuseThem) {
    uint64_t word = 0;
    Stream &s = stream();
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    EXPECT_EQ(engine_->write_value(s, {&word, 1, 8}), Result::StreamCapturing);
    EXPECT_EQ(engine_->wait_value(s, at_least(word, 1)), Result::StreamCapturing);
    EXPECT_EQ(engine_->capture_abort(s), Result::Ok);
    EXPECT_EQ(word, 0u);
}

} // namespace
} // namespace gs::host
