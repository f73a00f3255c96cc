// SPDX-License-Identifier: Apache-2.0
// What the calls on streams and events ask while a capture is in progress that began through the library: would the driver
// break that capture? Such a call is refused instead. Without a capture they pay one branch.
//
// core/graph/capture_guard.cpp answers; it installs itself when the first capture begins.
#pragma once

#include "base/core_data.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "core/slots.hpp"

namespace gs {

class LoadedModule;
struct GraphSlot;

// The graph of a capture in progress that began through the library, locked for a block: until then no thread ends the
// capture, uses the graph or destroys it. Empty for a capture that other code began.
class CapturePin {
public:
    CapturePin() noexcept = default;
    ~CapturePin() GS_UNANALYSED {
        if (lock_) lock_->unlock();
    }
    CapturePin(const CapturePin &) = delete;
    CapturePin &operator=(const CapturePin &) = delete;

    void take(GraphSlot &graph, BriefLock &held) noexcept {
        graph_ = &graph;
        lock_ = &held;
    }
    GraphSlot *graph() const noexcept { return graph_; }

private:
    LaterMessages later_; // first: it outlives the lock
    GraphSlot *graph_ = nullptr;
    BriefLock *lock_ = nullptr;
};

// What a captured call refers to, kept by the graph until it, its executables and their launches have ended: release(what).
struct KeptByGraph {
    void (*release)(void *what) noexcept;
    void *what;
};

struct CaptureGuard {
    // Of a wait that goes to the driver, or of one for another stream's present end.
    Status (*may_wait)(ThreadBlock &thread, StreamSlot &stream, const EventSlot &event) noexcept;
    Status (*may_wait_stream)(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept;
    // The stream has recorded the event. Returns whether that is part of a capture.
    bool (*recorded)(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept;
    // Of a query or a synchronize.
    Status (*may_ask)(ThreadBlock &thread, const EventSlot &event) noexcept;
    Status (*may_synchronize)(const Device &device) noexcept;
    // The stream, whose handle has ended, is about to end or to be used again: a capture that it had begun is aborted. False:
    // it takes part in one of other code.
    bool (*give_up)(StreamSlot &stream) noexcept;
    // The stream is about to launch a kernel of the module: a graph that it is captured into holds the module. *out_capture is
    // the library's number of the capture; 0: the stream is not captured, or by other code.
    Status (*keep_module)(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module,
                          uint64_t *out_capture) noexcept;
    // The stream is about to get a node for an event: the graph that it is captured into retains the event.
    Status (*keep_event)(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out) noexcept;
    // Pins the capture with the driver's number `id`, if it goes on and began through the library.
    Status (*pin)(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
    // The same, and a host function is about to become a node of it: may it?
    Status (*pin_for_call)(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
    Status (*keep)(ThreadBlock &thread, const CapturePin &pin, const KeptByGraph &kept) noexcept;
    // The stream, which is captured, has allocated memory, or frees it: see core/graph/capture_calls.hpp.
    void (*allocated)(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept;
    Status (*free_at_end)(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept;
    void (*forget_orphans)() noexcept;
    // A call is about to be refused because of a capture on the device: other code may have ended it by now.
    void (*forget_ended)(const Device &device) noexcept;
};

GS_CORE_DATA(std::atomic<uint32_t>, g_live_captures);
extern std::atomic<uint32_t> g_capture_epoch __attribute__((visibility("hidden")));
GS_CORE_DATA(std::atomic<const CaptureGuard *>, g_capture_guard);

// The guard, if it must be asked.
inline const CaptureGuard *capture_guard() noexcept {
    if (g_live_captures.load(std::memory_order_relaxed) == 0) return nullptr;
    return g_capture_guard.load(std::memory_order_acquire);
}

// Differs from what it was before the latest capture began, or before the library asked the driver to end it.
inline uint32_t capture_epoch() noexcept { return g_capture_epoch.load(std::memory_order_relaxed); }

// While it lives, no thread begins a capture on the stream through the library. NVIDIA's driver 580 crashes if it does so while
// a record, a wait or a host function is submitted to the stream (docs/design/cuda.md, P27). The per-thread stream of a
// device is another driver stream on each thread, and the default stream cannot be captured.
class NoBeginOf {
public:
    explicit NoBeginOf(StreamSlot &stream) noexcept GS_UNANALYSED
        : lock_(stream.immortal() ? nullptr : &stream.begin_lock) {
        if (lock_) lock_->lock();
    }
    // Without waiting for the lock, for a thread that has that of another stream.
    struct IfFree {};
    NoBeginOf(StreamSlot &stream, IfFree) noexcept GS_UNANALYSED
        : lock_(!stream.immortal() && stream.begin_lock.try_lock() ? &stream.begin_lock : nullptr) {}
    ~NoBeginOf() GS_UNANALYSED {
        if (lock_) lock_->unlock();
    }
    NoBeginOf(const NoBeginOf &) = delete;
    NoBeginOf &operator=(const NoBeginOf &) = delete;

private:
    LaterMessages later_; // first: it outlives the lock
    BriefLock *lock_;
};

// What the captures of a stream were before a call of the driver. Without a change, the call is part of the capture that the
// stream was in before it, or of none.
class CapturesBefore {
public:
    explicit CapturesBefore(const StreamSlot &stream) noexcept
        : stream_(stream), epoch_(capture_epoch()), begins_(stream.capture_begins.load(std::memory_order_relaxed)) {}
    // A thread has begun to capture this stream, or is about to.
    bool begun() const noexcept {
        return begins_ % 2 != 0 || stream_.capture_begins.load(std::memory_order_relaxed) != begins_;
    }
    bool changed() const noexcept { return capture_epoch() != epoch_ || begun(); }

private:
    const StreamSlot &stream_;
    const uint32_t epoch_;
    const uint32_t begins_;
};

// Captures that other code begins are found by asking the driver. Only reachable streams can be part of one. Those are
// streams whose raw handle is known outside, and streams that have waited for a record of a reachable stream, or for an
// event that others may record.
inline bool may_be_captured(const StreamSlot &stream) noexcept {
    return stream.reachable.load(std::memory_order_relaxed) || g_live_captures.load(std::memory_order_relaxed) != 0;
}
inline Status is_captured(ThreadBlock &thread, const StreamSlot &stream, bool *out_captured) noexcept {
    *out_captured = false;
    return may_be_captured(stream) ? stream.backend->stream_is_capturing(thread, stream.ref(), out_captured) : kOk;
}
// Default streams are never captured, but what the driver does in them can break the capture of another stream: they are asked
// about before calls of the driver only.
inline bool never_captured(const StreamSlot &stream) noexcept { return stream.kind == StreamKind::Default; }
// Before the stream's record of the event is published.
inline void note_reach(const StreamSlot &stream, EventSlot &event) noexcept {
    if (stream.reachable.load(std::memory_order_relaxed) &&
        (event.traits.load(std::memory_order_relaxed) & kEventReachable) == 0)
        event.traits.fetch_or(kEventReachable, std::memory_order_seq_cst);
}
// Before the stream waits for the event.
inline void extend_reach(StreamSlot &stream, const EventSlot &event) noexcept {
    if ((event.traits.load(std::memory_order_relaxed) & (kEventForeign | kEventReachable)) != 0)
        stream.reachable.store(true, std::memory_order_relaxed);
}

// While a blocking stream of the device is captured, all work in its default stream would break the capture.
void close_default_stream(const Device &device) noexcept;
void open_default_stream(const Device &device) noexcept;

// Foreign streams that were wrapped while they were being captured. A driver must not be asked for the device and context
// of such a stream: some of the questions break the capture. The caller's word is taken, and the stream is checked by the
// first call after the capture that uses it.
//
// The health word of such a stream is its own `late`, which is never 0. So each of its calls comes to
// check_health_slowly; streams that were checked at once pay nothing.

// The slot is bound and not published yet.
void postpone_check(StreamSlot &slot) noexcept;

// The stream is still one whose device and context are not known.
inline bool check_is_due(const StreamSlot &slot) noexcept {
    return slot.late.load(std::memory_order_relaxed) == kLateDue;
}

} // namespace gs
