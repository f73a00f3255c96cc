// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "core/slots.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_hooks.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/sync_debug.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

// A stream is known to be idle from its thread's last synchronize, or complete query, until something is enqueued: the driver is
// not asked again. Only if this thread alone has ever used the stream, and other code cannot: all that it was ever
// given came from this thread. GPUSTREAM_ELIDE=0 turns it off.

// What the thread does with the stream is all that is ever done with it. Blocking streams also do what the default stream says.
inline bool is_private(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    return stream.owner.load(std::memory_order_relaxed) == thread.id &&
           !stream.reachable.load(std::memory_order_relaxed) &&
           (stream.kind == StreamKind::Leased || stream.kind == StreamKind::Dedicated) && !stream.blocking() &&
           stream.deferred.load(std::memory_order_relaxed) == nullptr;
}

inline bool known_idle(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    return stream.use.load(std::memory_order_relaxed) != StreamUse::Some && is_private(thread, stream) && may_elide();
}

Status record_and_wait(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other, uintptr_t native) noexcept {
    GS_TRY(other.backend->record_on_healthy(thread, native, other.ref()));
    return stream.backend->wait_on_healthy(thread, stream.ref(), native);
}

} // namespace

void note_idle(const ThreadBlock &thread, StreamSlot &stream) noexcept {
    if (is_private(thread, stream)) stream.use.store(StreamUse::Waited, std::memory_order_relaxed);
}

// Synchronizing a CUDA context breaks every capture in it, and the driver cannot be asked about all non-blocking streams at
// once. So ask those we know. A capture that other code began is in a stream whose raw handle is known there.
Status refuse_if_any_captures(ThreadBlock &thread, const Device &device) noexcept {
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_synchronize(device));
    const uint32_t last = stream_slots().last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        CallMark mark(thread);
        StreamSlot *slot = stream_slots().at(index);
        const uint64_t handle = slot->handle.load(std::memory_order_seq_cst);
        if (handle == 0 || !slot->exported.load(std::memory_order_acquire)) continue;
        if (!note_use(*slot, handle, thread.id) || slot->device != &device) continue;
        bool capturing = false;
        GS_TRY(slot->backend->stream_is_capturing(thread, slot->ref(), &capturing));
        if (capturing)
            return fail(GS_ERROR_CAPTURING, "stream %s of the device is being captured", describe_object(handle).text);
    }
    GS_TRY(refuse_if_shared_captures(thread, device));
    collect_streams(); // streams that were just destroyed go to the pools, which are asked next
    return refuse_if_pooled_captures(thread, device);
}

Status query_stream(ThreadBlock &thread, StreamSlot &stream, bool *out_done) noexcept {
    GS_TRY(check_health(stream));
    thread.counters.queries.add();
    if (known_idle(thread, stream)) {
        thread.counters.elided_queries.add();
        *out_done = true;
        return kOk;
    }
    GS_TRY(stream.backend->stream_query(thread, stream.ref(), out_done));
    if (*out_done) note_idle(thread, stream);
    return kOk;
}

Status synchronize_stream(ThreadBlock &thread, uint64_t handle) noexcept {
    StreamSlot *stream = nullptr;
    PinGuard pin;
    {
        CallMark mark(thread);
        GS_TRY(required_stream(thread, handle, &stream));
        pin.take(*stream);
    }
    GS_TRY(check_health(*stream));
    GS_TRY(sync_debug_check(SyncCall::Stream));
    thread.counters.synchronizes.add();
    if (known_idle(thread, *stream)) {
        thread.counters.elided_synchronizes.add();
        return kOk;
    }
    GS_TRY(stream->backend->stream_synchronize(thread, stream->ref()));
    note_idle(thread, *stream);
    return kOk;
}

Status synchronize_device(ThreadBlock &thread, Device &device) noexcept {
    GS_TRY(check_health(device));
    GS_TRY(sync_debug_check(SyncCall::Device));
    GS_TRY(refuse_if_any_captures(thread, device));
    thread.counters.synchronizes.add();
    DeviceWait wait(device);
    GS_TRY(device.backend->device_synchronize(device.ordinal));
    wait.over();
    return kOk;
}

Status wait_stream(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept {
    GS_TRY(check_health(stream));
    GS_TRY(check_health(other));
    if (stream.backend != other.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "a %s stream cannot wait for a %s stream", stream.backend->name(),
                    other.backend->name());
    thread.counters.waits.add();
    if (stream.uid != kUnknownStream && stream.uid == other.uid && may_elide()) {
        thread.counters.elided_waits.add();
        return kOk;
    }
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_wait_stream(thread, stream, other));
    mark_used(stream);
    mark_used(other);
    stream.last_wait.store(other.handle.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (other.reachable.load(std::memory_order_relaxed)) stream.reachable.store(true, std::memory_order_relaxed);
    uintptr_t native = 0;
    if (other.kind != StreamKind::PerThread) {
        GS_TRY(keep_wait_event(other, &native));
        return record_and_wait(thread, stream, other, native);
    }
    // One handle stands for a driver stream per thread, so this call needs an event of its own.
    GS_TRY(take_native_event(*other.device, 0, &native));
    const Status status = record_and_wait(thread, stream, other, native);
    give_native_event(*other.device, 0, native);
    return status;
}

namespace {

void take_a_nap() noexcept {
    constexpr timespec kNap{0, 50000};
    nanosleep(&kNap, nullptr);
}

Device *device_of(const StreamSlot &slot) noexcept { return slot.device; }
// Published with the slot's record, as in model first_record_is_seen_whole.
Device *device_of(const EventSlot &slot) noexcept { return slot.device.load(std::memory_order_acquire); }

// Blocking calls hold no mark, but a pin. Their driver calls return, since the device has nothing to do any more.
template <typename Slots>
void let_pins_go(Slots &slots, const Device &device) noexcept {
    const uint32_t last = slots.last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        const auto &slot = *slots.at(index);
        // A slot that is pinned keeps its device until it is not. Pins are seen as in model event_ends_blocking.
        while (slot.pins.load(std::memory_order_seq_cst) != 0 && device_of(slot) == &device) take_a_nap();
    }
}

} // namespace

// Calls that begin once the device is latched do not reach the driver. Those that had looked before it was are waited for:
// first the marked ones, which may have taken a pin, then the pinned ones.
Status reset_device(ThreadBlock &thread, Device &device) noexcept {
    GS_TRY(synchronize_device(thread, device));
    bool begun = false;
    GS_TRY(device.backend->reset_begin(device.ordinal, &begun));
    if (!begun) return kOk;
    wait_for_calls(thread);
    let_pins_go(stream_slots(), device);
    let_pins_go(event_slots(), device);
    return device.backend->reset_end(device.ordinal);
}

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
