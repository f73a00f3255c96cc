// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_create.hpp"

#include <algorithm>

#include "base/testing.hpp"
#include "core/device/device_table.hpp"
#include "core/lookup.hpp"
#include "core/stream/driver_streams.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/shared_streams.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_pool.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {
namespace {

constexpr uintptr_t kNativeLegacy = 1; // CU_STREAM_LEGACY: another name of the default stream
constexpr uintptr_t kFirstPointer = 4096;
constexpr uintptr_t kEndOfUserSpace = uintptr_t{1} << 47;
constexpr uintptr_t kPointerAlignment = 8;

void publish(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept {
    publish_stream(thread, slot, out_handle);
    thread.counters.streams_created.add();
}

Status take_slot(StreamSlot **out) noexcept {
    *out = take_bare_stream();
    return *out ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another stream");
}

Status create_shared(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags, StreamSlot **out) noexcept {
    SharedStream shared{};
    GS_TRY(next_shared_stream(thread, device, priority, (flags & GS_STREAM_BLOCKING) != 0, &shared));
    GS_TRY(take_slot(out));
    bind_slot(
        **out, device,
        {.kind = StreamKind::Shared, .native = shared.native, .uid = shared.uid, .priority = priority, .flags = flags});
    return kOk;
}

// This thread's spare stream or one from the pool; nullptr: there is none.
Status take_pooled(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept {
    for (;;) {
        StreamSlot *slot = thread.core ? thread.core->leases.take(device, priority, blocking) : nullptr;
        if (!slot) GS_TRY(take_lease(thread, device, priority, blocking, &slot));
        *out = slot;
        if (__builtin_expect(!slot || !used_up(*slot), 1)) return kOk;
        dismantle_stream(*slot);
    }
}

// A driver stream that no other handle names.
Status lease(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags, StreamSlot **out) noexcept {
    const bool blocking = (flags & GS_STREAM_BLOCKING) != 0;
    StreamSlot *slot = nullptr;
    GS_TRY(take_pooled(thread, device, priority, blocking, &slot));
    if (!slot) {
        collect_streams(&thread); // far cheaper than another driver stream
        GS_TRY(take_pooled(thread, device, priority, blocking, &slot));
    }
    if (slot) {
        slot->used.store(false, std::memory_order_relaxed);
        thread.counters.stream_pool_hits.add();
    } else {
        GS_TRY(make_driver_stream(device, StreamKind::Leased, priority, flags, &slot));
        thread.counters.stream_pool_misses.add();
    }
    *out = slot;
    return kOk;
}

Status check_native(uintptr_t native) noexcept {
    if (native >= kFirstPointer && native < kEndOfUserSpace && native % kPointerAlignment == 0) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE,
                "%#zx cannot be a driver's stream: it is neither 0, 1, 2 nor an aligned user-space address",
                static_cast<size_t>(native));
}

Status check_expected(const Device *expected, const Device &actual) noexcept {
    if (!expected || expected == &actual) return kOk;
    return fail(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to %s device %d, not to %s device %d",
                actual.backend->name(), actual.ordinal, expected->backend->name(), expected->ordinal);
}

// A stream that is not ours.
Status adopt(ThreadBlock &thread, Backend &backend, const Device *expected, uintptr_t native, ReleaseFunction release,
             uint64_t *out_handle) noexcept {
    AdoptedStream found{};
    GS_TRY(backend.stream_adopt(native, &found));
    Device &device = *started_device(backend.kind(), found.ordinal);
    GS_TRY(check_expected(expected, device));
    StreamSlot *slot = nullptr;
    GS_TRY(take_slot(&slot));
    bind_slot(*slot, device,
              {.kind = StreamKind::External,
               .native = native,
               .priority = found.priority,
               .flags = found.blocking ? uint32_t{GS_STREAM_BLOCKING} : 0u,
               .exported = true});
    slot->release = release.fn;
    slot->release_arg = release.arg;
    publish(thread, *slot, out_handle);
    return kOk;
}

// The default and the per-thread stream. The driver owns them, so nothing may release them.
Status wrap_driver_word(ThreadBlock &thread, Device *device, uintptr_t native, ReleaseFunction release,
                        uint64_t *out_handle) noexcept {
    if (!device) GS_TRY(current_device(thread, &device));
    StreamSlot *slot = native == kNativePerThreadStream ? device->per_thread_stream : device->default_stream;
    *out_handle = slot->handle.load(std::memory_order_relaxed);
    if (!release.fn) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "stream word %zu belongs to the driver and cannot be owned",
                static_cast<size_t>(native));
}

} // namespace

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    int32_t least = 0;
    int32_t greatest = 0;
    GS_TRY(priority_range(device, &least, &greatest));
    priority = std::clamp(priority, greatest, least);
    StreamSlot *slot = nullptr;
    if (flags & GS_STREAM_SHARED)
        GS_TRY(create_shared(thread, device, priority, flags, &slot));
    else if (flags & GS_STREAM_DEDICATED)
        GS_TRY(make_driver_stream(device, StreamKind::Dedicated, priority, flags, &slot));
    else
        GS_TRY(lease(thread, device, priority, flags, &slot));
    publish(thread, *slot, out_handle);
    return kOk;
}

Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept {
    if (native == kNativeDefaultStream || native == kNativeLegacy || native == kNativePerThreadStream)
        return wrap_driver_word(thread, expected, native, release, out_handle);
    GS_TRY(check_native(native));
    Backend *backend = expected ? expected->backend : nullptr;
    if (!backend) GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
    if (const uint64_t known = find_native(*backend, native)) {
        CallMark mark(thread);
        StreamSlot *slot = find_stream(thread, known);
        if (slot) {
            GS_TRY(check_expected(expected, *slot->device));
            if (release.fn)
                return fail(GS_ERROR_INVALID_ARGUMENT,
                            "the stream %#zx is gpustream's own: it needs no release function",
                            static_cast<size_t>(native));
            GS_YIELD(AfterCheck);
            *out_handle = known;
            const Status retained = retain_stream(thread, known);
            // The handle that stood for a shared driver stream may just have been destroyed; the driver stream lives on.
            if (retained.ok() || slot->kind != StreamKind::Shared) return retained;
        }
    }
    return adopt(thread, *backend, expected, native, release, out_handle);
}

} // namespace gs
