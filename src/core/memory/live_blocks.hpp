// SPDX-License-Identifier: Apache-2.0
// The blocks of pools that callers have: what GPUSTREAM_LEAKS=1 writes when the process exits. Asks no driver.
#pragma once

#include <string>
#include <vector>

#include "core/memory/device_memory.hpp"

namespace gs {

struct LiveBlock {
    const void *address = nullptr;
    size_t bytes = 0; // as the caller asked for it
    const Device *device = nullptr;
    uint64_t stream = 0; // in which it was allocated; may have ended
    uint64_t pool = 0;   // 0: the device's default pool, or one that has ended
    bool ended_pool = false;
};

// The largest first. Throws bad_alloc.
std::vector<LiveBlock> live_blocks();
// How many there are, and a line for each of the largest; "" if there is none. Throws bad_alloc.
std::string describe_live_blocks();

// Before a block of a driver is given out. The first call asks the environment.
void watch_leaks_slowly() noexcept __attribute__((cold, noinline));
extern std::atomic<bool> g_leaks_decided __attribute__((visibility("hidden")));
inline void watch_leaks() noexcept {
    if (__builtin_expect(!g_leaks_decided.load(std::memory_order_relaxed), 0)) watch_leaks_slowly();
}

} // namespace gs
