// SPDX-License-Identifier: Apache-2.0
// Events: records and waits in the order of a stream.
#include "api/observable.hpp"
#include "core/event/event_hot.hpp"
#include "core/stream/stream_sync.hpp"

using namespace gs::api;

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
