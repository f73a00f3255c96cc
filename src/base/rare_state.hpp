// SPDX-License-Identifier: Apache-2.0
// States that few processes ever enter, as bits of one word: a hot call that depends on several of them tests them at
// once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/core_data.hpp"

namespace gs {

enum RareState : uint32_t {
    kRareBadFork = 1u << 0, // see fork_state.hpp
    kRareBridges = 1u << 1, // another library's current stream is led, followed, or yet to be restored (core/bridge)

    // Only calls that tools observe depend on these: the ordering checker (tools/check) and the log (tools/recorder).
    kRareToolsUndecided = 1u << 16, // whether one of them is on: the environment was not asked yet (core/hooks)
    kRareChecked = 1u << 17,
    kRareLogged = 1u << 18,
    kRareListened = 1u << 19, // a function hears of operations (tools/trace)

    // Calls that create objects depend on this one, and on whether it is decided (core/hooks/tool_hooks.hpp).
    kRareBirths = 1u << 20,
    // Calls that may block depend on this one, likewise (core/hooks/tool_hooks.hpp).
    kRareSyncs = 1u << 21,
    kRareDefaultStream = 1u << 22, // its use is warned of; minded by the calls that the log minds
    kRareNamesKept = 1u << 23,     // of events that have none of the driver's yet (tools/trace/nvtx_tool.hpp); likewise
    kRareTraced = 1u << 24,        // a trace runs: a part of kRareLogged
    // Launches of graphs depend on this one: a tool gets the names of those that have one
    // (tools/trace/nvtx_tool.cpp).
    kRareLaunchesTold = 1u << 25,
};
inline constexpr uint32_t kRareAtStart = kRareToolsUndecided;
inline constexpr uint32_t kRareForEveryCall = 0xFFFF;

GS_CORE_DATA(std::atomic<uint32_t>, g_rare_state);

// Gets memory of the host backend before it goes back to the process's allocator, which gives it to other code. Locks of the
// backend may be held. nullptr: no tool asks.
using HeapListener = void (*)(void *memory, size_t bytes) noexcept;
GS_CORE_DATA(std::atomic<HeapListener>, g_heap_listener);

inline bool in_rare_state() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareForEveryCall) != 0; }
inline bool in_rare_or_observed_state() noexcept { return g_rare_state.load(std::memory_order_relaxed) != 0; }

} // namespace gs
