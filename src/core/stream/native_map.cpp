// SPDX-License-Identifier: Apache-2.0
#include "core/stream/native_map.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "core/stream/stream_slots.hpp"

namespace gs {

std::atomic<uint64_t> g_recent_natives[1 << kRecentBits];

namespace {

using Key = std::pair<const Backend *, uintptr_t>;

using Handles = std::vector<uint64_t>; // more than one for a shared driver stream only

Mutex g_native_map_mutex;

// On the heap and never destroyed: other threads may call while the process exits.
std::map<Key, Handles> &map() GS_REQUIRES(g_native_map_mutex) {
    static auto *const immortal = new std::map<Key, Handles>;
    return *immortal;
}

bool is_dead(uint64_t handle) noexcept { return !stream_slots().find(handle); }

// 0: none is known.
uint64_t find_in_map(const Backend &backend, uintptr_t native) noexcept {
    MutexLock lock(g_native_map_mutex);
    const auto found = map().find(Key{&backend, native});
    if (found == map().end()) return 0;
    const auto alive = std::find_if_not(found->second.begin(), found->second.end(), is_dead);
    return alive == found->second.end() ? 0 : *alive;
}

} // namespace

Status remember_native_once(StreamSlot &slot) noexcept {
    try {
        MutexLock lock(g_native_map_mutex);
        Handles &handles = map()[Key{slot.backend, slot.native}];
        // A stream that was destroyed while its raw handle was being asked for may have left its entry behind.
        std::erase_if(handles, is_dead);
        handles.push_back(slot.handle.load(std::memory_order_relaxed));
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember the raw handle of a stream");
    }
    if (slot.kind == StreamKind::Shared) note_shared_given_out(slot);
    slot.use.store(StreamUse::Some, std::memory_order_relaxed);
    slot.reachable.store(true, std::memory_order_relaxed);
    slot.exported.store(true, std::memory_order_release);
    return kOk;
}

void forget_native(StreamSlot &slot) noexcept {
    MutexLock lock(g_native_map_mutex);
    const auto found = map().find(Key{slot.backend, slot.native});
    // The slot still knows its generation.
    const uint64_t handle =
        make_handle(Kind::Stream, static_cast<uint32_t>(slot.device->kind), slot.generation, slot.index);
    if (found == map().end()) return;
    std::erase(found->second, handle);
    if (found->second.empty()) map().erase(found);
}

Status enter_native(StreamSlot &slot, uint64_t handle, bool *out_first) noexcept {
    try {
        MutexLock lock(g_native_map_mutex);
        Handles &handles = map()[Key{slot.backend, slot.native}];
        std::erase_if(handles, is_dead);
        *out_first = handles.empty();
        if (handles.empty()) handles.push_back(handle);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember the raw handle of a stream");
    }
    return kOk;
}

StreamSlot *find_native(const ThreadBlock &thread, const Backend &backend, uintptr_t native,
                        uint64_t *out_handle) noexcept {
    StreamSlot *slot = find_recent_native(thread, &backend, native, out_handle);
    if (slot) return slot;
    *out_handle = find_in_map(backend, native);
    slot = find_stream(thread, *out_handle);
    if (slot) recent_place(native).store(*out_handle, std::memory_order_relaxed);
    return slot;
}

} // namespace gs
