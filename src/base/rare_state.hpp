// SPDX-License-Identifier: Apache-2.0
// States that few processes ever enter, as bits of one word: a hot call that minds several of them tests them at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

enum RareState : uint32_t {
    kRareBadFork = 1u << 0, // see fork_state.hpp
    kRareBridges = 1u << 1, // another library's current stream is led, followed, or yet to be restored (core/bridge)
};

extern std::atomic<uint32_t> g_rare_state __attribute__((visibility("hidden")));

inline bool in_rare_state() noexcept { return __builtin_expect(g_rare_state.load(std::memory_order_relaxed) != 0, 0); }

} // namespace gs
