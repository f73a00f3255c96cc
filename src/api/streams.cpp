// SPDX-License-Identifier: Apache-2.0
// Streams: making, references, what is known of them.
#include "core/stream/stream_create.hpp"

#include "api/boundary.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_identity.hpp"
#include "core/stream/stream_life.hpp"

using gs::CallMark;
using gs::Device;
using gs::handle_bits;
using gs::Status;
using gs::StreamSlot;
using gs::ThreadBlock;
using gs::to_handle;
using gs::api::boundary;
using gs::api::Rule;
using gs::api::zero;

namespace {

constexpr uint32_t kKnownFlags = GS_STREAM_BLOCKING | GS_STREAM_SHARED | GS_STREAM_DEDICATED;

Status check_flags(uint32_t flags) noexcept {
    if (flags & ~kKnownFlags)
        return gs::fail(GS_ERROR_INVALID_ARGUMENT, "unknown stream flags %#x", flags & ~kKnownFlags);
    if ((flags & GS_STREAM_SHARED) && (flags & GS_STREAM_DEDICATED))
        return gs::fail(GS_ERROR_INVALID_ARGUMENT, "a stream cannot be both shared and dedicated");
    return gs::kOk;
}

Status wrap(ThreadBlock &thread, gs_device_t device, uintptr_t native, gs::ReleaseFunction release,
            gs_stream_t *out_stream) {
    GS_INPUT(out_stream);
    GS_TRY(gs::ensure_initialized_for(device));
    Device *expected = nullptr;
    if (device != GS_DEVICE_NONE) GS_TRY(gs::resolve_device(thread, device, &expected));
    uint64_t handle = 0;
    GS_TRY(gs::wrap_stream(thread, expected, native, release, &handle));
    *out_stream = to_handle<gs_stream_t>(handle);
    return gs::kOk;
}

// Runs body(slot) with the stream found under a mark.
template <Rule rule = Rule::Getter, typename T, typename Body>
gs_status_t with_stream(const char *function, gs_stream_t stream, T *out, Body &&body) noexcept {
    return boundary<rule>(function, [&](ThreadBlock &thread) -> Status {
        if (!out) return gs::api::null_argument("the output");
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(gs::required_stream(thread, handle_bits(stream), &slot));
        return body(thread, *slot);
    });
}

// A property that is written to *out.
template <typename T, typename Read>
gs_status_t read_stream(const char *function, gs_stream_t stream, T *out, Read &&read) noexcept {
    return with_stream(function, stream, out, [&](ThreadBlock &, StreamSlot &slot) -> Status {
        *out = read(slot);
        return gs::kOk;
    });
}

} // namespace

extern "C" {

gs_status_t gs_stream_create(gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        GS_TRY(check_flags(flags));
        GS_TRY(gs::ensure_initialized_for(device));
        Device *target = nullptr;
        GS_TRY(gs::resolve_device(thread, device, &target));
        uint64_t handle = 0;
        GS_TRY(gs::create_stream(thread, *target, priority, flags, &handle));
        *out_stream = to_handle<gs_stream_t>(handle);
        return gs::kOk;
    });
}

gs_status_t gs_stream_from_native(gs_device_t device, uintptr_t native, gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return wrap(thread, device, native, {}, out_stream); });
}

gs_status_t gs_stream_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg), void *arg,
                                        gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        GS_INPUT(release);
        return wrap(thread, device, native, {release, arg}, out_stream);
    });
}

gs_status_t gs_stream_retain(gs_stream_t stream) {
    return boundary<Rule::Getter>(__func__,
                                  [&](ThreadBlock &thread) { return gs::retain_stream(thread, handle_bits(stream)); });
}

gs_status_t gs_stream_destroy(gs_stream_t stream) {
    if (gs::in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return gs::release_stream(thread, handle_bits(stream)); });
}

gs_status_t gs_default_stream(gs_device_t device, gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        GS_TRY(gs::ensure_initialized_for(device));
        Device *target = nullptr;
        GS_TRY(gs::resolve_device(thread, device, &target));
        *out_stream = to_handle<gs_stream_t>(target->default_stream->handle.load(std::memory_order_relaxed));
        return gs::kOk;
    });
}

gs_status_t gs_per_thread_stream(gs_device_t device, gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        GS_TRY(gs::ensure_initialized_for(device));
        Device *target = nullptr;
        GS_TRY(gs::resolve_device(thread, device, &target));
        *out_stream = to_handle<gs_stream_t>(target->per_thread_stream->handle.load(std::memory_order_relaxed));
        return gs::kOk;
    });
}

gs_status_t gs_stream_native(gs_stream_t stream, uintptr_t *out_native) {
    zero(out_native);
    return with_stream(__func__, stream, out_native, [&](ThreadBlock &, StreamSlot &slot) -> Status {
        if (!slot.immortal()) GS_TRY(gs::remember_native(slot));
        *out_native = slot.native;
        return gs::kOk;
    });
}

gs_status_t gs_stream_id(gs_stream_t stream, int64_t *out_id) {
    zero(out_id);
    return read_stream(__func__, stream, out_id, gs::stream_id);
}

gs_status_t gs_stream_device(gs_stream_t stream, gs_device_t *out_device) {
    zero(out_device);
    return read_stream(__func__, stream, out_device, [](StreamSlot &slot) { return gs::device_number(*slot.device); });
}

gs_status_t gs_stream_priority(gs_stream_t stream, int32_t *out_priority) {
    zero(out_priority);
    return read_stream(__func__, stream, out_priority, [](StreamSlot &slot) { return slot.priority; });
}

gs_status_t gs_stream_flags(gs_stream_t stream, uint32_t *out_flags) {
    zero(out_flags);
    return read_stream(__func__, stream, out_flags, [](StreamSlot &slot) { return slot.flags; });
}

gs_status_t gs_stream_hash(gs_stream_t stream, uint64_t *out_hash) {
    zero(out_hash);
    return read_stream(__func__, stream, out_hash, gs::stream_hash);
}

gs_status_t gs_stream_equal(gs_stream_t stream, gs_stream_t other, int32_t *out_equal) {
    zero(out_equal);
    return with_stream(__func__, stream, out_equal, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        StreamSlot *second = nullptr;
        GS_TRY(gs::required_stream(thread, handle_bits(other), &second));
        *out_equal = gs::same_stream(slot, *second) ? 1 : 0;
        return gs::kOk;
    });
}

gs_status_t gs_stream_is_capturing(gs_stream_t stream, int32_t *out_capturing) {
    zero(out_capturing);
    return with_stream<Rule::Device>(__func__, stream, out_capturing,
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         GS_TRY(gs::check_health(*slot.device));
                                         bool capturing = false;
                                         GS_TRY(slot.backend->stream_is_capturing(thread, slot.ref(), &capturing));
                                         *out_capturing = capturing ? 1 : 0;
                                         return gs::kOk;
                                     });
}

gs_status_t gs_stream_pack(gs_stream_t stream, gs_stream_triple_t *out_triple) {
    zero(out_triple);
    return read_stream(__func__, stream, out_triple, [](StreamSlot &slot) {
        return gs_stream_triple_t{gs::stream_id(slot), slot.ordinal, slot.device->kind};
    });
}

gs_status_t gs_stream_unpack(const gs_stream_triple_t *triple, gs_stream_t *out_stream) {
    zero(out_stream);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        GS_INPUT(triple);
        const gs_device_t number = gs_device_make(triple->device_type, triple->device_index);
        GS_TRY(gs::ensure_initialized_for(number));
        if (number == GS_DEVICE_NONE || triple->device_type == GS_BACKEND_DEFAULT)
            return gs::fail(GS_ERROR_INVALID_DEVICE, "device type %d, index %d names no device", triple->device_type,
                            triple->device_index);
        Device *device = nullptr;
        GS_TRY(gs::resolve_device(thread, number, &device));
        uint64_t handle = static_cast<uint64_t>(triple->id);
        if (triple->id == static_cast<int64_t>(gs::kNativeDefaultStream))
            handle = device->default_stream->handle.load(std::memory_order_relaxed);
        if (triple->id == static_cast<int64_t>(gs::kNativePerThreadStream))
            handle = device->per_thread_stream->handle.load(std::memory_order_relaxed);
        {
            CallMark mark(thread);
            StreamSlot *slot = nullptr;
            GS_TRY(gs::required_stream(thread, handle, &slot));
            if (slot->device != device)
                return gs::fail(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to %s device %d", slot->backend->name(),
                                slot->ordinal);
        }
        GS_TRY(gs::retain_stream(thread, handle));
        *out_stream = to_handle<gs_stream_t>(handle);
        return gs::kOk;
    });
}

} // extern "C"
