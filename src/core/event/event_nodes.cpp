// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_nodes.hpp"

#include "core/event/event_hot.hpp"
#include "core/event/event_ops.hpp"
#include "core/event/interprocess_waits.hpp"

namespace gs {
namespace {

// The launches record the event or wait for it unseen by the library.
Status give_to_graph(ThreadBlock &thread, EventSlot &event, StreamSlot &stream, uintptr_t *out_native) noexcept {
    GS_TRY(native_for_graph(event, out_native));
    GS_TRY(keep_for_capture(thread, stream, event));
    mark_used(stream);
    return kOk;
}

} // namespace

Status record_as_node(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    GS_TRY(check_health(stream));
    bool capturing = false;
    GS_TRY(stream.backend->stream_is_capturing(thread, stream.ref(), &capturing));
    if (!capturing || (event.flags & GS_EVENT_EXTERNAL) != 0) return record_event(thread, event, stream);
    if (event.device.load(std::memory_order_acquire) != stream.device) GS_TRY(bind_event(event, *stream.device));
    uintptr_t native = 0;
    GS_TRY(give_to_graph(thread, event, stream, &native));
    const uint64_t before = event.word.load(std::memory_order_acquire);
    thread.counters.records.add();
    const Status status = stream.backend->event_record(thread, native, stream.ref(), true);
    if (!status.ok()) {
        spoil_record(event, before);
        return status;
    }
    event.captured.store(0, std::memory_order_release); // the graph records it when that runs
    publish_record(event, before, kUnknownStream);
    return kOk;
}

Status wait_as_node(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    GS_TRY(check_health(stream));
    bool capturing = false;
    GS_TRY(stream.backend->stream_is_capturing(thread, stream.ref(), &capturing));
    if (!capturing || (event.flags & GS_EVENT_EXTERNAL) != 0) return wait_event(thread, stream, event);
    const Device *device = event.device.load(std::memory_order_acquire);
    if (!device)
        GS_TRY(bind_event(event, *stream.device));
    else if (device->backend != stream.backend)
        return refuse_other_backend(event, stream);
    GS_TRY(check_interprocess_node(stream, event));
    uintptr_t native = 0;
    GS_TRY(give_to_graph(thread, event, stream, &native));
    thread.counters.waits.add();
    return stream.backend->stream_wait_event(thread, stream.ref(), native, true);
}

} // namespace gs
