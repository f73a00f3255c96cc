// SPDX-License-Identifier: Apache-2.0
// What the core keeps per OS thread: the current device, each device's current stream, the stack of pushed scopes, and
// dead event slots.
//
// Streams held here are not counted by atomics: 16 threads sharing a stream would fight over one cache line. Instead, the
// destroy of a stream's last reference looks into every thread's tables. core_seq shows it when a table changed while it
// looked.
#pragma once

#include "core/device/device_table.hpp"
#include "core/event/event_cache.hpp"
#include "core/slots.hpp"

namespace gs {

struct Scope {
    uint64_t token = 0;
    // The scope concerns this device alone: while the thread's device is the same, a pop puts back just the stream.
    // nullptr: it concerns two devices, a device that the driver chose, or a saved context.
    Device *only_device = nullptr;
    Device *source = nullptr;                         // the device that was current
    Device *target = nullptr;                         // the pushed stream's device
    std::atomic<StreamSlot *> source_stream{nullptr}; // as current[]: nullptr is the default stream
    std::atomic<StreamSlot *> target_stream{nullptr};
    uintptr_t previous_context = 0; // the driver's, before this library first changed it in this scope
    gs_backend_t context_backend = GS_BACKEND_DEFAULT; // that driver's backend; GS_BACKEND_DEFAULT: nothing is saved
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
    Device *device = nullptr;          // nullptr: never set on this thread, which then follows the driver
    Device *contextless = nullptr;     // had, or may have had, no context when it became current
    std::atomic<StreamSlot *> current[kMaxDevices] = {};
    std::atomic<StreamSlot *> entering{nullptr}; // counts as held, ahead of its entry in current[]
    std::atomic<int32_t> depth{0};               // of open scopes
    uint64_t last_token = 0;                     // of this process; a thread takes them in blocks
    ScopeBlock *top_block = &first_block;
    ScopeBlock first_block;
    EventCache events;
    struct BridgeThread *bridge = nullptr; // of core/bridge, which alone knows it
    struct PoolThread *pools = nullptr;    // of core/memory
};

// The thread's current device as far as that is known without asking the driver, else nullptr.
inline Device *known_device(const CoreThread &core) noexcept {
    Device *device = core.device;
    return device ? device : g_unset_device.load(std::memory_order_acquire);
}

// The stream that is current on the device for this thread.
inline StreamSlot *current_stream(const CoreThread &core, const Device &device) noexcept {
    StreamSlot *stream = core.current[device.index].load(std::memory_order_relaxed);
    return stream ? stream : device.default_stream;
}

// The innermost scope; depth > 0. Unsigned, so that the remainder is a mask.
inline Scope &innermost_scope(CoreThread &core, int32_t depth) noexcept {
    return core.top_block->scopes[static_cast<uint32_t>(depth - 1) % ScopeBlock::kScopes];
}

// Called when the driver's current context has changed from `previous` and stays changed. The innermost scope will restore
// it, unless it has an earlier one to restore. Without an open scope there is nothing to do.
void save_context(CoreThread &core, const Backend &backend, uintptr_t previous) noexcept;

// Whether this thread, or any thread, has the stream current or saved in a scope.
bool held_by(CoreThread &core, const StreamSlot &stream) noexcept;
bool held_by_any_thread(const StreamSlot &stream) noexcept;

// While it lives, other threads' scans of this thread's tables wait. It spans a few stores.
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
