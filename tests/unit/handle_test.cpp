// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/slots.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

struct TestSlot : SlotBase {
    int payload = 0;
};
using Map = SlotMap<TestSlot, Kind::Event>;

// Far too large for a stack.
// Slots are never freed, so a map lives as long as the process; the list keeps it reachable.
Map *make_map() {
    static auto *const all = new std::vector<Map *>;
    all->push_back(new Map);
    return all->back();
}

uint64_t publish(Map &map, TestSlot &slot, uint32_t backend = 0) {
    const uint64_t handle = map.next_handle(slot, backend);
    slot.handle.store(handle);
    return handle;
}

TEST(HandleBits, PartsComeBack) {
    for (const Kind kind : {Kind::Stream, Kind::Event, Kind::Module, Kind::Kernel, Kind::Graph, Kind::GraphExec})
        for (const uint32_t backend : {0u, 1u, 7u})
            for (const uint32_t generation : {0u, 1u, UINT32_MAX})
                for (const uint32_t index : {0u, 1u, kMaxIndex}) {
                    const uint64_t handle = make_handle(kind, backend, generation, index);
                    EXPECT_EQ(handle_kind(handle), kind);
                    EXPECT_EQ(handle_backend(handle), backend);
                    EXPECT_EQ(handle_generation(handle), generation);
                    EXPECT_EQ(handle_index(handle), index);
                    EXPECT_GE(handle, uint64_t{1} << 48);
                    EXPECT_LT(handle, uint64_t{1} << 63) << "the sign bit is free";
                }
    EXPECT_EQ(handle_bits(GS_STREAM_CURRENT), kCurrentStreamBits);
}

TEST(SlotMap, FindsOnlyTheExactNumber) {
    auto map = make_map();
    TestSlot *slot = nullptr;
    ASSERT_EQ(map->take_fresh(&slot, 1), 1u);
    EXPECT_EQ(map->find(make_handle(Kind::Event, 0, 1, slot->index)), nullptr) << "not published yet";
    const uint64_t handle = publish(*map, *slot, 2);
    EXPECT_EQ(map->find(handle), slot);
    for (int bit = 0; bit < 64; ++bit) EXPECT_EQ(map->find(handle ^ (uint64_t{1} << bit)), nullptr) << bit;
    EXPECT_EQ(map->find(0), nullptr);
    for (const uint64_t at_index_0 : {make_handle(Kind::Event, 0, 1, 0), uint64_t{1} << kGenerationShift, uint64_t{1}})
        EXPECT_EQ(map->find(at_index_0), nullptr) << "no object lives at index 0";
    slot->handle.store(0);
    EXPECT_EQ(map->find(handle), nullptr);
    const uint64_t next = publish(*map, *slot, 2);
    EXPECT_NE(next, handle);
    EXPECT_EQ(map->find(handle), nullptr) << "stale";
    EXPECT_EQ(map->find(next), slot);
}

TEST(SlotMap, AnyNumberMayBeAsked) {
    auto map = make_map();
    std::vector<TestSlot *> slots(1000);
    ASSERT_EQ(map->take_fresh(slots.data(), 1000), 1000u);
    std::set<uint64_t> live;
    for (TestSlot *slot : slots) live.insert(publish(*map, *slot, 1));
    ASSERT_EQ(live.size(), 1000u);
    std::mt19937_64 random(20240229);
    for (int i = 0; i < 2'000'000; ++i) {
        const uint64_t number = random();
        ASSERT_EQ(map->find(number) != nullptr, live.count(number) == 1);
    }
    for (const uint64_t handle : live) ASSERT_NE(map->find(handle), nullptr);
}

TEST(SlotMap, SlotsStayWhereTheyAre) {
    auto map = make_map();
    std::vector<TestSlot *> first(300), later(3000);
    ASSERT_EQ(map->take_fresh(first.data(), 300), 300u);
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i]->index, i + 1);
    ASSERT_EQ(map->take_fresh(later.data(), 3000), 3000u);
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(map->at(static_cast<uint32_t>(i + 1)), first[i]);
    EXPECT_EQ(map->last_index(), 3300u);
    EXPECT_EQ(map->at(kMaxIndex), nullptr);
}

TEST(SlotMap, AGenerationIsNeverUsedTwice) {
    auto map = make_map();
    TestSlot *slot = nullptr;
    ASSERT_EQ(map->take_fresh(&slot, 1), 1u);
    slot->generation = UINT32_MAX - 2;
    EXPECT_FALSE(used_up(*slot));
    EXPECT_EQ(handle_generation(map->next_handle(*slot, 0)), UINT32_MAX - 1);
    EXPECT_EQ(handle_generation(map->next_handle(*slot, 0)), UINT32_MAX);
    EXPECT_TRUE(used_up(*slot));
}

TEST(SlotMap, FreshSlotsFromManyThreadsAreDistinct) {
    auto map = make_map();
    constexpr size_t kThreads = 8, kEach = 2000;
    std::vector<std::vector<TestSlot *>> taken(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < kEach; ++i) {
                TestSlot *slot = nullptr;
                ASSERT_EQ(map->take_fresh(&slot, 1), 1u);
                taken[t].push_back(slot);
            }
        });
    for (std::thread &thread : threads) thread.join();
    std::set<TestSlot *> all;
    for (const auto &list : taken) all.insert(list.begin(), list.end());
    EXPECT_EQ(all.size(), kThreads * kEach);
}

TEST(SlotMap, OwnershipIsSharedByASecondUser) {
    SlotBase slot;
    slot.handle.store(77);
    slot.owner.store(3);
    EXPECT_TRUE(note_use(slot, 77, 3));
    EXPECT_EQ(slot.owner.load(), 3u) << "its own thread changes nothing";
    EXPECT_TRUE(note_use(slot, 77, 4));
    EXPECT_EQ(slot.owner.load(), kManyOwners);
    slot.owner.store(3);
    slot.handle.store(0); // destroyed between the look-up and the mark
    EXPECT_FALSE(note_use(slot, 77, 4));
}

TEST(RecordWord, PartsComeBack) {
    for (const uint32_t uid : {0u, 1u, kLastStreamUid, kNeverRecorded})
        for (const uint64_t ticket : {uint64_t{0}, uint64_t{1}, kTicketMask}) {
            const uint64_t word = record_word(uid, ticket);
            EXPECT_EQ(word_stream(word), uid);
            EXPECT_EQ(word_ticket(word), ticket);
        }
    EXPECT_EQ(word_ticket(record_word(5, kTicketMask + 1)), 0u) << "wraps without touching the stream";
}

} // namespace
} // namespace gs
