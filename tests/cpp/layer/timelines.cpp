// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

using namespace layer;

LAYER(gs_timeline_create, gs_device_t on, uint64_t initial, uint32_t flags, gs_timeline_t *out) {
    OR_C(out, gs_timeline_create, on, initial, flags, out);
    return give(out, [&] { return timeline::create(initial, on, static_cast<timeline_flags>(flags)); });
}
LAYER(gs_timeline_retain, gs_timeline_t handle) {
    return status_of([&] { return timeline::retain(timeline_ref(handle)); },
                     [](timeline &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_timeline_destroy, gs_timeline_t handle) {
    return status_of([&] { return timeline(handle).close(); });
}
LAYER(gs_timeline_signal, gs_timeline_t handle, uint64_t value) {
    return status_of([&] { return timeline_ref(handle).signal(value); });
}
LAYER(gs_timeline_value, gs_timeline_t handle, uint64_t *out) {
    OR_C(out, gs_timeline_value, handle, out);
    return give(out, [&] { return timeline_ref(handle).value(); });
}
LAYER(gs_timeline_synchronize, gs_timeline_t handle, uint64_t value, int64_t timeout_ns) {
    if (timeout_ns < 0) return status_of([&] { return timeline_ref(handle).synchronize(value); });
    bool in_time = true;
    const gs_status_t status =
        status_of([&] { return timeline_ref(handle).synchronize_for(value, std::chrono::nanoseconds(timeout_ns)); },
                  [&](bool done) { in_time = done; });
    return in_time ? status : GS_ERROR_TIMEOUT;
}
LAYER(gs_timeline_abort, gs_timeline_t handle, gs_status_t reason) {
    return status_of([&] { return timeline_ref(handle).abort(static_cast<status>(reason)); });
}
LAYER(gs_stream_signal_timeline, gs_stream_t stream, gs_timeline_t handle, uint64_t value) {
    return status_of([&] { return stream_ref(stream).signal(timeline_ref(handle), value); });
}
LAYER(gs_stream_wait_timeline, gs_stream_t stream, gs_timeline_t handle, uint64_t value) {
    return status_of([&] { return stream_ref(stream).wait(timeline_ref(handle), value); });
}
LAYER(gs_stream_write_value, gs_stream_t stream, void *address, uint64_t value, uint32_t flags) {
    return status_of([&] { return stream_ref(stream).write_value(address, value, static_cast<value_flags>(flags)); });
}
LAYER(gs_stream_wait_value, gs_stream_t stream, void *address, uint64_t value, uint32_t flags) {
    return status_of([&] { return stream_ref(stream).wait_value(address, value, static_cast<value_flags>(flags)); });
}
LAYER(gs_token_create, gs_stream_t stream, gs_token_t *out) {
    OR_C(out, gs_token_create, stream, out);
    return status_of([&] { return token::create(stream_ref(stream)); }, [&](const token &made) { *out = made.get(); });
}
LAYER(gs_token_wait, gs_stream_t stream, const gs_token_t *bytes) {
    if (!bytes) return gs_token_wait(stream, bytes);
    return status_of([&] { return token(*bytes).wait(stream_ref(stream)); });
}
LAYER(gs_token_status, const gs_token_t *bytes, gs_status_t *out) {
    if (!bytes) return gs_token_status(bytes, out);
    OR_C(out, gs_token_status, bytes, out);
    *out = GS_OK; // what a refused call leaves
    return status_of([&] { return token(*bytes).query(); },
                     [&](bool reached) { *out = reached ? GS_OK : GS_NOT_READY; });
}
