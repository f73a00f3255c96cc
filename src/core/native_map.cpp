// SPDX-License-Identifier: Apache-2.0
#include "core/native_map.hpp"

#include <map>
#include <new>
#include <utility>

namespace gs {
namespace {

using Key = std::pair<const Backend *, uintptr_t>;

Mutex g_mutex;

// On the heap and never destroyed: calls may come while the process exits.
std::map<Key, uint64_t> &map() GS_REQUIRES(g_mutex) {
    static auto *const immortal = new std::map<Key, uint64_t>;
    return *immortal;
}

} // namespace

Status remember_native(StreamSlot &slot) noexcept {
    if (slot.exported.load(std::memory_order_acquire)) return kOk;
    // A shared driver stream has several handles; the first one that was given out stands for it.
    try {
        MutexLock lock(g_mutex);
        const uint64_t handle = slot.handle.load(std::memory_order_relaxed);
        const auto [entry, fresh] = map().try_emplace(Key{slot.backend, slot.native}, handle);
        // A stream that was destroyed in the very moment its raw handle was asked for may have left its entry behind.
        if (!fresh && !stream_slots().find(entry->second)) entry->second = handle;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember the raw handle of a stream");
    }
    slot.used.store(true, std::memory_order_relaxed);
    slot.exported.store(true, std::memory_order_release);
    return kOk;
}

void forget_native(StreamSlot &slot) noexcept {
    MutexLock lock(g_mutex);
    const auto found = map().find(Key{slot.backend, slot.native});
    // Called after the handle was cleared; the slot still knows its generation.
    const uint64_t handle =
        make_handle(Kind::Stream, static_cast<uint32_t>(slot.device->kind), slot.generation, slot.index);
    if (found != map().end() && found->second == handle) map().erase(found);
}

uint64_t find_native(const Backend &backend, uintptr_t native) noexcept {
    MutexLock lock(g_mutex);
    const auto found = map().find(Key{&backend, native});
    return found == map().end() ? 0 : found->second;
}

} // namespace gs
