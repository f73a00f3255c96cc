// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridge_table.hpp"

#include <cstring>

#include "base/fork_state.hpp"
#include "base/lock.hpp"

namespace gs {

Bridge g_bridges[kMaxBridges];
std::atomic<uint32_t> g_notified_bridges{0};
std::atomic<int32_t> g_followed_bridge{-1};

namespace {

Mutex g_bridge_table_mutex;
int32_t g_last_id GS_GUARDED_BY(g_bridge_table_mutex) = 0;
// Under g_bridge_table_mutex too, which a fork holds when it changes them in the child.
uint32_t g_led = 0;
uint32_t g_taken = 0; // places that are registered, or not free again yet

constexpr uint32_t bit(int place) noexcept { return uint32_t{1} << place; }

Status no_such_bridge(int32_t id) noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "no bridge has the number %d", id);
}

int place_of(int32_t id) noexcept GS_REQUIRES(g_bridge_table_mutex) {
    for (int i = 0; i < kMaxBridges; ++i)
        if (id > 0 && g_bridges[i].id.load(std::memory_order_relaxed) == id) return i;
    return -1;
}

int32_t id_of(const char *name) noexcept GS_REQUIRES(g_bridge_table_mutex) {
    for (const Bridge &bridge : g_bridges) {
        const int32_t id = bridge.id.load(std::memory_order_relaxed);
        if (id != 0 && std::strcmp(bridge.name, name) == 0) return id;
    }
    return 0;
}

// From now on, or no longer, current-stream calls take the way of bridges.
void update_notified() noexcept GS_REQUIRES(g_bridge_table_mutex) {
    const int followed = g_followed_bridge.load(std::memory_order_relaxed);
    g_notified_bridges.store(g_led | (followed >= 0 ? bit(followed) : 0), std::memory_order_seq_cst);
    if (g_notified_bridges.load(std::memory_order_relaxed) != 0) g_rare_state.fetch_or(kRareBridges);
}

// Nothing is registered in a forked child.
void on_fork_in_child() noexcept {
    for (Bridge &bridge : g_bridges) bridge.id.store(0, std::memory_order_relaxed);
    g_notified_bridges.store(0, std::memory_order_relaxed);
    g_followed_bridge.store(-1, std::memory_order_relaxed);
    g_led = 0; // this thread holds the lock for the fork
    g_taken = 0;
    g_rare_state.fetch_and(~uint32_t{kRareBridges}, std::memory_order_relaxed);
}

void guard_bridges_in_fork() noexcept {
    register_fork_mutex(g_bridge_table_mutex, ForkLock::Always);
    register_fork_child_hook(on_fork_in_child);
}

} // namespace

Status register_bridge(const gs_bridge_t &bridge, int32_t *out_id) noexcept {
    guard_bridges_in_fork();
    MutexLock lock(g_bridge_table_mutex);
    if (id_of(bridge.name) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a bridge with the name '%s' is registered already", bridge.name);
    int place = 0;
    while (place < kMaxBridges && (g_taken & bit(place))) ++place;
    if (place == kMaxBridges || g_last_id == INT32_MAX)
        return fail(GS_ERROR_OUT_OF_MEMORY, "at most %d bridges can be registered", kMaxBridges);
    g_taken |= bit(place);
    Bridge &entry = g_bridges[place];
    entry.backend.store(bridge.backend, std::memory_order_relaxed);
    entry.get = bridge.get;
    entry.set = bridge.set;
    entry.set_device = bridge.set_device;
    entry.arg = bridge.arg;
    std::memcpy(entry.name, bridge.name, std::strlen(bridge.name) + 1);
    *out_id = ++g_last_id;
    entry.id.store(*out_id, std::memory_order_release);
    return kOk;
}

int32_t registered_bridge(const char *name) noexcept {
    guard_bridges_in_fork();
    MutexLock lock(g_bridge_table_mutex);
    return id_of(name);
}

Status lead_bridge(int32_t id, bool on) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int place = place_of(id);
    if (place < 0) return no_such_bridge(id);
    if (on && !g_bridges[place].set)
        return fail(GS_ERROR_NOT_SUPPORTED, "bridge '%s' cannot be led: it lacks a function that sets its stream",
                    g_bridges[place].name);
    g_led = on ? g_led | bit(place) : g_led & ~bit(place);
    update_notified();
    return kOk;
}

Status follow_bridge(int32_t id) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int followed = g_followed_bridge.load(std::memory_order_relaxed);
    int place = -1;
    if (id != 0) {
        place = place_of(id);
        if (place < 0) return no_such_bridge(id);
        if (followed >= 0 && followed != place)
            return fail(GS_ERROR_INVALID_ARGUMENT, "bridge '%s' is followed already, and only one can be",
                        g_bridges[followed].name);
    }
    g_followed_bridge.store(place, std::memory_order_seq_cst);
    update_notified();
    return kOk;
}

Status withdraw_bridge(int32_t id, int *out_place) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    const int place = place_of(id);
    if (place < 0) return no_such_bridge(id);
    g_bridges[place].id.store(0, std::memory_order_seq_cst);
    g_led &= ~bit(place);
    if (g_followed_bridge.load(std::memory_order_relaxed) == place)
        g_followed_bridge.store(-1, std::memory_order_seq_cst);
    update_notified();
    *out_place = place;
    return kOk;
}

void free_bridge(int place) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    g_taken &= ~bit(place);
}

void rest_bridges(bool (*may_rest)() noexcept) noexcept {
    MutexLock lock(g_bridge_table_mutex);
    if (g_notified_bridges.load(std::memory_order_relaxed) == 0 && may_rest())
        g_rare_state.fetch_and(~uint32_t{kRareBridges});
}

} // namespace gs
