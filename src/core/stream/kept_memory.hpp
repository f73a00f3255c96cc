// SPDX-License-Identifier: Apache-2.0
// Freed memory that a stream keeps for its next allocation: what the life of streams has to do for it. The rest is
// core/memory, which sets the hook when the first block comes.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Frees all of it in the driver. The stream ends with this call, or leaves the library's care.
using DropKeptMemory = void (*)(StreamSlot &stream) noexcept;
extern std::atomic<DropKeptMemory> g_drop_kept_memory __attribute__((visibility("hidden")));

inline void drop_kept_memory(StreamSlot &stream) noexcept {
    if (stream.front.load(std::memory_order_acquire) == nullptr) return;
    g_drop_kept_memory.load(std::memory_order_acquire)(stream);
}

} // namespace gs
