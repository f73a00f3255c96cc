// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <gpustream.hpp>
#include <thread>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;
using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<timeline> && std::is_nothrow_move_constructible_v<timeline>);
static_assert(std::is_convertible_v<timeline, timeline_ref> && !std::is_convertible_v<uint64_t, timeline_ref>);

namespace {

TEST(Timelines, AWaitComesBeforeItsSignal) {
    const timeline ready = timeline::create(3);
    const stream producer = stream::create(0);
    const stream consumer = stream::create(1);
    std::atomic<int> order{0};
    consumer.wait(ready, 5);
    consumer.launch_host([&] { order.store(order.load() * 10 + 2); });
    EXPECT_FALSE(consumer.query());
    EXPECT_EQ(ready.value(), 3u);
    EXPECT_FALSE(ready.synchronize_for(5, 0s));
    producer.launch_host([&] { order.store(1); });
    producer.signal(ready, 5);
    ready.synchronize(5);
    consumer.synchronize();
    EXPECT_EQ(order.load(), 12);
    EXPECT_EQ(ready.value(), 5u);
    EXPECT_TRUE(ready.synchronize_for(4, 0s));
}

TEST(Timelines, ThreadsSignalAndWait) {
    const timeline turns = timeline::create();
    std::thread other([&] {
        turns.synchronize(1);
        turns.signal(2);
    });
    turns.signal(1);
    EXPECT_TRUE(turns.synchronize_for(2, 1h));
    other.join();
    EXPECT_EQ(failure_of([&] { turns.signal(2); }), status::invalid_argument) << "it only grows";
}

TEST(Timelines, AbortEndsWaits) {
    const timeline broken = timeline::create();
    const stream waiting = stream::create();
    waiting.wait(broken, 1);
    std::thread other([&] { EXPECT_EQ(failure_of([&] { broken.synchronize(1); }), status::out_of_memory); });
    broken.abort(status::out_of_memory);
    other.join();
    waiting.synchronize();
    EXPECT_EQ(failure_of([&] { static_cast<void>(broken.value()); }), status::out_of_memory);
    EXPECT_EQ(failure_of([&] { waiting.signal(broken, 2); }), status::out_of_memory);
    const timeline other_one = timeline::create();
    EXPECT_EQ(failure_of([&] { other_one.abort(status::timeout); }), status::invalid_argument);
    other_one.abort();
    EXPECT_EQ(failure_of([&] { other_one.signal(1); }), status::aborted);
}

TEST(Timelines, TheLastOwnersEndFreesStreams) {
    const stream waiting = stream::create();
    timeline first = timeline::create();
    timeline second = timeline::retain(first);
    waiting.wait(first, 1);
    first.close();
    EXPECT_FALSE(waiting.query());
    second.reset();
    waiting.synchronize();
    EXPECT_EQ(failure_of([&] { first.close(); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { static_cast<void>(timeline::retain(timeline_ref())); }), status::invalid_handle);
    EXPECT_EQ(failure_of([&] { waiting.wait(timeline_ref(), 1); }), status::invalid_handle);
}

TEST(Timelines, CirclesAreNamed) {
    const timeline mine = timeline::create();
    const timeline yours = timeline::create();
    const stream a = stream::create();
    const stream b = stream::create();
    a.wait(yours, 1);
    b.wait(mine, 1);
    a.signal(mine, 1);
    EXPECT_EQ(failure_of([&] { b.signal(yours, 1); }), status::deadlock);
    yours.signal(1);
    b.synchronize();
}

TEST(Timelines, RefusedInACapture) {
    const timeline one = timeline::create();
    const stream work = stream::create();
    capture recording(work);
    EXPECT_EQ(failure_of([&] { work.signal(one, 1); }), status::capturing);
    EXPECT_EQ(failure_of([&] { work.wait(one, 1); }), status::capturing);
    const graph recorded = recording.end();
    EXPECT_EQ(recorded.info().node_count, 0u);
}

TEST(Timelines, WordsOfTheProgramsOwn) {
    const host_buffer words = host_buffer::create(64);
    auto *word = words.as<uint32_t>();
    *word = 0;
    const stream work = stream::create();
    work.write_value(word, 7, value_flags::_32);
    work.wait_value(word, 7, value_flags::eq | value_flags::_32);
    work.wait_value(word, 6, value_flags::_32);
    work.synchronize();
    EXPECT_EQ(*word, 7u);
    EXPECT_EQ(failure_of([&] { work.write_value(nullptr, 1); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { work.wait_value(word, 1, value_flags::no_barrier); }), status::invalid_argument);
}

} // namespace
