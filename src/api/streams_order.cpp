// SPDX-License-Identifier: Apache-2.0
// Streams: order, waits, host functions.
#include "api/observable.hpp"
#include "api/seen_events.hpp"
#include "core/completion/notifier.hpp"
#include "core/completion/synchronize.hpp"
#include "core/completion/wait_mode.hpp"
#include "core/event/event_hot.hpp"
#include "core/stream/stream_sync.hpp"
#include "core/work/host_call.hpp"
#include "tools/check/observed.hpp"

using namespace gs::api;

namespace {

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
    if (*out_done != 0) check::saw_stream_done(handle_bits(stream));
};

[[gnu::noinline]] gs_status_t stream_synchronize(gs_stream_t stream) noexcept {
    return boundary<Rule::BlockingInside>(Call("gs_stream_synchronize", stream), [&](ThreadBlock &thread) {
        if (wait_mode() == GS_WAIT_DRIVER) return synchronize_stream(thread, handle_bits(stream));
        return synchronize_stream_for(thread, handle_bits(stream), -1);
    });
}
constexpr auto kSawStreamSynchronize = [](gs_stream_t stream) { check::saw_stream_done(handle_bits(stream)); };

[[gnu::noinline]] gs_status_t stream_wait_event(gs_stream_t stream, gs_event_t event) noexcept {
    return on_stream<Rule::DeviceInside>(Call("gs_stream_wait_event", event), stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             EventSlot *found = nullptr;
                                             GS_TRY(required_event(thread, handle_bits(event), &found));
                                             return wait_event(thread, slot, *found);
                                         });
}
constexpr auto kSawStreamWaitEvent = [](gs_stream_t stream, gs_event_t event) {
    check::saw_wait(handle_bits(stream), handle_bits(event));
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
    check::saw_wait_stream(handle_bits(stream), handle_bits(other));
};

[[gnu::noinline]] gs_status_t stream_record_event(gs_stream_t stream, gs_event_t event) noexcept {
    return on_stream<Rule::DeviceInside>(Call("gs_stream_record_event", event), stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             EventSlot *found = nullptr;
                                             GS_TRY(required_event(thread, handle_bits(event), &found));
                                             return record_event(thread, *found, slot);
                                         });
}
constexpr auto kSawStreamRecordEvent = [](gs_stream_t stream, gs_event_t event) { saw_record(event, stream); };

[[gnu::noinline]] gs_status_t stream_sleep(gs_stream_t stream, uint64_t cycles) noexcept {
    return submit_to_stream<Rule::DeviceInside>("gs_stream_sleep", stream, [&](ThreadBlock &thread, StreamSlot &slot) {
        return slot.backend->sleep(thread, slot.ref(), cycles);
    });
}
constexpr auto kSawStreamSleep = [](gs_stream_t stream, uint64_t) { check::saw_submit(handle_bits(stream)); };

} // namespace

extern "C" {

gs_status_t gs_stream_query(gs_stream_t stream, int32_t *out_done) {
    return observable<stream_query, kSawStreamQuery>(__func__, stream, out_done);
}

gs_status_t gs_stream_synchronize(gs_stream_t stream) {
    return observable<stream_synchronize, kSawStreamSynchronize>(__func__, stream);
}

gs_status_t gs_stream_wait_event(gs_stream_t stream, gs_event_t event) {
    return observable<stream_wait_event, kSawStreamWaitEvent>(__func__, stream, event);
}

gs_status_t gs_stream_wait_stream(gs_stream_t stream, gs_stream_t other) {
    return observable<stream_wait_stream, kSawStreamWaitStream>(__func__, stream, other);
}

gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event) {
    return observable<stream_record_event, kSawStreamRecordEvent>(__func__, stream, event);
}

gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg) {
    if (check::observed()) check::before_function(handle_bits(stream));
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return launch_host(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_notify(gs_stream_t stream, void (*fn)(void *arg, gs_status_t status), void *arg) {
    if (check::observed()) check::before_function(handle_bits(stream));
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return notify(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles) {
    return observable<stream_sleep, kSawStreamSleep>(__func__, stream, cycles);
}

} // extern "C"
