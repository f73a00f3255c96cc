// SPDX-License-Identifier: Apache-2.0
// Events: records and waits that are stricter, or nodes of a graph.
#include "api/observable.hpp"
#include "api/seen_events.hpp"
#include "core/event/event_hot.hpp"
#include "core/event/event_nodes.hpp"
#include "core/event/generation.hpp"
#include "core/stream/stream_sync.hpp"
#include "tools/check/observed.hpp"

using namespace gs::api;

namespace {

Status check_external(uint32_t flags) noexcept {
    if (flags & ~uint32_t{GS_EVENT_EXTERNAL})
        return fail(GS_ERROR_INVALID_ARGUMENT, "flags %#x are neither 0 nor GS_EVENT_EXTERNAL", flags);
    return kOk;
}

[[gnu::noinline]] gs_status_t event_record_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags) noexcept {
    return with_event<Rule::DeviceInside>(
        Call("gs_event_record_with_flags", stream), event, [&](ThreadBlock &thread, EventSlot &slot) -> Status {
            GS_TRY(check_external(flags));
            StreamSlot *target = nullptr;
            GS_TRY(optional_stream(thread, handle_bits(stream), &target));
            return flags ? record_as_node(thread, slot, *target) : record_event(thread, slot, *target);
        });
}
constexpr auto kSawEventRecordWithFlags = [](gs_event_t event, gs_stream_t stream, uint32_t) {
    saw_record(event, stream);
};

[[gnu::noinline]] gs_status_t event_wait_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags) noexcept {
    return with_event<Rule::DeviceInside>(
        Call("gs_event_wait_with_flags", stream), event, [&](ThreadBlock &thread, EventSlot &slot) -> Status {
            GS_TRY(check_external(flags));
            StreamSlot *target = nullptr;
            GS_TRY(optional_stream(thread, handle_bits(stream), &target));
            return flags ? wait_as_node(thread, *target, slot) : wait_event(thread, *target, slot);
        });
}
constexpr auto kSawEventWaitWithFlags = [](gs_event_t event, gs_stream_t stream, uint32_t) {
    check::saw_wait(handle_bits(stream), handle_bits(event));
};

[[gnu::noinline]] gs_status_t stream_wait_generation(gs_stream_t stream, gs_event_t event,
                                                     uint64_t generation) noexcept {
    return on_stream<Rule::DeviceInside>(Call("gs_stream_wait_generation", event), stream,
                                         [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                                             EventSlot *found = nullptr;
                                             GS_TRY(required_event(thread, handle_bits(event), &found));
                                             return wait_generation(thread, slot, *found, generation);
                                         });
}
constexpr auto kSawStreamWaitGeneration = [](gs_stream_t stream, gs_event_t event, uint64_t) {
    check::saw_wait(handle_bits(stream), handle_bits(event));
};

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

} // namespace

extern "C" {

gs_status_t gs_event_record_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags) {
    return observable<event_record_with_flags, kSawEventRecordWithFlags>(__func__, event, stream, flags);
}

gs_status_t gs_event_wait_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags) {
    return observable<event_wait_with_flags, kSawEventWaitWithFlags>(__func__, event, stream, flags);
}

gs_status_t gs_event_generation(gs_event_t event, uint64_t *out_generation) {
    return read_event(__func__, event, GS_OUT(out_generation), event_generation);
}

gs_status_t gs_stream_wait_generation(gs_stream_t stream, gs_event_t event, uint64_t generation) {
    return observable<stream_wait_generation, kSawStreamWaitGeneration>(__func__, stream, event, generation);
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

} // extern "C"
