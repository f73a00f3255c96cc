// SPDX-License-Identifier: Apache-2.0
// The rules for publishing records, without a backend.
#include "core/event/event_hot.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace gs {
namespace {

constexpr uint32_t kOne = 11, kTwo = 12;

class Elision : public ::testing::Test {
protected:
    void SetUp() override { g_elide = 1; }
    void TearDown() override { g_elide = -1; } // read again

    uint64_t word() const { return event_.word.load(); }
    StreamSlot &stream(uint32_t uid) {
        stream_.uid = uid;
        return stream_;
    }

    EventSlot event_;
    StreamSlot stream_;
};

TEST_F(Elision, ARecordIsPublishedAgainstTheWordReadBeforeIt) {
    EXPECT_TRUE(never_recorded(word()));
    const uint64_t before = word();
    publish_record(event_, before, kOne);
    EXPECT_EQ(word(), record_word(kOne, word_ticket(before) + 1));
    EXPECT_TRUE(wait_is_void(event_, word(), stream(kOne)));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kTwo)));
}

TEST_F(Elision, ARecorderThatLostARaceElidesNothing) {
    const uint64_t before = word(); // both read the same word, then both call the driver
    publish_record(event_, before, kOne);
    publish_record(event_, before, kTwo);
    EXPECT_EQ(word_stream(word()), kUnknownStream) << "which of the two the driver has is unknown";
    EXPECT_EQ(word_ticket(word()), word_ticket(before) + 2);
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kOne)));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kTwo)));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kUnknownStream))) << "unknown is not equal to unknown";
}

TEST_F(Elision, CompleteIsAboutOneRecordOnly) {
    publish_record(event_, word(), kOne);
    const uint64_t first = word();
    EXPECT_FALSE(known_complete(event_, first));
    publish_record(event_, first, kTwo);
    publish_complete(event_, first); // a query that began before the second record
    EXPECT_FALSE(known_complete(event_, word())) << "an older record's completion was taken for the newer one's";
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kOne)));
    publish_complete(event_, word());
    EXPECT_TRUE(known_complete(event_, word()));
    EXPECT_TRUE(wait_is_void(event_, word(), stream(kOne)));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kUnknownStream))) << "default, per-thread and external streams";
}

TEST_F(Elision, AFailedRecordSpoilsWhatWasKnown) {
    const uint64_t never = word();
    spoil_record(event_, never);
    EXPECT_TRUE(never_recorded(word())) << "the first record failed: still never recorded";
    publish_record(event_, word(), kOne);
    publish_complete(event_, word());
    spoil_record(event_, word()); // it may have taken effect nevertheless
    EXPECT_FALSE(known_complete(event_, word()));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kOne)));
    EXPECT_FALSE(never_recorded(word()));
}

TEST_F(Elision, ForeignEventsAreNeverElided) {
    publish_record(event_, word(), kOne);
    publish_complete(event_, word());
    event_.traits = kEventForeign;
    EXPECT_FALSE(known_complete(event_, word()));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kOne)));
}

TEST_F(Elision, CanBeSwitchedOff) {
    publish_record(event_, word(), kOne);
    publish_complete(event_, word());
    setenv("GPUSTREAM_ELIDE", "0", 1);
    g_elide = -1;
    EXPECT_FALSE(may_elide());
    EXPECT_FALSE(known_complete(event_, word()));
    EXPECT_FALSE(wait_is_void(event_, word(), stream(kOne)));
    unsetenv("GPUSTREAM_ELIDE");
    g_elide = -1;
    EXPECT_TRUE(may_elide());
    EXPECT_TRUE(known_complete(event_, word()));
}

TEST_F(Elision, TicketsGrowWithEveryRecordOfManyThreads) {
    constexpr int kThreads = 4, kEach = 20'000;
    const uint64_t before = word_ticket(word());
    std::vector<std::thread> threads;
    for (uint32_t t = 1; t <= kThreads; ++t)
        threads.emplace_back([this, t] {
            for (int i = 0; i < kEach; ++i) publish_record(event_, word(), t);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(word_ticket(word()), before + uint64_t{kThreads} * kEach) << "two records shared a ticket";
}

} // namespace
} // namespace gs
