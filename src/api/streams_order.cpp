// SPDX-License-Identifier: Apache-2.0
// What streams do.
#include "core/stream/stream_sync.hpp"

#include "api/boundary.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/work/host_call.hpp"
#include "core/work/notifier.hpp"

using gs::CallMark;
using gs::handle_bits;
using gs::Status;
using gs::StreamSlot;
using gs::ThreadBlock;
using gs::api::boundary;
using gs::api::Rule;
using gs::api::zero;

namespace {

// Runs body(thread, slot) on a stream that may be GS_STREAM_CURRENT.
template <typename Body>
gs_status_t on_stream(const char *function, gs_stream_t stream, Body &&body) noexcept {
    return boundary<Rule::Device>(function, [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(gs::optional_stream(thread, handle_bits(stream), &slot));
        return body(thread, *slot);
    });
}

} // namespace

extern "C" {

gs_status_t gs_stream_query(gs_stream_t stream, int32_t *out_done) {
    zero(out_done);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_done);
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(gs::required_stream(thread, handle_bits(stream), &slot));
        bool done = false;
        GS_TRY(gs::query_stream(thread, *slot, &done));
        *out_done = done ? 1 : 0;
        return gs::kOk;
    });
}

gs_status_t gs_stream_synchronize(gs_stream_t stream) {
    return boundary<Rule::Blocking>(
        __func__, [&](ThreadBlock &thread) { return gs::synchronize_stream(thread, handle_bits(stream)); });
}

gs_status_t gs_stream_wait_event(gs_stream_t stream, gs_event_t event) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        gs::EventSlot *found = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &found));
        return gs::wait_event(thread, slot, *found);
    });
}

gs_status_t gs_stream_wait_stream(gs_stream_t stream, gs_stream_t other) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        StreamSlot *second = nullptr;
        GS_TRY(gs::optional_stream(thread, handle_bits(other), &second));
        return gs::wait_stream(thread, slot, *second);
    });
}

gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        gs::EventSlot *found = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &found));
        return gs::record_event(thread, *found, slot);
    });
}

gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return gs::launch_host(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_notify(gs_stream_t stream, void (*fn)(void *arg, gs_status_t status), void *arg) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return gs::notify(thread, slot, fn, arg);
    });
}

gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(gs::check_health(*slot.device));
        gs::mark_used(slot);
        return slot.backend->sleep(thread, slot.ref(), cycles);
    });
}

} // extern "C"
