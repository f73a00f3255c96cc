// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "call.hpp"

using namespace layer;

LAYER(gs_event_create, uint32_t flags, gs_event_t *out) {
    OR_C(out, gs_event_create, flags, out);
    const auto others = static_cast<event_flags>(flags & ~uint32_t{GS_EVENT_TIMING});
    if (flags & GS_EVENT_TIMING) return give(out, [&] { return timed_event::create(others); });
    return give(out, [&] { return event::create(others); });
}
LAYER(gs_event_from_native, gs_device_t device, uintptr_t native, gs_event_t *out) {
    OR_C(out, gs_event_from_native, device, native, out);
    return give(out, [&] { return event::from_native(device, native); });
}
LAYER(gs_event_into_native, gs_event_t handle, uintptr_t *out) {
    OR_C(out, gs_event_into_native, handle, out);
    event owned(handle);
    const gs_status_t status = give(out, [&] { return std::move(owned).into_native(); });
    if (status != GS_OK) static_cast<void>(owned.release()); // the caller keeps the reference
    return status;
}
LAYER(gs_event_from_native_owned, gs_device_t device, uintptr_t native, void (*release)(void *), void *arg,
      gs_event_t *out) {
    if (!release) return gs_event_from_native_owned(device, native, release, arg, out);
    OR_C(out, gs_event_from_native_owned, device, native, release, arg, out);
    return give(out, [&] { return event::adopt_native(device, native, [=] { release(arg); }); });
}
LAYER(gs_event_retain, gs_event_t handle) {
    return status_of([&] { return event::retain(event_ref(handle)); },
                     [](event &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_event_destroy, gs_event_t handle) {
    return status_of([&] { return event(handle).close(); });
}
LAYER(gs_event_record, gs_event_t handle, gs_stream_t stream) {
    return status_of([&] { return event_ref(handle).record(stream_ref(stream)); });
}
LAYER(gs_event_wait, gs_event_t handle, gs_stream_t stream) {
    return status_of([&] { return stream_ref(stream).wait(event_ref(handle)); });
}
LAYER(gs_event_query, gs_event_t handle, int32_t *out) {
    OR_C(out, gs_event_query, handle, out);
    return give(out, [&] { return event_ref(handle).query(); });
}
LAYER(gs_event_synchronize, gs_event_t handle) {
    return status_of([&] { return event_ref(handle).synchronize(); });
}
LAYER(gs_event_synchronize_for, gs_event_t handle, int64_t timeout_ns) {
    if (timeout_ns < 0) return gs_event_synchronize_for(handle, timeout_ns);
    bool in_time = true;
    const gs_status_t status =
        status_of([&] { return event_ref(handle).synchronize_for(std::chrono::nanoseconds(timeout_ns)); },
                  [&](bool done) { in_time = done; });
    return in_time ? status : GS_ERROR_TIMEOUT;
}
LAYER(gs_event_elapsed_ms, gs_event_t start, gs_event_t end, double *out) {
    OR_C(out, gs_event_elapsed_ms, start, end, out);
    *out = 0;
    return status_of([&] { return elapsed(timed_event_ref(start), timed_event_ref(end)); },
                     [&](std::chrono::duration<double, std::milli> ms) { *out = ms.count(); });
}
LAYER(gs_event_time_ns, gs_event_t handle, int64_t *out_ns, int64_t *out_error_ns) {
    if (!out_ns || !out_error_ns) return gs_event_time_ns(handle, out_ns, out_error_ns);
    *out_ns = *out_error_ns = 0;
    return status_of([&] { return timed_event_ref(handle).host_time(); },
                     [&](timed_event_ref::time found) {
                         *out_ns = found.at.count();
                         *out_error_ns = found.error.count();
                     });
}

#define GETTER(name, Out, method)                                                                                      \
    LAYER(name, gs_event_t handle, Out *out) {                                                                         \
        OR_C(out, name, handle, out);                                                                                  \
        return give(out, [&] { return event_ref(handle).method(); });                                                  \
    }
GETTER(gs_event_native, uintptr_t, native)
GETTER(gs_event_id, uint64_t, id)
GETTER(gs_event_device, gs_device_t, device)
#undef GETTER
LAYER(gs_event_get_info, gs_event_t handle, gs_event_info_t *out) {
    const gs_status_t status = gs_event_get_info(handle, out);
    if (status != GS_OK) return status;
    uint32_t flags = 0;
    const gs_status_t asked = give(&flags, [&] { return event_ref(handle).flags(); });
    out->flags = flags;
    return asked;
}

LAYER(gs_event_ipc_export, gs_event_t handle, gs_ipc_handle_t *out) {
    OR_C(out, gs_event_ipc_export, handle, out);
    return give_struct(out, [&] { return event_ref(handle).ipc_export(); });
}
LAYER(gs_event_ipc_open, gs_device_t device, const gs_ipc_handle_t *name, gs_event_t *out) {
    if (!name) return gs_event_ipc_open(device, name, out);
    OR_C(out, gs_event_ipc_open, device, name, out);
    return give(out, [&] { return event::ipc_open(device, *name); });
}

static std::vector<event_ref> list_of(const gs_event_t *handles, size_t count) {
    std::vector<event_ref> list;
    for (size_t i = 0; i < count; ++i) list.emplace_back(handles[i]);
    return list;
}
LAYER(gs_event_synchronize_any, const gs_event_t *handles, size_t count, int64_t timeout_ns, size_t *out) {
    if (!handles || !out || count == 0) return gs_event_synchronize_any(handles, count, timeout_ns, out);
    const auto list = list_of(handles, count);
    *out = 0;
    size_t index = 0;
    const gs_status_t status = status_of(
        [&] { return timeout_ns < 0 ? wait_any(list) : wait_any_for(list, std::chrono::nanoseconds(timeout_ns)); },
        [&](size_t found) { index = found; });
    if (index == count) return GS_ERROR_TIMEOUT;
    *out = index;
    return status;
}
LAYER(gs_event_synchronize_all, const gs_event_t *handles, size_t count, int64_t timeout_ns) {
    if (!handles) return gs_event_synchronize_all(handles, count, timeout_ns);
    const auto list = list_of(handles, count);
    if (timeout_ns < 0) return status_of([&] { return wait_all(list); });
    bool in_time = true;
    const gs_status_t status = status_of([&] { return wait_all_for(list, std::chrono::nanoseconds(timeout_ns)); },
                                         [&](bool done) { in_time = done; });
    return in_time ? status : GS_ERROR_TIMEOUT;
}
