// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_slots.hpp"

#include "core/hooks/tool_hooks.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

Mutex g_stream_slots_mutex;
FreeSlots<StreamSlot> g_bare GS_GUARDED_BY(g_stream_slots_mutex);

std::atomic<uint32_t> g_next_uid{1};

Status add_default_stream(Device &device, StreamKind kind, uintptr_t native, StreamSlot **out) noexcept {
    StreamSlot *slot = take_bare_stream();
    if (!slot) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the default streams");
    bind_slot(*slot, device, {.kind = kind, .native = native, .flags = GS_STREAM_BLOCKING, .used = false});
    slot->ever_current.store(false, std::memory_order_relaxed);
    slot->owner.store(kManyOwners, std::memory_order_relaxed);
    slot->users.store(1, std::memory_order_relaxed);
    set_state(*slot, StreamState::Alive);
    slot->handle.store(stream_slots().next_handle(*slot, static_cast<uint32_t>(device.kind)),
                       std::memory_order_release);
    *out = slot;
    return kOk;
}

} // namespace

StreamSlot *take_bare_stream() noexcept {
    MutexLock lock(g_stream_slots_mutex);
    return g_bare.take(stream_slots());
}

void give_bare_stream(StreamSlot &slot) noexcept {
    slot.release = {};
    if (slot.state.load(std::memory_order_relaxed) != StreamState::Bare) set_state(slot, StreamState::Bare);
    if (used_up(slot)) set_state(slot, StreamState::Dropped);
    MutexLock lock(g_stream_slots_mutex);
    g_bare.give(slot);
}

void bind_slot(StreamSlot &slot, Device &device, const StreamBinding &binding) noexcept {
    static_cast<BackendDevice &>(slot) = device;
    slot.device = &device;
    slot.pool = nullptr;
    slot.kind = binding.kind;
    slot.native = binding.native;
    slot.uid = binding.uid;
    slot.priority.store(binding.priority, std::memory_order_relaxed);
    slot.flags.store(binding.flags, std::memory_order_relaxed);
    slot.foreign.store(binding.kind == StreamKind::External, std::memory_order_relaxed);
    slot.late.store(0, std::memory_order_relaxed);
    slot.use.store(binding.used ? StreamUse::Some : StreamUse::None, std::memory_order_relaxed);
    slot.exported.store(binding.exported, std::memory_order_relaxed);
    // Of a leased or dedicated one no other code knows the raw handle yet.
    const bool own = binding.kind == StreamKind::Leased || binding.kind == StreamKind::Dedicated;
    slot.reachable.store(!own, std::memory_order_relaxed);
    set_state(slot, StreamState::Bound);
}

void publish_stream(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept {
    const uint64_t handle = stream_slots().next_handle(slot, static_cast<uint32_t>(slot.device->kind));
    slot.ever_current.store(false, std::memory_order_relaxed);
    slot.last_wait.store(0, std::memory_order_relaxed);
    slot.owner.store(thread.id, std::memory_order_relaxed);
    slot.users.store(1, std::memory_order_relaxed);
    set_state(slot, StreamState::Alive);
    slot.handle.store(handle, std::memory_order_release);
    note_birth(slot, handle);
    *out_handle = handle;
}

Status add_default_streams(Device &device) noexcept {
    GS_TRY(add_default_stream(device, StreamKind::Default, kNativeDefaultStream, &device.default_stream));
    return add_default_stream(device, StreamKind::PerThread, kNativePerThreadStream, &device.per_thread_stream);
}

uint32_t new_stream_uid() noexcept {
    uint32_t uid = g_next_uid.load(std::memory_order_relaxed);
    do {
        if (uid > kLastStreamUid) return kUnknownStream;
        // one-sided: repeated only in a race
    } while (!g_next_uid.compare_exchange_weak(uid, uid + 1, std::memory_order_relaxed));
    return uid;
}

int64_t stream_id(const StreamSlot &slot) noexcept {
    if (slot.immortal()) return static_cast<int64_t>(slot.native);
    return static_cast<int64_t>(
        make_handle(Kind::Stream, static_cast<uint32_t>(slot.device->kind), slot.generation, slot.index));
}

bool same_stream(const StreamSlot &a, const StreamSlot &b) noexcept {
    return a.device == b.device && a.native == b.native;
}

uint64_t stream_hash(const StreamSlot &slot) noexcept {
    uint64_t x = slot.native ^ (static_cast<uint64_t>(slot.device->index) + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

} // namespace gs
