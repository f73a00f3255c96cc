// SPDX-License-Identifier: Apache-2.0
// Streams: creation, references, properties.
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/stream/stream_wrap.hpp"

using namespace gs::api;

namespace {

constexpr uint32_t kStreamFlags = GS_STREAM_BLOCKING | GS_STREAM_SHARED | GS_STREAM_DEDICATED;

Status check_stream_flags(uint32_t flags) noexcept {
    GS_TRY(check_flags("stream flags", flags, kStreamFlags,
                       "GS_STREAM_BLOCKING 1, GS_STREAM_SHARED 2 and GS_STREAM_DEDICATED 4"));
    if ((flags & GS_STREAM_SHARED) && (flags & GS_STREAM_DEDICATED))
        return fail(GS_ERROR_INVALID_ARGUMENT, "a stream cannot be both shared and dedicated");
    return kOk;
}

[[gnu::always_inline]] inline Status wrap_native_stream(ThreadBlock &thread, gs_device_t device, uintptr_t native,
                                                        ReleaseFunction release, uint64_t *handle) noexcept {
    GS_TRY(ensure_initialized_for(device));
    Device *expected = nullptr;
    if (device != GS_DEVICE_NONE) GS_TRY(resolve_device(thread, device, &expected));
    const Backend *backend = expected ? expected->backend : started_default_backend();
    if (!release && wrap_recent(thread, backend, expected, native, handle)) return kOk;
    return wrap_stream(thread, expected, native, release, handle);
}

// One of the streams that a device always has.
template <StreamSlot *Device::*which>
gs_status_t stream_of_device(const char *function, gs_device_t device, gs_stream_t *out_stream) noexcept {
    return boundary<Rule::Getter>(Call(function, device), GS_OUT(out_stream), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        *out_stream = to_handle<gs_stream_t>((target->*which)->handle.load(std::memory_order_relaxed));
        return kOk;
    });
}

[[gnu::noinline]] gs_status_t stream_destroy(gs_stream_t stream) noexcept {
    return boundary<Rule::DeviceInside>(Call("gs_stream_destroy", stream), [&](ThreadBlock &thread) {
        return release_stream(thread, handle_bits(stream));
    });
}
constexpr auto kSawStreamDestroy = [](gs_stream_t stream) { tools::saw_stream_end(handle_bits(stream)); };

[[gnu::noinline]] gs_status_t stream_query(gs_stream_t stream, int32_t *out_done) noexcept {
    return with_stream<Rule::DeviceInside>("gs_stream_query", stream, GS_OUT(out_done),
                                           [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                               bool done = false;
                                               GS_TRY(query_stream(thread, slot, &done));
                                               *out_done = done ? 1 : 0;
                                               return kOk;
                                           });
}
constexpr auto kSawStreamQuery = [](gs_stream_t stream, const int32_t *out_done) {
    if (*out_done != 0) tools::saw_stream_done(handle_bits(stream));
};

[[gnu::noinline]] gs_status_t stream_synchronize(gs_stream_t stream) noexcept {
    return boundary<Rule::BlockingInside>(Call("gs_stream_synchronize", stream), [&](ThreadBlock &thread) {
        if (wait_mode() == GS_WAIT_DRIVER) return synchronize_stream(thread, handle_bits(stream));
        return synchronize_stream_for(thread, handle_bits(stream), -1);
    });
}
constexpr auto kSawStreamSynchronize = [](gs_stream_t stream) { tools::saw_stream_done(handle_bits(stream)); };

} // namespace

extern "C" {

gs_status_t gs_stream_create(gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out_stream) {
    return make_object<Rule::Slow>(Call(__func__, device), GS_OUT(out_stream),
                                   [&](ThreadBlock &thread, uint64_t *handle) -> Status {
                                       GS_TRY(check_stream_flags(flags));
                                       Device *target = nullptr;
                                       GS_TRY(find_device(thread, device, &target));
                                       return create_stream(thread, *target, priority, flags, handle);
                                   });
}

gs_status_t gs_stream_from_native(gs_device_t device, uintptr_t native, gs_stream_t *out_stream) {
    return make_object(Call(__func__, device), GS_OUT(out_stream), [&](ThreadBlock &thread, uint64_t *handle) {
        return wrap_native_stream(thread, device, native, {}, handle);
    });
}

GS_RARE gs_status_t gs_stream_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                                void *arg, gs_stream_t *out_stream) {
    return make_object(Call(__func__, device), GS_OUT(out_stream),
                       [&](ThreadBlock &thread, uint64_t *handle) -> Status {
                           GS_INPUT(release);
                           return wrap_native_stream(thread, device, native, {release, arg}, handle);
                       });
}

GS_RARE gs_status_t gs_stream_into_native(gs_stream_t stream, uintptr_t *out_native) {
    return boundary<Rule::Device>(Call(__func__, stream), GS_OUT(out_native), [&](ThreadBlock &thread) -> Status {
        return unwrap_stream(thread, handle_bits(stream), out_native);
    });
}

gs_status_t gs_stream_retain(gs_stream_t stream) {
    return boundary<Rule::Getter>(Call(__func__, stream),
                                  [&](ThreadBlock &thread) { return retain_stream(thread, handle_bits(stream)); });
}

gs_status_t gs_stream_destroy(gs_stream_t stream) {
    if (in_bad_fork()) return GS_OK;
    return observable<stream_destroy, kSawStreamDestroy>(__func__, stream);
}

gs_status_t gs_default_stream(gs_device_t device, gs_stream_t *out_stream) {
    return stream_of_device<&Device::default_stream>(__func__, device, out_stream);
}

gs_status_t gs_per_thread_stream(gs_device_t device, gs_stream_t *out_stream) {
    return stream_of_device<&Device::per_thread_stream>(__func__, device, out_stream);
}

gs_status_t gs_stream_native(gs_stream_t stream, uintptr_t *out_native) {
    return with_stream<Rule::Getter>(__func__, stream, GS_OUT(out_native),
                                     [&](ThreadBlock &, StreamSlot &slot) -> Status {
                                         if (!slot.immortal()) GS_TRY(remember_native(slot));
                                         *out_native = slot.native;
                                         return kOk;
                                     });
}

gs_status_t gs_stream_id(gs_stream_t stream, int64_t *out_id) {
    return read_stream(__func__, stream, GS_OUT(out_id), stream_id);
}

GS_RARE gs_status_t gs_stream_device(gs_stream_t stream, gs_device_t *out_device) {
    return read_stream(__func__, stream, GS_OUT(out_device),
                       [](StreamSlot &slot) { return device_number(*slot.device); });
}

gs_status_t gs_stream_get_info(gs_stream_t stream, gs_stream_info_t *out_info) {
    return with_stream<Rule::Getter>(__func__, stream, [&](ThreadBlock &, StreamSlot &slot) -> Status {
        GS_INPUT(out_info);
        gs_stream_info_t info{};
        info.device = device_number(*slot.device);
        info.id = stream_id(slot);
        info.priority = slot.priority.load(std::memory_order_relaxed);
        info.flags = slot.flags.load(std::memory_order_relaxed);
        info.hash = stream_hash(slot);
        return write_sized(out_info, info);
    });
}

GS_RARE gs_status_t gs_stream_equal(gs_stream_t stream, gs_stream_t other, int32_t *out_equal) {
    return with_stream<Rule::Getter>(__func__, stream, GS_OUT(out_equal),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         StreamSlot *second = nullptr;
                                         GS_TRY(required_stream(thread, handle_bits(other), &second));
                                         *out_equal = same_stream(slot, *second) ? 1 : 0;
                                         return kOk;
                                     });
}

gs_status_t gs_stream_is_capturing(gs_stream_t stream, int32_t *out_capturing) {
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_capturing),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         GS_TRY(check_health(*slot.device));
                                         bool capturing = false;
                                         GS_TRY(slot.backend->stream_is_capturing(thread, slot.ref(), &capturing));
                                         *out_capturing = capturing ? 1 : 0;
                                         return kOk;
                                     });
}

GS_RARE gs_status_t gs_stream_driver_id(gs_stream_t stream, uint64_t *out_id) {
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_id),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         GS_TRY(check_health(*slot.device));
                                         return slot.backend->stream_driver_id(thread, slot.ref(), out_id);
                                     });
}

gs_status_t gs_stream_context(gs_stream_t stream, uintptr_t *out_context) {
    return with_stream<Rule::Device>(
        __func__, stream, GS_OUT(out_context), [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            GS_TRY(check_health(slot));
            if (check_is_due(slot))
                return fail(GS_ERROR_CAPTURING, "the stream was wrapped while it was being captured; its context is "
                                                "not known before the capture ends");
            return slot.backend->stream_context(thread, slot.ref(), out_context);
        });
}

GS_RARE gs_status_t gs_stream_pack(gs_stream_t stream, gs_stream_triple_t *out_triple) {
    return read_stream(__func__, stream, GS_OUT(out_triple), [](StreamSlot &slot) {
        return gs_stream_triple_t{stream_id(slot), slot.ordinal, slot.device->kind};
    });
}

GS_RARE gs_status_t gs_stream_unpack(const gs_stream_triple_t *triple, gs_stream_t *out_stream) {
    return boundary<Rule::Getter>(__func__, GS_OUT(out_stream), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(triple);
        const gs_device_t number = gs_device_make(triple->device_type, triple->device_index);
        GS_TRY(ensure_initialized_for(number));
        if (number == GS_DEVICE_NONE || triple->device_type == GS_BACKEND_DEFAULT)
            return fail(GS_ERROR_INVALID_DEVICE, "device type %d, index %d names no device", triple->device_type,
                        triple->device_index);
        Device *device = nullptr;
        GS_TRY(resolve_device(thread, number, &device));
        uint64_t handle = static_cast<uint64_t>(triple->id);
        if (triple->id == static_cast<int64_t>(kNativeDefaultStream))
            handle = device->default_stream->handle.load(std::memory_order_relaxed);
        if (triple->id == static_cast<int64_t>(kNativePerThreadStream))
            handle = device->per_thread_stream->handle.load(std::memory_order_relaxed);
        {
            CallMark mark(thread);
            StreamSlot *slot = nullptr;
            GS_TRY(required_stream(thread, handle, &slot));
            if (slot->device != device)
                return fail(GS_ERROR_DEVICE_MISMATCH, "the stream belongs to %s device %d", slot->backend->name(),
                            slot->ordinal);
        }
        GS_TRY(retain_stream(thread, handle));
        *out_stream = to_handle<gs_stream_t>(handle);
        return kOk;
    });
}

gs_status_t gs_stream_query(gs_stream_t stream, int32_t *out_done) {
    return observable<stream_query, kSawStreamQuery>(__func__, stream, out_done);
}

gs_status_t gs_stream_synchronize(gs_stream_t stream) {
    return observable<stream_synchronize, kSawStreamSynchronize>(__func__, stream);
}

} // extern "C"
