// SPDX-License-Identifier: Apache-2.0
// The transition tables of streams' and events' states, and the check that holds the library to them.
#include "core/life.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/slots.hpp"

namespace gs {
namespace {

constexpr int kStreamStates = static_cast<int>(StreamState::Dropped) + 1;
constexpr int kEventStates = static_cast<int>(EventState::Dropped) + 1;

template <typename State>
std::set<State> reachable_from(State start, int count) {
    std::set<State> found{start};
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (const State from : std::set<State>(found))
            for (int i = 0; i < count; ++i)
                if (life::may_follow(from, static_cast<State>(i))) found.insert(static_cast<State>(i));
    }
    return found;
}

TEST(Life, EveryStateIsReachedFromTheFirstOne) {
    EXPECT_EQ(reachable_from(StreamState::Bare, kStreamStates).size(), size_t{kStreamStates});
    EXPECT_EQ(reachable_from(EventState::Free, kEventStates).size(), size_t{kEventStates});
}

TEST(Life, OnlyCapturedAndDroppedSlotsAreNotUsedAgain) {
    for (int i = 0; i < kStreamStates; ++i) {
        const auto state = static_cast<StreamState>(i);
        const bool lost = state == StreamState::Captured || state == StreamState::Dropped;
        EXPECT_EQ(reachable_from(state, kStreamStates).count(StreamState::Alive) == 0, lost) << i;
    }
    for (int i = 0; i < kEventStates; ++i) {
        const auto state = static_cast<EventState>(i);
        EXPECT_EQ(reachable_from(state, kEventStates).count(EventState::Alive) == 0, state == EventState::Dropped) << i;
    }
}

// A slot that several threads used must leave its Reclaimer, which lets a grace period pass, before it has another handle.
TEST(Life, ARetiredSlotIsFreeBeforeItLivesAgain) {
    EXPECT_FALSE(life::may_follow(StreamState::Retired, StreamState::Alive));
    EXPECT_FALSE(life::may_follow(StreamState::Ended, StreamState::Alive));
    EXPECT_FALSE(life::may_follow(EventState::Retired, EventState::Alive));
}

TEST(Life, AStreamEndsBeforeItsSlotMovesOn) {
    EXPECT_EQ(life::followers(StreamState::Alive), life::set_of(StreamState::Zombie, StreamState::Ended));
    EXPECT_EQ(life::followers(StreamState::Zombie), life::set_of(StreamState::Alive, StreamState::Ended));
}

TEST(LifeDeathTest, AChangeThatTheTableDoesNotHaveStopsTheTests) {
    StreamSlot stream;
    EXPECT_DEATH(set_state(stream, StreamState::Alive), "broken rule");
    set_state(stream, StreamState::Bound);
    set_state(stream, StreamState::Alive);
    EXPECT_EQ(stream.state.load(), StreamState::Alive);
    EXPECT_DEATH(set_state(stream, StreamState::Limbo), "broken rule");
    EventSlot event;
    EXPECT_DEATH(set_state(event, EventState::Retired), "broken rule");
}

} // namespace
} // namespace gs
