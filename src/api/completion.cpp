// SPDX-License-Identifier: Apache-2.0
// Completion: queues, waits with a limit, wait modes, deferred calls.
#include "api/with.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/queue.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

namespace {

Status check_room(size_t capacity) noexcept {
    return capacity != 0 ? kOk : fail(GS_ERROR_INVALID_ARGUMENT, "capacity is 0: no room for an entry");
}

} // namespace

extern "C" {

GS_RARE gs_status_t gs_queue_create(uint32_t capacity, uint32_t flags, gs_queue_t *out_queue) {
    return make_object<Rule::Getter>(__func__, GS_OUT(out_queue), [&](ThreadBlock &, uint64_t *handle) -> Status {
        if (capacity == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "a queue of capacity 0 can never have an entry");
        GS_TRY(check_flags("queue flags", flags, 0, "none"));
        return create_queue(capacity, handle);
    });
}

GS_RARE gs_status_t gs_queue_retain(gs_queue_t queue) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return retain_queue(handle_bits(queue)); });
}

GS_RARE gs_status_t gs_queue_destroy(gs_queue_t queue) {
    if (in_bad_fork()) return GS_OK;
    const gs_status_t status =
        boundary<Rule::Any>(__func__, [&](ThreadBlock &) { return release_queue(handle_bits(queue)); });
    if (tools::observed() && status == GS_OK && !queue_lives(handle_bits(queue)))
        tools::saw_queue_end(handle_bits(queue));
    return status;
}

GS_RARE gs_status_t gs_queue_fd(gs_queue_t queue, int32_t *out_fd) {
    return boundary<Rule::Getter>(__func__, GS_OUT(out_fd),
                                  [&](ThreadBlock &) -> Status { return queue_fd(handle_bits(queue), out_fd); });
}

gs_status_t gs_queue_add_stream(gs_queue_t queue, gs_stream_t stream, uint64_t token) {
    const bool expected = tools::observed() && tools::before_add_stream(handle_bits(queue), handle_bits(stream), token);
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) {
        return queue_add_stream(thread, handle_bits(queue), slot, token);
    });
    if (expected && status != GS_OK) tools::saw_add_fail(handle_bits(queue), token);
    return status;
}

gs_status_t gs_queue_add_event(gs_queue_t queue, gs_event_t event, uint64_t token) {
    const bool expected = tools::observed() && tools::before_add_event(handle_bits(queue), handle_bits(event), token);
    const gs_status_t status = with_event<Rule::Device>(__func__, event, [&](ThreadBlock &thread, EventSlot &slot) {
        return queue_add_event(thread, handle_bits(queue), slot, token);
    });
    if (expected && status != GS_OK) tools::saw_add_fail(handle_bits(queue), token);
    return status;
}

GS_RARE gs_status_t gs_queue_cancel(gs_queue_t queue, uint64_t token, size_t *out_count) {
    return boundary<Rule::Getter>(__func__, GS_OUT(out_count), [&](ThreadBlock &) -> Status {
        return cancel_in_queue(handle_bits(queue), token, out_count);
    });
}

GS_RARE gs_status_t gs_queue_wake(gs_queue_t queue) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return wake_queue(handle_bits(queue)); });
}

gs_status_t gs_queue_poll(gs_queue_t queue, gs_completion_t *out_entries, size_t capacity, size_t *out_count) {
    zero(out_count);
    const gs_status_t status = boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_entries);
        GS_INPUT(out_count);
        GS_TRY(check_room(capacity));
        return poll_queue(handle_bits(queue), out_entries, capacity, out_count);
    });
    if (tools::observed() && status == GS_OK) tools::saw_entries(handle_bits(queue), out_entries, *out_count);
    return status;
}

gs_status_t gs_queue_wait(gs_queue_t queue, gs_completion_t *out_entries, size_t capacity, int64_t timeout_ns,
                          size_t *out_count) {
    zero(out_count);
    const gs_status_t status = boundary<Rule::Blocking>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_entries);
        GS_INPUT(out_count);
        GS_TRY(check_room(capacity));
        return wait_queue(handle_bits(queue), out_entries, capacity, timeout_ns, out_count);
    });
    if (tools::observed() && status == GS_OK) tools::saw_entries(handle_bits(queue), out_entries, *out_count);
    return status;
}

gs_status_t gs_stream_synchronize_for(gs_stream_t stream, int64_t timeout_ns) {
    const gs_status_t status = boundary<Rule::Blocking>(Call(__func__, stream), [&](ThreadBlock &thread) {
        return synchronize_stream_for(thread, handle_bits(stream), timeout_ns);
    });
    if (tools::observed() && status == GS_OK) tools::saw_stream_done(handle_bits(stream));
    return status;
}

gs_status_t gs_event_synchronize_for(gs_event_t event, int64_t timeout_ns) {
    const gs_status_t status = boundary<Rule::Blocking>(Call(__func__, event), [&](ThreadBlock &thread) {
        return synchronize_event_for(thread, handle_bits(event), timeout_ns);
    });
    if (tools::observed() && status == GS_OK) tools::saw_event_done(handle_bits(event));
    return status;
}

gs_status_t gs_device_synchronize_for(gs_device_t device, int64_t timeout_ns) {
    const gs_status_t status = boundary<Rule::Blocking>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return synchronize_device_for(thread, *target, timeout_ns);
    });
    if (tools::observed() && status == GS_OK) tools::saw_device_done(device);
    return status;
}

gs_status_t gs_event_synchronize_any(const gs_event_t *events, size_t count, int64_t timeout_ns, size_t *out_index) {
    zero(out_index);
    const gs_status_t status = boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(events);
        GS_INPUT(out_index);
        if (count == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "count is 0: there is no event to wait for");
        size_t index = 0;
        GS_TRY(synchronize_events(thread, events, count, timeout_ns, &index));
        *out_index = index;
        return kOk;
    });
    if (tools::observed() && status == GS_OK) tools::saw_event_done(handle_bits(events[*out_index]));
    return status;
}

gs_status_t gs_event_synchronize_all(const gs_event_t *events, size_t count, int64_t timeout_ns) {
    const gs_status_t status = boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        if (count == 0) return kOk;
        GS_INPUT(events);
        return synchronize_events(thread, events, count, timeout_ns, nullptr);
    });
    if (tools::observed() && status == GS_OK)
        for (size_t i = 0; i < count; ++i) tools::saw_event_done(handle_bits(events[i]));
    return status;
}

gs_status_t gs_stream_defer(gs_stream_t stream, void (*fn)(void *arg), void *arg) {
    if (tools::observed()) tools::before_function(handle_bits(stream));
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(fn);
        return defer(thread, slot, fn, arg);
    });
}

} // extern "C"
