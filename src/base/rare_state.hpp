// SPDX-License-Identifier: Apache-2.0
// States that few processes ever enter, as bits of one word: a hot call that depends on several of them tests them at
// once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

enum RareState : uint32_t {
    kRareBadFork = 1u << 0, // see fork_state.hpp
    kRareBridges = 1u << 1, // another library's current stream is led, followed, or yet to be restored (core/bridge)

    // Only calls that tools observe depend on these: the ordering checker (tools/check) and the log (tools/recorder).
    kRareChecked = 1u << 16,
    kRareCheckUndecided = 1u << 17, // whether it is on: the environment was not asked yet
    kRareLogged = 1u << 18,
    kRareLogUndecided = 1u << 19,
    kRareListened = 1u << 20, // a function hears of operations (tools/trace)

    // Calls that create objects depend on these (core/births.hpp).
    kRareBirths = 1u << 21,
    kRareBirthsUndecided = 1u << 22,
    // Calls that may block depend on this one, which is decided with the log (tools/recorder/sync_sites.hpp).
    kRareSyncs = 1u << 23,
    kRareDefaultStream = 1u << 24, // its use is warned of; minded by the calls that the log minds
    kRareNamesKept = 1u << 25, // of events that have none of the driver's yet (tools/trace/pending_names.hpp); likewise
    kRareTraced = 1u << 26,    // a trace runs: a part of kRareLogged
    // Launches of graphs depend on this one: a tool gets the names of those that have one
    // (tools/trace/launch_ranges.hpp).
    kRareLaunchesTold = 1u << 28,
};
inline constexpr uint32_t kRareAtStart = kRareCheckUndecided | kRareLogUndecided | kRareBirthsUndecided;
inline constexpr uint32_t kRareForEveryCall = 0xFFFF;

extern std::atomic<uint32_t> g_rare_state __attribute__((visibility("hidden")));

inline bool in_rare_state() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareForEveryCall) != 0; }
inline bool in_rare_or_observed_state() noexcept { return g_rare_state.load(std::memory_order_relaxed) != 0; }

} // namespace gs
