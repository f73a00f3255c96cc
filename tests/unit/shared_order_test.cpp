// SPDX-License-Identifier: Apache-2.0
// The order of signals of several processes, on memory of this one: each member is a thread.
#include "core/timeline/shared_order.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "core/timeline/shared_members.hpp"

namespace gs {
namespace {

struct SharedMemory {
    std::unique_ptr<TimelineShared> memory = std::make_unique<TimelineShared>();
    TimelineShared *operator->() const { return memory.get(); }
    TimelineShared &operator*() const { return *memory; }
    uint64_t value() const { return __atomic_load_n(&memory->word, __ATOMIC_SEQ_CST); }
};

gs_status_t claim(SharedMemory &shared, uint32_t member, uint64_t value, uint64_t behind = 0,
                  SignalBefore *before = nullptr) {
    SignalBefore unused{};
    return claim_signal(*shared, member, value, behind, before ? before : &unused).code;
}

TEST(SharedOrder, SignalsStandBehindTheLargestSmallerOne) {
    SharedMemory shared;
    SignalBefore before{};
    EXPECT_EQ(claim(shared, 0, 5, 0, &before), GS_OK);
    EXPECT_EQ(before.value, 0u);
    EXPECT_EQ(claim(shared, 1, 9, 0, &before), GS_OK);
    EXPECT_EQ(before.value, 5u);
    EXPECT_EQ(before.member, 0u);
    EXPECT_EQ(claim(shared, 2, 9), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(claim(shared, 2, 7), GS_ERROR_INVALID_ARGUMENT) << "9 does not wait for it";
    EXPECT_EQ(claim(shared, 0, 12, 11), GS_OK);
    EXPECT_EQ(claim(shared, 1, 11, 0, &before), GS_OK) << "12 waits for it";
    EXPECT_EQ(before.value, 9u);
    EXPECT_EQ(before.member, 1u);
    shared->word = 11;
    EXPECT_EQ(claim(shared, 1, 11), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(claim(shared, 1, 13, 0, &before), GS_OK);
    EXPECT_EQ(before.value, 12u);
}

TEST(SharedOrder, ThreadsOvertakeNoSignal) {
    SharedMemory shared;
    EXPECT_EQ(claim(shared, 0, 5), GS_OK);
    EXPECT_EQ(claim_for_thread(*shared, 1, 5).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(claim_for_thread(*shared, 1, 6).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(claim_for_thread(*shared, 1, 4).code, GS_OK);
    EXPECT_EQ(claim(shared, 2, 3), GS_ERROR_INVALID_ARGUMENT) << "taken, although the word does not say so yet";
    EXPECT_EQ(claim_for_thread(*shared, 2, 4).code, GS_ERROR_INVALID_ARGUMENT);
    shared->word = 5;
    EXPECT_EQ(claim_for_thread(*shared, 2, 6).code, GS_OK);
}

TEST(SharedOrder, TakenBack) {
    SharedMemory shared;
    EXPECT_EQ(claim(shared, 0, 5), GS_OK);
    EXPECT_FALSE(unclaim_signal(*shared, 0, 5));
    EXPECT_FALSE(unclaim_signal(*shared, 0, 5)) << "it is not there";
    EXPECT_EQ(claim(shared, 1, 4), GS_OK);
    EXPECT_EQ(claim(shared, 0, 6), GS_OK);
    EXPECT_TRUE(unclaim_signal(*shared, 1, 4)) << "6 waits for it";
    EXPECT_FALSE(unclaim_signal(*shared, 0, 6));
}

TEST(SharedOrder, Room) {
    SharedMemory shared;
    for (uint64_t i = 1; i <= kSharedSignalsAhead; ++i) EXPECT_EQ(claim(shared, i % 16, 10 * i, 10 * i - 1), GS_OK);
    EXPECT_EQ(claim(shared, 0, 1000, 999), GS_ERROR_FULL);
    for (uint64_t i = 2; i <= 15; ++i) EXPECT_EQ(claim(shared, 0, 10 * i - 1, 9), GS_OK) << i;
    EXPECT_EQ(claim(shared, 0, 199), GS_ERROR_FULL);
    EXPECT_EQ(claim(shared, 0, 9), GS_OK) << "what all others wait for";
    EXPECT_EQ(claim(shared, 0, 8), GS_ERROR_INVALID_ARGUMENT);
    shared->word = 10 * (kSharedSignalsAhead - 1);
    EXPECT_EQ(claim(shared, 0, 1000), GS_OK);
}

// A distance that does not fit into a table counts as none: what could be in between is refused.
TEST(SharedOrder, FarBehind) {
    SharedMemory shared;
    EXPECT_EQ(claim(shared, 0, (uint64_t{1} << 62), 1), GS_OK);
    EXPECT_EQ(claim(shared, 1, 1), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(claim(shared, 1, (uint64_t{1} << 62) + 7, (uint64_t{1} << 62) + 6), GS_OK);
    EXPECT_EQ(claim(shared, 0, (uint64_t{1} << 62) + 6), GS_OK);
}

// Whatever another process of the user writes into the memory: calls return.
TEST(SharedOrder, GarbageInTheMemory) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        SharedMemory shared;
        const auto bytes = reinterpret_cast<unsigned char *>(shared->tables);
        for (size_t i = 0; i < sizeof shared->tables; i += sizeof(uint64_t)) {
            const uint64_t word = random() >> random() % 64;
            std::memcpy(bytes + i, &word, sizeof word);
        }
        shared->present.store(random());
        SignalBefore before{};
        (void)claim_signal(*shared, 3, random() >> 2, random() >> 2, &before);
        EXPECT_LT(before.member, kTimelineMembers);
        (void)unclaim_signal(*shared, 2, random() >> 2);
        (void)claim_for_thread(*shared, 1, random() >> 2);
    }
}

// Members that signal at the same time, each after the one that it has to wait for: the word never gets smaller.
TEST(SharedOrder, MembersAtTheSameTime) {
    constexpr uint32_t kMembers = 4;
    constexpr int kSignals = 3000;
    SharedMemory shared;
    std::atomic<int> set_back{0};
    const auto work = [&](uint32_t member) {
        std::mt19937_64 random(member);
        for (int done = 0; done < kSignals;) {
            const uint64_t value = shared.value() + 1 + random() % 8;
            if (random() % 4 == 0) {
                if (!claim_for_thread(*shared, member, value).ok()) continue;
                uint64_t seen = shared.value(); // raises, as raise_word() does
                while (seen < value && !__atomic_compare_exchange_n(&shared->word, &seen, value, false,
                                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
            } else {
                SignalBefore before{};
                if (!claim_signal(*shared, member, value, 0, &before).ok()) continue;
                do std::this_thread::yield(); // another member submits what is larger
                while (shared.value() < before.value);
                if (__atomic_exchange_n(&shared->word, value, __ATOMIC_SEQ_CST) >= value) ++set_back;
            }
            ++done;
        }
    };
    std::vector<std::thread> threads;
    for (uint32_t member = 0; member < kMembers; ++member) threads.emplace_back(work, member);
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(set_back, 0);
}

TEST(SharedMembers, TheLastOneEndsIt) {
    SharedMemory shared;
    ProcessIdentity self;
    ASSERT_TRUE(own_identity(&self));
    found_members(*shared, self);
    uint32_t member = 99;
    EXPECT_TRUE(join_members(*shared, self, &member).ok());
    EXPECT_EQ(member, 1u);
    EXPECT_FALSE(leave_members(*shared, 0));
    EXPECT_TRUE(join_members(*shared, self, &member).ok());
    EXPECT_EQ(member, 0u) << "the place is free again";
    EXPECT_FALSE(leave_members(*shared, 0));
    EXPECT_EQ(shared.value(), 0u);
    EXPECT_TRUE(leave_members(*shared, 1));
    EXPECT_EQ(shared.value(), (uint64_t{1} << 63) - 1);
    EXPECT_EQ(join_members(*shared, self, &member).code, GS_ERROR_INVALID_HANDLE);
}

// A process that ended between the two steps of taking a place, or of giving it back, keeps none.
TEST(SharedMembers, HalfTakenPlaces) {
    SharedMemory shared;
    ProcessIdentity self;
    ASSERT_TRUE(own_identity(&self));
    found_members(*shared, self);
    ProcessIdentity ended = self;
    ended.start_time += 1; // of this number there is no such process
    for (uint32_t place = 1; place < kTimelineMembers; ++place) shared->members[place].store(process_word(ended));
    DeadProcesses dead;
    EXPECT_FALSE(has_lost_member(*shared, 0, self, dead)) << "it had no part yet";
    for (uint32_t place = 1; place < kTimelineMembers; ++place) {
        uint32_t member = 0;
        EXPECT_TRUE(join_members(*shared, self, &member).ok());
        EXPECT_EQ(member, place);
    }
    uint32_t member = 0;
    EXPECT_EQ(join_members(*shared, self, &member).code, GS_ERROR_FULL);
    shared->members[5].store(process_word(ended)); // with its bit
    DeadProcesses later;
    EXPECT_TRUE(has_lost_member(*shared, 0, self, later));
    EXPECT_FALSE(has_lost_member(*shared, 5, self, later)) << "oneself is not asked about";
}

TEST(SharedMembers, TheFirstStatusStays) {
    SharedMemory shared;
    abort_shared(*shared, GS_ERROR_PEER_LOST);
    abort_shared(*shared, GS_ERROR_ABORTED);
    EXPECT_EQ(shared_status(*shared), GS_ERROR_PEER_LOST);
    EXPECT_EQ(shared.value(), (uint64_t{1} << 63) - 1);
}

} // namespace
} // namespace gs
