// SPDX-License-Identifier: Apache-2.0
// Per OS thread: the current device, each device's current stream, and the stack of pushed scopes.
//
// Streams held here are not counted by atomics (16 threads sharing a stream would fight over one cache line). Instead
// whoever destroys a stream's last reference looks into every thread's tables; core_seq tells it when a table moved
// under its eyes.
#pragma once

#include "core/event/event_cache.hpp"
#include "core/slots.hpp"
#include "core/stream/spare_leases.hpp"
#include "core/stream/stream_hold.hpp"

namespace gs {

struct Scope {
    uint64_t token = 0;
    // The one device concerned: while it is also the thread's, a pop puts nothing back but the stream. nullptr: two
    // devices, a thread that had set none, or a saved context.
    Device *only_device = nullptr;
    Device *source = nullptr;                         // the device that was current
    Device *target = nullptr;                         // the pushed stream's device
    std::atomic<StreamSlot *> source_stream{nullptr}; // as current[]: nullptr is the default stream
    std::atomic<StreamSlot *> target_stream{nullptr};
    uintptr_t previous_context = 0;                    // the driver's, before this library first changed it in here
    gs_backend_t context_backend = GS_BACKEND_DEFAULT; // whose driver; GS_BACKEND_DEFAULT: nothing is saved
    bool device_was_set = false;                       // false: the thread had set none
};

struct ScopeBlock {
    static constexpr int kScopes = 16;
    Scope scopes[kScopes];
    std::atomic<ScopeBlock *> next{nullptr};
    ScopeBlock *previous = nullptr;
};

struct CoreThread {
    std::atomic<uint32_t> core_seq{0}; // odd while current[] or the scopes change
    Device *device = nullptr;          // nullptr: never set on this thread, follow the driver
    std::atomic<StreamSlot *> current[kMaxDevices] = {};
    std::atomic<StreamSlot *> entering{nullptr}; // counts as held, ahead of its place in current[]
    std::atomic<int32_t> depth{0};
    uint32_t next_token = 0;
    ScopeBlock *top_block = &first_block;
    ScopeBlock first_block;
    EventCache events;
    SpareLeases leases;
};

// nullptr: memory is out.
CoreThread *attach_core(ThreadBlock &thread) noexcept;
inline CoreThread *core_thread(ThreadBlock &thread) noexcept {
    return __builtin_expect(thread.core != nullptr, 1) ? thread.core : attach_core(thread);
}

// The thread's current device: what it set, else the driver's current context, else device 0 of the default backend.
Status current_device(ThreadBlock &thread, Device **out) noexcept;
// Switches the current device, and the driver's context where that exists. *out_previous may be nullptr.
Status set_current_device(ThreadBlock &thread, Device &device) noexcept;
// The same at the end of a scope: a device that cannot be used becomes current too, and the first use tells.
Status go_back_to_device(ThreadBlock &thread, Device &device) noexcept;

// The stream that is current on the device for this thread (never nullptr).
inline StreamSlot *current_stream(const CoreThread &core, const Device &device) noexcept {
    StreamSlot *stream = core.current[device.index].load(std::memory_order_relaxed);
    return stream ? stream : device.default_stream;
}
// From now on the stream counts as held by this thread, until core.entering is cleared. INVALID_HANDLE: it was destroyed
// meanwhile. The caller has found the slot under its CallMark.
inline Status announce_current(CoreThread &core, StreamSlot &stream, uint64_t handle) noexcept {
    if (!enter_current(core, stream, handle)) return stream_was_destroyed(handle);
    core.entering.store(&stream, std::memory_order_release);
    if (confirm_current(stream, handle)) return kOk;
    core.entering.store(nullptr, std::memory_order_release);
    return stream_was_destroyed(handle);
}
// Makes it so, and its device current. The caller has found the slot under its CallMark, and hands *out_dropped, also
// after a failure, to settle_if_zombie once that has ended.
Status set_current_stream(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                          StreamSlot **out_dropped) noexcept;

// Whether any thread (core_only: just this one) has the stream current or saved in a scope.
bool held_by(CoreThread &core, const StreamSlot &stream) noexcept;
bool held_by_any_thread(const StreamSlot &stream) noexcept;

// While alive, other threads' scans of this thread's tables wait (they are a few stores).
class TableChange {
public:
    explicit TableChange(CoreThread &core) noexcept
        : core_(core), before_(core.core_seq.load(std::memory_order_relaxed)) {
        core_.core_seq.store(before_ + 1, std::memory_order_release);
    }
    ~TableChange() { core_.core_seq.store(before_ + 2, std::memory_order_release); }
    TableChange(const TableChange &) = delete;
    TableChange &operator=(const TableChange &) = delete;

private:
    CoreThread &core_;
    const uint32_t before_;
};

} // namespace gs
