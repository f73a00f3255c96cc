// SPDX-License-Identifier: Apache-2.0
// Threads that come to record an event wait while its maker is about to publish a record, each of them.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/event/recorders.hpp"

namespace gs {
namespace {

constexpr std::chrono::milliseconds kLong{20}; // for a thread that does not wait to have gone on

struct Other {
    explicit Other(EventSlot &event)
        : thread([this, &event] {
              join_recorders(*this_thread(), event);
              joined = true;
          }) {}
    std::atomic<bool> joined{false};
    std::thread thread;
};

TEST(Recorders, AllOthersWaitForTheMaker) {
    EventSlot event;
    ThreadBlock &maker = *this_thread();
    event.owner = maker.id;
    maker.publishing = &event;
    Other first(event);
    while (records_alone(maker, event)) std::this_thread::yield();
    Other second(event); // finds that another thread has come before
    std::this_thread::sleep_for(kLong);
    EXPECT_FALSE(first.joined);
    EXPECT_FALSE(second.joined);
    maker.publishing = nullptr;
    first.thread.join();
    second.thread.join();
    EXPECT_EQ(event.owner.load(), kManyOwners);
    EXPECT_FALSE(records_alone(maker, event));
}

TEST(Recorders, TheMakerOfAnotherEventKeepsNoThreadWaiting) {
    EventSlot event, another;
    event.owner = this_thread()->id;
    this_thread()->publishing = &another;
    Other other(event);
    other.thread.join();
    EXPECT_TRUE(other.joined);
    this_thread()->publishing = nullptr;
}

TEST(Recorders, AReaderEndsNothing) {
    EventSlot event;
    ThreadBlock &maker = *this_thread();
    event.owner = maker.id | kUsedByOthers;
    EXPECT_TRUE(records_alone(maker, event));
    join_recorders(maker, event);
    EXPECT_EQ(event.owner.load(), maker.id | kUsedByOthers);
    const uint64_t before = event.word.load();
    EXPECT_EQ(publish_own_record(maker, event, before, 7), record_word(7, word_ticket(before) + 1));
    EXPECT_EQ(word_stream(event.word.load()), 7u);
    EXPECT_EQ(publish_own_record(maker, event, before, 9), 0u) << "the word is not what it was before the record";
    EXPECT_EQ(word_stream(event.word.load()), kUnknownStream);
}

} // namespace
} // namespace gs
