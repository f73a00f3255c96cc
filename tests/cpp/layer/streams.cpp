// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>

#include "call.hpp"

using namespace layer;

LAYER(gs_stream_create, gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out) {
    OR_C(out, gs_stream_create, device, priority, flags, out);
    return give(out, [&] { return stream::create(device, priority, static_cast<stream_flags>(flags)); });
}
LAYER(gs_stream_from_native, gs_device_t device, uintptr_t native, gs_stream_t *out) {
    OR_C(out, gs_stream_from_native, device, native, out);
    return give(out, [&] { return stream::from_native(device, native); });
}
LAYER(gs_stream_from_native_owned, gs_device_t device, uintptr_t native, void (*release)(void *), void *arg,
      gs_stream_t *out) {
    if (!release) return gs_stream_from_native_owned(device, native, release, arg, out);
    OR_C(out, gs_stream_from_native_owned, device, native, release, arg, out);
    return give(out, [&] { return stream::adopt_native(device, native, [=] { release(arg); }); });
}
LAYER(gs_stream_into_native, gs_stream_t handle, uintptr_t *out) {
    OR_C(out, gs_stream_into_native, handle, out);
    stream owned(handle);
    const gs_status_t status = give(out, [&] { return std::move(owned).into_native(); });
    if (status != GS_OK) static_cast<void>(owned.release()); // the caller keeps the reference
    return status;
}
LAYER(gs_stream_retain, gs_stream_t handle) {
    return status_of([&] { return stream::retain(stream_ref(handle)); },
                     [](stream &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_stream_destroy, gs_stream_t handle) {
    return status_of([&] { return stream(handle).close(); });
}
LAYER(gs_default_stream, gs_device_t device, gs_stream_t *out) {
    OR_C(out, gs_default_stream, device, out);
    return give(out, [&] { return default_stream(device); });
}
LAYER(gs_per_thread_stream, gs_device_t device, gs_stream_t *out) {
    OR_C(out, gs_per_thread_stream, device, out);
    return give(out, [&] { return per_thread_stream(device); });
}
LAYER(gs_current_stream, gs_device_t device, gs_stream_t *out) {
    OR_C(out, gs_current_stream, device, out);
    return give(out, [&] { return current_stream(device); });
}
LAYER(gs_set_current_stream, gs_stream_t handle) {
    return status_of([&] { return set_current_stream(stream_ref(handle)); });
}
LAYER(gs_exchange_current_stream, gs_stream_t handle, gs_stream_t *out) {
    OR_C(out, gs_exchange_current_stream, handle, out);
    return give(out, [&] { return exchange_current_stream(stream_ref(handle)); });
}

// Guards by the number of their scope, which only the layer's own library knows.
static std::map<uint64_t, std::unique_ptr<stream_guard>> &guards() {
    thread_local std::map<uint64_t, std::unique_ptr<stream_guard>> open;
    return open;
}
LAYER(gs_push_current_stream, gs_stream_t handle, uint64_t *out) {
    OR_C(out, gs_push_current_stream, handle, out);
    *out = 0;
#if GPUSTREAM_NOEXCEPT
    auto guard = std::make_unique<stream_guard>(stream_ref(handle));
    const auto status = static_cast<gs_status_t>(guard->status());
#else
    std::unique_ptr<stream_guard> guard;
    const gs_status_t status = status_of([&] { guard = std::make_unique<stream_guard>(stream_ref(handle)); });
#endif
    if (status != GS_OK) return status;
    *out = guard->scope();
    guards()[*out] = std::move(guard);
    return GS_OK;
}
LAYER(gs_pop_current_stream, uint64_t scope) {
    const auto found = guards().find(scope);
    if (found == guards().end()) return gs_pop_current_stream(scope);
    const gs_status_t status = status_of([&] { return found->second->close(); });
    if (status != GS_ERROR_SCOPE) guards().erase(found);
    return status;
}

LAYER(gs_stream_query, gs_stream_t handle, int32_t *out) {
    OR_C(out, gs_stream_query, handle, out);
    return give(out, [&] { return stream_ref(handle).query(); });
}
LAYER(gs_stream_synchronize, gs_stream_t handle) {
    return status_of([&] { return stream_ref(handle).synchronize(); });
}
LAYER(gs_stream_synchronize_for, gs_stream_t handle, int64_t timeout_ns) {
    if (timeout_ns < 0) return gs_stream_synchronize_for(handle, timeout_ns);
    bool in_time = true;
    const gs_status_t status =
        status_of([&] { return stream_ref(handle).synchronize_for(std::chrono::nanoseconds(timeout_ns)); },
                  [&](bool done) { in_time = done; });
    return in_time ? status : GS_ERROR_TIMEOUT;
}
LAYER(gs_stream_wait_event, gs_stream_t handle, gs_event_t event) {
    return status_of([&] { return stream_ref(handle).wait(event_ref(event)); });
}
LAYER(gs_stream_wait_stream, gs_stream_t handle, gs_stream_t other) {
    return status_of([&] { return stream_ref(handle).wait(stream_ref(other)); });
}
LAYER(gs_stream_record_event, gs_stream_t handle, gs_event_t event) {
    return status_of([&] { return stream_ref(handle).record(event_ref(event)); });
}
LAYER(gs_stream_sleep, gs_stream_t handle, uint64_t cycles) {
    return status_of([&] { return stream_ref(handle).sleep(cycles); });
}

#define GETTER(name, Out, method)                                                                                      \
    LAYER(name, gs_stream_t handle, Out *out) {                                                                        \
        OR_C(out, name, handle, out);                                                                                  \
        return give(out, [&] { return stream_ref(handle).method(); });                                                 \
    }
GETTER(gs_stream_native, uintptr_t, native)
GETTER(gs_stream_id, int64_t, id)
GETTER(gs_stream_driver_id, uint64_t, driver_id)
GETTER(gs_stream_context, uintptr_t, context)
GETTER(gs_stream_device, gs_device_t, device)
GETTER(gs_stream_is_capturing, int32_t, is_capturing)
#undef GETTER
LAYER(gs_stream_get_info, gs_stream_t handle, gs_stream_info_t *out) {
    const gs_status_t status = gs_stream_get_info(handle, out);
    if (status != GS_OK) return status;
    uint32_t flags = 0;
    const gs_status_t asked = give(&flags, [&] { return stream_ref(handle).flags(); });
    out->flags = flags;
    return asked == GS_OK ? give(&out->priority, [&] { return stream_ref(handle).priority(); }) : asked;
}

LAYER(gs_stream_pack, gs_stream_t handle, gs_stream_triple_t *out) {
    OR_C(out, gs_stream_pack, handle, out);
    return give_struct(out, [&] { return stream_ref(handle).pack(); });
}
LAYER(gs_stream_unpack, const gs_stream_triple_t *triple, gs_stream_t *out) {
    if (!triple) return gs_stream_unpack(triple, out);
    OR_C(out, gs_stream_unpack, triple, out);
    return give(out, [&] { return stream::unpack(*triple); });
}
LAYER(gs_stream_launch_host, gs_stream_t handle, void (*fn)(void *), void *arg) {
    if (!fn) return gs_stream_launch_host(handle, fn, arg);
    return status_of([&] { return stream_ref(handle).launch_host([=] { fn(arg); }); });
}
LAYER(gs_stream_notify, gs_stream_t handle, void (*fn)(void *, gs_status_t), void *arg) {
    if (!fn) return gs_stream_notify(handle, fn, arg);
    return status_of(
        [&] { return stream_ref(handle).notify([=](status ended) { fn(arg, static_cast<gs_status_t>(ended)); }); });
}
LAYER(gs_stream_defer, gs_stream_t handle, void (*fn)(void *), void *arg) {
    if (!fn) return gs_stream_defer(handle, fn, arg);
    return status_of([&] { return stream_ref(handle).defer([=] { fn(arg); }); });
}
