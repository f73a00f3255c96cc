// SPDX-License-Identifier: Apache-2.0
// Raw handles that are known outside: of our streams that were given out, and of foreign ones that are wrapped. Wrapping one
// returns the same stream.
#pragma once

#include "core/lookup.hpp"

namespace gs {

// What was found last, by a part of the raw handle: a stale or another stream's entry is recognised by the slot it leads to.
inline constexpr int kRecentBits = 10;
extern std::atomic<uint64_t> g_recent_natives[1 << kRecentBits] __attribute__((visibility("hidden")));
inline std::atomic<uint64_t> &recent_place(uintptr_t native) noexcept {
    return g_recent_natives[(native * 0x9E3779B97F4A7C15u) >> (64 - kRecentBits)];
}

// Marks the stream exported. OUT_OF_MEMORY when the map cannot grow.
Status remember_native_once(StreamSlot &slot) noexcept __attribute__((cold));
inline Status remember_native(StreamSlot &slot) noexcept {
    return slot.exported.load(std::memory_order_acquire) ? kOk : remember_native_once(slot);
}
// Called after the handle was cleared.
void forget_native(StreamSlot &slot) noexcept;
// Enters the wrap of a foreign stream, just published. *out_first stays false, and nothing is entered, if there is another
// live stream with this raw handle.
Status enter_native(StreamSlot &slot, uint64_t handle, bool *out_first) noexcept;
// The live stream with this raw handle, under the caller's CallMark; nullptr if none is known.
StreamSlot *find_native(const ThreadBlock &thread, const Backend &backend, uintptr_t native,
                        uint64_t *out_handle) noexcept;
// The same where it was found before, without a lock; nullptr: find_native knows.
[[gnu::always_inline]] inline StreamSlot *find_recent_native(const ThreadBlock &thread, const Backend *backend,
                                                             uintptr_t native, uint64_t *out_handle) noexcept {
    *out_handle = recent_place(native).load(std::memory_order_relaxed);
    StreamSlot *slot = find_stream(thread, *out_handle);
    return slot && slot->native == native && slot->backend == backend ? slot : nullptr;
}

} // namespace gs
