// SPDX-License-Identifier: Apache-2.0
// Bridges: other libraries that keep a current stream of their own. Which are registered, led and followed.
//
// A bridge's place is written only while its id is 0 and no thread is inside one of its functions; with another id it
// is constant. So a thread that says that it is inside, and then still finds the id, may read the rest
// (bridge_thread.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

inline constexpr int kMaxBridges = 8;
inline constexpr size_t kLongestBridgeName = 63;

struct alignas(128) Bridge {    // a power of two, which an index costs one instruction
    std::atomic<int32_t> id{0}; // 0: free
    std::atomic<gs_backend_t> backend{GS_BACKEND_DEFAULT};
    gs_bridge_get_t get = nullptr;
    gs_bridge_set_t set = nullptr;
    gs_bridge_set_device_t set_device = nullptr;
    void *arg = nullptr;
    char name[kLongestBridgeName + 1] = {};
};

extern Bridge g_bridges[kMaxBridges] __attribute__((visibility("hidden")));
// Bit i: bridge i is led or followed, and notified when our current stream changes.
extern std::atomic<uint32_t> g_notified_bridges __attribute__((visibility("hidden")));
// The place of the bridge that is followed; -1: none.
extern std::atomic<int32_t> g_followed_bridge __attribute__((visibility("hidden")));

// What the caller has checked; the name is copied. backend is none but GS_BACKEND_DEFAULT.
Status register_bridge(const gs_bridge_t &bridge, int32_t *out_id) noexcept;
// The id of the registered bridge with this name; 0: none.
int32_t registered_bridge(const char *name) noexcept;

// Turns leading on or off. NOT_SUPPORTED: the bridge has no set.
Status lead_bridge(int32_t id, bool on) noexcept;
// id 0: ends following. INVALID_ARGUMENT: another bridge is followed.
Status follow_bridge(int32_t id) noexcept;
// Ends leading, following and the registration; *out_place is the place. A thread may still be inside its functions, so the
// place is free only after free_bridge.
Status withdraw_bridge(int32_t id, int *out_place) noexcept;
void free_bridge(int place) noexcept;

// Ends the rare state of bridges if none is led or followed and may_rest, called with the table's lock held, agrees.
void rest_bridges(bool (*may_rest)() noexcept) noexcept;

// The bridges that the library knows by name. Their libraries are looked for in the process and never loaded.

// Registers the built-in bridge with this name. INVALID_ARGUMENT: there is none. UNAVAILABLE: the process lacks its
// library, or has one that the bridge cannot use.
Status register_built_in(const char *name, int32_t *out_id) noexcept;

} // namespace gs
