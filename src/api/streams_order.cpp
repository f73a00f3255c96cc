// SPDX-License-Identifier: Apache-2.0
// Streams: order, waits, host functions.
#include "api/with.hpp"
#include "core/completion/notifier.hpp"
#include "core/completion/synchronize.hpp"
#include "core/completion/wait_mode.hpp"
#include "core/event/event_hot.hpp"
#include "core/stream/stream_sync.hpp"
#include "core/work/host_call.hpp"

using namespace gs::api;

extern "C" {

gs_status_t gs_stream_query(gs_stream_t stream, int32_t *out_done) {
    return with_stream<Rule::Device>(__func__, stream, GS_OUT(out_done),
                                     [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                         bool done = false;
                                         GS_TRY(query_stream(thread, slot, &done));
                                         *out_done = done ? 1 : 0;
                                         return kOk;
                                     });
}

gs_status_t gs_stream_synchronize(gs_stream_t stream) {
    return boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) {
        if (__builtin_expect(wait_mode() == GS_WAIT_DRIVER, 1)) return synchronize_stream(thread, handle_bits(stream));
        return synchronize_stream_for(thread, handle_bits(stream), -1);
    });
}

gs_status_t gs_stream_wait_event(gs_stream_t stream, gs_event_t event) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        EventSlot *found = nullptr;
        GS_TRY(required_event(thread, handle_bits(event), &found));
        return wait_event(thread, slot, *found);
    });
}

gs_status_t gs_stream_wait_stream(gs_stream_t stream, gs_stream_t other) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        StreamSlot *second = nullptr;
        GS_TRY(optional_stream(thread, handle_bits(other), &second));
        return wait_stream(thread, slot, *second);
    });
}

gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        EventSlot *found = nullptr;
        GS_TRY(required_event(thread, handle_bits(event), &found));
        return record_event(thread, *found, slot);
    });
}

gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return launch_host(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_notify(gs_stream_t stream, void (*fn)(void *arg, gs_status_t status), void *arg) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return notify(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles) {
    return submit_to_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) {
        return slot.backend->sleep(thread, slot.ref(), cycles);
    });
}

} // extern "C"
