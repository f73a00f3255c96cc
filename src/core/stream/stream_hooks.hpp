// SPDX-License-Identifier: Apache-2.0
// What the life of streams has to do for rooms that it does not know: for deferred functions and for kept memory.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Functions that wait for the work of a stream (gs_stream_defer): what the life of streams has to do for them. The rest is
// core/completion/defer.cpp, which sets these hooks when the first function comes.

struct DeferHooks {
    // Marks the end of the stream's work so far; the functions run when it is reached. last: the stream ends with this call.
    void (*flush)(StreamSlot &stream, bool last) noexcept;
    // The stream's work is done, or never will be.
    void (*finish)(StreamSlot &stream) noexcept;
    // The stream will never be idle, or the library has stopped asking it.
    void (*leave)(StreamSlot &stream) noexcept;
    // Those of streams that were left, or whose last mark failed: only the end of all work of their device shows that they are due.
    void (*mark_devices)(ThreadBlock &thread) noexcept; // not under a CallMark
    DeferredBatch *(*take_unmarked)(const Device &device) noexcept;
    void (*give_unmarked)(DeferredBatch *list, bool due) noexcept;
};
extern std::atomic<const DeferHooks *> g_defer_hooks __attribute__((visibility("hidden")));

inline bool has_deferred(const StreamSlot &stream) noexcept {
    return stream.deferred.load(std::memory_order_acquire) != nullptr;
}
// The stream is about to end; its driver stream may be destroyed after this.
inline void flush_last_deferred(StreamSlot &stream) noexcept {
    if (has_deferred(stream)) g_defer_hooks.load(std::memory_order_acquire)->flush(stream, true);
}
inline void finish_deferred(StreamSlot &stream) noexcept {
    if (has_deferred(stream)) g_defer_hooks.load(std::memory_order_acquire)->finish(stream);
}
inline void leave_deferred(StreamSlot &stream) noexcept {
    // As in model first_record_is_seen_whole.
    if (has_deferred(stream)) g_defer_hooks.load(std::memory_order_acquire)->leave(stream);
}
// gs_trim: those of all live streams, and of those that have ended without a mark.
void flush_all_deferred(ThreadBlock &thread) noexcept;

// A wait for all work of a device.
class DeviceWait {
public:
    // The hooks are seen as in model first_record_is_seen_whole.
    explicit DeviceWait(const Device &device) noexcept
        : hooks_(g_defer_hooks.load(std::memory_order_acquire)),
          unmarked_(hooks_ ? hooks_->take_unmarked(device) : nullptr) {}
    ~DeviceWait() {
        if (unmarked_) hooks_->give_unmarked(unmarked_, over_);
    }
    DeviceWait(const DeviceWait &) = delete;
    DeviceWait &operator=(const DeviceWait &) = delete;

    void over() noexcept { over_ = true; }

private:
    const DeferHooks *hooks_;
    DeferredBatch *unmarked_;
    bool over_ = false;
};

// Freed memory that a stream keeps for its next allocation: what the life of streams has to do for it. The rest is
// core/memory, which sets the hook when the first block comes.

// Frees all of it in the driver. The stream ends with this call, or leaves the library's care.
using DropKeptMemory = void (*)(StreamSlot &stream) noexcept;
extern std::atomic<DropKeptMemory> g_drop_kept_memory __attribute__((visibility("hidden")));

inline void drop_kept_memory(StreamSlot &stream) noexcept {
    if (stream.front.load(std::memory_order_acquire) == nullptr) return;
    g_drop_kept_memory.load(std::memory_order_acquire)(stream);
}

} // namespace gs
