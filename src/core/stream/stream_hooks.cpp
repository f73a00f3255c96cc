// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_hooks.hpp"

#include "handle/grace.hpp"

namespace gs {

std::atomic<const DeferHooks *> g_defer_hooks{nullptr};

void flush_deferred(StreamSlot &stream) noexcept {
    if (const DeferHooks *hooks = g_defer_hooks.load(std::memory_order_acquire)) hooks->flush(stream, false);
}

void flush_all_deferred(ThreadBlock &thread) noexcept {
    // As in model first_record_is_seen_whole.
    const DeferHooks *hooks = g_defer_hooks.load(std::memory_order_acquire);
    if (!hooks) return;
    hooks->mark_devices(thread);
    const uint32_t last = stream_slots().last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        CallMark mark(thread);
        StreamSlot *slot = stream_slots().at(index);
        const uint64_t handle = slot->handle.load(std::memory_order_seq_cst);
        if (handle != 0 && has_deferred(*slot) && note_use(*slot, handle, thread.id)) flush_deferred(*slot);
    }
}

std::atomic<DropKeptMemory> g_drop_kept_memory{nullptr};

} // namespace gs
