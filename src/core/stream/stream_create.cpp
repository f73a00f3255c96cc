// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_create.hpp"

#include <algorithm>

#include "base/testing.hpp"
#include "core/runtime.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/shared_streams.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_pool.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

constexpr uintptr_t kNativeLegacy = 1; // CU_STREAM_LEGACY: another name of the default stream
constexpr uintptr_t kFirstPointer = 4096;
constexpr uintptr_t kEndOfUserSpace = uintptr_t{1} << 47;
constexpr uintptr_t kPointerAlignment = 8;

Status generations_used_up() noexcept {
    return fail(GS_ERROR_OUT_OF_MEMORY, "the slot of the stream has used up its generations; try again");
}

void fill(StreamSlot &slot, Device &device, uintptr_t native, StreamKind kind) noexcept {
    slot.device = &device;
    slot.backend = device.backend;
    slot.health = device.health;
    slot.ordinal = device.ordinal;
    slot.native = native;
    slot.kind = kind;
    slot.uid = kUnknownStream;
    slot.flags = 0;
    slot.priority = 0;
    slot.used.store(true, std::memory_order_relaxed);
    slot.exported.store(false, std::memory_order_relaxed);
}

Status publish(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept {
    if (!publish_stream(thread, slot, out_handle)) return generations_used_up();
    thread.counters.streams_created.add();
    return kOk;
}

Status make_slot(StreamSlot **out) noexcept {
    *out = take_bare_stream();
    return *out ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another stream");
}

Status create_shared(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept {
    SharedStream shared{};
    GS_TRY(next_shared_stream(thread, device, priority, blocking, &shared));
    GS_TRY(make_slot(out));
    fill(**out, device, shared.native, StreamKind::Shared);
    (*out)->uid = shared.uid;
    return kOk;
}

Status create_dedicated(Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept {
    StreamSlot *slot = nullptr;
    GS_TRY(make_slot(&slot));
    StreamNative made{};
    const Status status = device.backend->stream_create({device.ordinal, priority, blocking}, &made);
    if (!status.ok()) {
        give_bare_stream(*slot);
        return status;
    }
    fill(*slot, device, made.native, StreamKind::Dedicated);
    slot->uid = new_stream_uid();
    *out = slot;
    return kOk;
}

Status check_native(uintptr_t native) noexcept {
    if (native >= kFirstPointer && native < kEndOfUserSpace && native % kPointerAlignment == 0) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE,
                "%#zx can be no driver's stream: it is neither 0, 1, 2 nor an aligned user-space address",
                static_cast<size_t>(native));
}

Status check_expected(const Device *expected, const Device &actual) noexcept {
    if (!expected || expected == &actual) return kOk;
    return fail(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to %s device %d, not to %s device %d",
                actual.backend->name(), actual.ordinal, expected->backend->name(), expected->ordinal);
}

Status adopt(ThreadBlock &thread, Backend &backend, const Device *expected, uintptr_t native, ReleaseFunction release,
             uint64_t *out_handle) noexcept {
    AdoptedStream found{};
    GS_TRY(backend.stream_adopt(native, &found));
    Device &device = *started_device(backend.kind(), found.ordinal);
    GS_TRY(check_expected(expected, device));
    StreamSlot *slot = nullptr;
    GS_TRY(make_slot(&slot));
    fill(*slot, device, native, StreamKind::External);
    slot->priority = found.priority;
    slot->flags = found.blocking ? uint32_t{GS_STREAM_BLOCKING} : 0u;
    slot->release = release.fn;
    slot->release_arg = release.arg;
    slot->exported.store(true, std::memory_order_relaxed);
    return publish(thread, *slot, out_handle);
}

} // namespace

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    int32_t least = 0;
    int32_t greatest = 0;
    GS_TRY(priority_range(device, &least, &greatest));
    priority = std::clamp(priority, greatest, least);
    const bool blocking = (flags & GS_STREAM_BLOCKING) != 0;
    StreamSlot *slot = nullptr;
    if (flags & GS_STREAM_SHARED)
        GS_TRY(create_shared(thread, device, priority, blocking, &slot));
    else if (flags & GS_STREAM_DEDICATED)
        GS_TRY(create_dedicated(device, priority, blocking, &slot));
    else
        GS_TRY(lease_stream(thread, device, priority, blocking, &slot));
    slot->priority = priority;
    slot->flags = flags;
    return publish(thread, *slot, out_handle);
}

Status wrap_stream(ThreadBlock &thread, Device *expected, uintptr_t native, ReleaseFunction release,
                   uint64_t *out_handle) noexcept {
    if (native == kNativeDefaultStream || native == kNativeLegacy || native == kNativePerThreadStream) {
        if (!expected) GS_TRY(current_device(thread, &expected));
        StreamSlot *slot = native == kNativePerThreadStream ? expected->per_thread_stream : expected->default_stream;
        *out_handle = slot->handle.load(std::memory_order_relaxed);
        if (release.fn)
            return fail(GS_ERROR_INVALID_ARGUMENT, "stream word %zu belongs to the driver and cannot be owned",
                        static_cast<size_t>(native));
        return kOk;
    }
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
            // The handle that stood for a shared driver stream may just have been destroyed; the stream itself lives on.
            if (retained.ok() || slot->kind != StreamKind::Shared) return retained;
        }
    }
    return adopt(thread, *backend, expected, native, release, out_handle);
}

Status no_such_stream(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx is not a live stream", static_cast<unsigned long long>(handle));
}

Status current_or_no_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    if (handle != kCurrentStreamBits) return no_such_stream(handle);
    GS_TRY(ensure_initialized());
    Device *device = nullptr;
    GS_TRY(current_device(thread, &device));
    const CoreThread *core = thread.core;
    StreamSlot *slot = core ? core->current[device->index].load(std::memory_order_relaxed) : nullptr;
    *out = slot ? slot : device->default_stream;
    return kOk;
}

Status stream_was_destroyed(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx was destroyed meanwhile",
                static_cast<unsigned long long>(handle));
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
