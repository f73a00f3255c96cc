// SPDX-License-Identifier: Apache-2.0
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/stream/stream_calls.hpp"

using namespace gs::api;

namespace {

Status wrap_native_event(ThreadBlock &thread, gs_device_t device, uintptr_t native, ReleaseFunction release,
                         uint64_t *handle) {
    Device *target = nullptr;
    GS_TRY(find_device(thread, device, &target));
    return wrap_event(thread, *target, native, release, handle);
}

constexpr uint32_t kEventFlags = GS_EVENT_TIMING | GS_EVENT_BLOCKING | GS_EVENT_INTERPROCESS | GS_EVENT_EXTERNAL;

Status check_event_flags(uint32_t flags) noexcept {
    GS_TRY(check_flags("event flags", flags, kEventFlags,
                       "GS_EVENT_TIMING 1, GS_EVENT_BLOCKING 2, GS_EVENT_INTERPROCESS 4 and GS_EVENT_EXTERNAL 8"));
    if ((flags & GS_EVENT_INTERPROCESS) && (flags & GS_EVENT_TIMING))
        return fail(GS_ERROR_INVALID_ARGUMENT, "an interprocess event cannot be timed");
    return kOk;
}

[[gnu::noinline]] gs_status_t event_destroy(gs_event_t event) noexcept {
    return boundary<Rule::DeviceInside>(Call("gs_event_destroy", event),
                                        [&](ThreadBlock &thread) { return release_event(thread, handle_bits(event)); });
}
constexpr auto kSawEventDestroy = [](gs_event_t event) { tools::saw_event_end(handle_bits(event)); };

[[gnu::noinline]] gs_status_t event_record(gs_event_t event, gs_stream_t stream) noexcept {
    return with_event<Rule::DeviceInside>(Call("gs_event_record", stream), event,
                                          [&](ThreadBlock &thread, EventSlot &slot) -> Status {
                                              StreamSlot *target = nullptr;
                                              GS_TRY(optional_stream(thread, handle_bits(stream), &target));
                                              return record_event(thread, slot, *target);
                                          });
}
constexpr auto kSawEventRecord = [](gs_event_t event, gs_stream_t stream) {
    tools::saw_record(handle_bits(event), handle_bits(stream));
};

[[gnu::noinline]] gs_status_t event_wait(gs_event_t event, gs_stream_t stream) noexcept {
    return with_event<Rule::DeviceInside>(Call("gs_event_wait", stream), event,
                                          [&](ThreadBlock &thread, EventSlot &slot) -> Status {
                                              StreamSlot *target = nullptr;
                                              GS_TRY(optional_stream(thread, handle_bits(stream), &target));
                                              return wait_event(thread, *target, slot);
                                          });
}
constexpr auto kSawEventWait = [](gs_event_t event, gs_stream_t stream) {
    tools::saw_wait(handle_bits(stream), handle_bits(event));
};

[[gnu::noinline]] gs_status_t event_query(gs_event_t event, int32_t *out_done) noexcept {
    return with_event<Rule::DeviceInside>(
        "gs_event_query", event, GS_OUT(out_done),
        [&](ThreadBlock &thread, EventSlot &slot) { return query_event(thread, slot, out_done); });
}
constexpr auto kSawEventQuery = [](gs_event_t event, const int32_t *out_done) {
    if (*out_done != 0) tools::saw_event_done(handle_bits(event));
};

[[gnu::noinline]] gs_status_t event_synchronize(gs_event_t event) noexcept {
    return boundary<Rule::BlockingInside>(Call("gs_event_synchronize", event), [&](ThreadBlock &thread) {
        if (wait_mode() == GS_WAIT_DRIVER) return synchronize_event(thread, handle_bits(event));
        return synchronize_event_for(thread, handle_bits(event), -1);
    });
}
constexpr auto kSawEventSynchronize = [](gs_event_t event) { tools::saw_event_done(handle_bits(event)); };

} // namespace

extern "C" {

gs_status_t gs_event_create(uint32_t flags, gs_event_t *out_event) {
    return make_object(__func__, GS_OUT(out_event), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        GS_TRY(check_event_flags(flags));
        return create_event(thread, flags, handle);
    });
}

gs_status_t gs_event_retain(gs_event_t event) {
    return boundary<Rule::Getter>(Call(__func__, event),
                                  [&](ThreadBlock &thread) { return retain_event(thread, handle_bits(event)); });
}

gs_status_t gs_event_destroy(gs_event_t event) {
    if (in_bad_fork()) return GS_OK;
    return observable<event_destroy, kSawEventDestroy>(__func__, event);
}

GS_RARE gs_status_t gs_event_from_native(gs_device_t device, uintptr_t native, gs_event_t *out_event) {
    return make_object(Call(__func__, device), GS_OUT(out_event), [&](ThreadBlock &thread, uint64_t *handle) {
        return wrap_native_event(thread, device, native, {}, handle);
    });
}

GS_RARE gs_status_t gs_event_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                               void *arg, gs_event_t *out_event) {
    return make_object(Call(__func__, device), GS_OUT(out_event), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        GS_INPUT(release);
        return wrap_native_event(thread, device, native, {release, arg}, handle);
    });
}

GS_RARE gs_status_t gs_event_into_native(gs_event_t event, uintptr_t *out_native) {
    return boundary<Rule::Device>(Call(__func__, event), GS_OUT(out_native), [&](ThreadBlock &thread) -> Status {
        return unwrap_event(thread, handle_bits(event), out_native);
    });
}

gs_status_t gs_event_record(gs_event_t event, gs_stream_t stream) {
    return observable<event_record, kSawEventRecord>(__func__, event, stream);
}

gs_status_t gs_event_wait(gs_event_t event, gs_stream_t stream) {
    return observable<event_wait, kSawEventWait>(__func__, event, stream);
}

gs_status_t gs_event_query(gs_event_t event, int32_t *out_done) {
    return observable<event_query, kSawEventQuery>(__func__, event, out_done);
}

gs_status_t gs_event_synchronize(gs_event_t event) {
    return observable<event_synchronize, kSawEventSynchronize>(__func__, event);
}

GS_RARE gs_status_t gs_event_native(gs_event_t event, uintptr_t *out_native) {
    return with_event<Rule::Getter>(__func__, event, GS_OUT(out_native), [&](ThreadBlock &, EventSlot &slot) -> Status {
        return export_native(slot, out_native);
    });
}

gs_status_t gs_event_id(gs_event_t event, uint64_t *out_id) {
    return read_event(__func__, event, GS_OUT(out_id), bound_native);
}

GS_RARE gs_status_t gs_event_device(gs_event_t event, gs_device_t *out_device) {
    return read_event(__func__, event, GS_OUT(out_device), [](EventSlot &slot) {
        const Device *device = slot.device.load(std::memory_order_acquire);
        return device ? device_number(*device) : GS_DEVICE_NONE;
    });
}

gs_status_t gs_event_get_info(gs_event_t event, gs_event_info_t *out_info) {
    return with_event<Rule::Getter>(__func__, event, [&](ThreadBlock &, EventSlot &slot) -> Status {
        GS_INPUT(out_info);
        gs_event_info_t info{};
        const Device *device = slot.device.load(std::memory_order_acquire);
        info.device = device ? device_number(*device) : GS_DEVICE_NONE;
        info.flags = slot.flags;
        info.recorded = never_recorded(slot.word.load(std::memory_order_acquire)) ? 0 : 1;
        return write_sized(out_info, info);
    });
}

GS_RARE gs_status_t gs_event_ipc_export(gs_event_t event, gs_ipc_handle_t *out_handle) {
    return with_event<Rule::Device>(__func__, event, GS_OUT(out_handle),
                                    [&](ThreadBlock &thread, EventSlot &slot) -> Status {
                                        gs_ipc_handle_t handle{};
                                        GS_TRY(export_event(thread, slot, &handle));
                                        *out_handle = handle;
                                        return kOk;
                                    });
}

GS_RARE gs_status_t gs_event_ipc_open(gs_device_t device, const gs_ipc_handle_t *handle, gs_event_t *out_event) {
    return make_object(Call(__func__, device), GS_OUT(out_event), [&](ThreadBlock &thread, uint64_t *opened) -> Status {
        GS_INPUT(handle);
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return open_event(thread, *target, *handle, opened);
    });
}

} // extern "C"

namespace {

[[gnu::noinline]] gs_status_t stream_wait_event(gs_stream_t stream, gs_event_t event) noexcept {
    return on_stream<Rule::DeviceInside>(Call("gs_stream_wait_event", event), stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             EventSlot *found = nullptr;
                                             GS_TRY(required_event(thread, handle_bits(event), &found));
                                             return wait_event(thread, slot, *found);
                                         });
}
constexpr auto kSawStreamWaitEvent = [](gs_stream_t stream, gs_event_t event) {
    tools::saw_wait(handle_bits(stream), handle_bits(event));
};

[[gnu::noinline]] gs_status_t stream_wait_stream(gs_stream_t stream, gs_stream_t other) noexcept {
    return on_stream<Rule::DeviceInside>("gs_stream_wait_stream", stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             StreamSlot *second = nullptr;
                                             GS_TRY(optional_stream(thread, handle_bits(other), &second));
                                             return wait_stream(thread, slot, *second);
                                         });
}
constexpr auto kSawStreamWaitStream = [](gs_stream_t stream, gs_stream_t other) {
    tools::saw_wait_stream(handle_bits(stream), handle_bits(other));
};

[[gnu::noinline]] gs_status_t stream_record_event(gs_stream_t stream, gs_event_t event) noexcept {
    return on_stream<Rule::DeviceInside>(Call("gs_stream_record_event", event), stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             EventSlot *found = nullptr;
                                             GS_TRY(required_event(thread, handle_bits(event), &found));
                                             return record_event(thread, *found, slot);
                                         });
}
constexpr auto kSawStreamRecordEvent = [](gs_stream_t stream, gs_event_t event) {
    tools::saw_record(handle_bits(event), handle_bits(stream));
};

} // namespace

extern "C" {

gs_status_t gs_stream_wait_event(gs_stream_t stream, gs_event_t event) {
    return observable<stream_wait_event, kSawStreamWaitEvent>(__func__, stream, event);
}

gs_status_t gs_stream_wait_stream(gs_stream_t stream, gs_stream_t other) {
    return observable<stream_wait_stream, kSawStreamWaitStream>(__func__, stream, other);
}

gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event) {
    return observable<stream_record_event, kSawStreamRecordEvent>(__func__, stream, event);
}

} // extern "C"
