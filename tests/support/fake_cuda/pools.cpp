// SPDX-License-Identifier: Apache-2.0
// What memory pools have in use and have reserved.
#include <algorithm>

#include "fake_cuda/world.hpp"

namespace fake {

uintptr_t default_pool(int device) {
    World &w = world();
    uintptr_t &handle = w.default_pools[device];
    if (handle == 0) {
        handle = w.next_pool += 16;
        w.pool_of[handle].device = device;
    }
    return handle;
}

Pool *find_pool(CUmemoryPool handle) {
    auto found = world().pool_of.find(reinterpret_cast<uintptr_t>(handle));
    if (found != world().pool_of.end() && !found->second.ended) return &found->second;
    if (reinterpret_cast<uintptr_t>(handle) <= world().next_pool && handle)
        violation("a destroyed pool, %p, was passed to the driver", static_cast<void *>(handle));
    return nullptr;
}

void take_from_pool(uintptr_t handle, size_t bytes) {
    Pool &pool = world().pool_of[handle];
    pool.used += bytes;
    pool.used_high = std::max(pool.used_high, pool.used);
    pool.reserved = std::max(pool.reserved, pool.used);
    pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

void give_to_pool(uintptr_t handle, size_t bytes) {
    auto found = world().pool_of.find(handle);
    if (found == world().pool_of.end()) return;
    found->second.used -= bytes;
    // A driver allows it, and may end the process later (P26 of gpustream_probes).
    if (found->second.ended) violation("memory of a destroyed pool, %p, was freed", reinterpret_cast<void *>(handle));
    if (found->second.ended && found->second.used == 0) world().pool_of.erase(found);
}

void release_reserved(int device) {
    for (auto &entry : world().pool_of) {
        Pool &pool = entry.second;
        if (pool.device == device) pool.reserved = std::max(pool.used, std::min(pool.reserved, pool.threshold));
    }
}

} // namespace fake
