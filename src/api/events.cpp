// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_hot.hpp"

#include "api/boundary.hpp"
#include "core/event/event_life.hpp"
#include "core/event/event_ops.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"

using gs::CallMark;
using gs::EventSlot;
using gs::handle_bits;
using gs::Status;
using gs::ThreadBlock;
using gs::to_handle;
using gs::api::boundary;
using gs::api::Rule;
using gs::api::zero;

namespace {

constexpr uint32_t kKnownFlags = GS_EVENT_TIMING | GS_EVENT_BLOCKING | GS_EVENT_INTERPROCESS | GS_EVENT_EXTERNAL;

Status check_flags(uint32_t flags) noexcept {
    if (flags & ~kKnownFlags)
        return gs::fail(GS_ERROR_INVALID_ARGUMENT, "unknown event flags %#x", flags & ~kKnownFlags);
    if ((flags & GS_EVENT_INTERPROCESS) && (flags & GS_EVENT_TIMING))
        return gs::fail(GS_ERROR_INVALID_ARGUMENT, "an interprocess event cannot be timed");
    return gs::kOk;
}

template <Rule rule, typename Body>
gs_status_t with_event(const char *function, gs_event_t event, Body &&body) noexcept {
    return boundary<rule>(function, [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        return body(thread, *slot);
    });
}

Status initialized_device(ThreadBlock &thread, gs_device_t number, gs::Device **out) noexcept {
    GS_TRY(gs::ensure_initialized_for(number));
    return gs::resolve_device(thread, number, out);
}

} // namespace

extern "C" {

gs_status_t gs_event_create(uint32_t flags, gs_event_t *out_event) {
    zero(out_event);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_event);
        GS_TRY(check_flags(flags));
        uint64_t handle = 0;
        GS_TRY(gs::create_event(thread, flags, &handle));
        *out_event = to_handle<gs_event_t>(handle);
        return gs::kOk;
    });
}

gs_status_t gs_event_retain(gs_event_t event) {
    return boundary<Rule::Getter>(__func__,
                                  [&](ThreadBlock &thread) { return gs::retain_event(thread, handle_bits(event)); });
}

gs_status_t gs_event_destroy(gs_event_t event) {
    if (gs::in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__,
                                  [&](ThreadBlock &thread) { return gs::release_event(thread, handle_bits(event)); });
}

gs_status_t gs_event_from_native(gs_device_t device, uintptr_t native, gs_event_t *out_event) {
    zero(out_event);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_event);
        gs::Device *target = nullptr;
        GS_TRY(initialized_device(thread, device, &target));
        uint64_t handle = 0;
        GS_TRY(gs::wrap_event(thread, *target, native, &handle));
        *out_event = to_handle<gs_event_t>(handle);
        return gs::kOk;
    });
}

gs_status_t gs_event_record(gs_event_t event, gs_stream_t stream) {
    return with_event<Rule::Device>(__func__, event, [&](ThreadBlock &thread, EventSlot &slot) -> Status {
        gs::StreamSlot *target = nullptr;
        GS_TRY(gs::optional_stream(thread, handle_bits(stream), &target));
        return gs::record_event(thread, slot, *target);
    });
}

gs_status_t gs_event_wait(gs_event_t event, gs_stream_t stream) {
    return with_event<Rule::Device>(__func__, event, [&](ThreadBlock &thread, EventSlot &slot) -> Status {
        gs::StreamSlot *target = nullptr;
        GS_TRY(gs::optional_stream(thread, handle_bits(stream), &target));
        return gs::wait_event(thread, *target, slot);
    });
}

gs_status_t gs_event_query(gs_event_t event, int32_t *out_done) {
    zero(out_done);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_done);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        return gs::query_event(thread, *slot, out_done);
    });
}

gs_status_t gs_event_synchronize(gs_event_t event) {
    return boundary<Rule::Blocking>(
        __func__, [&](ThreadBlock &thread) { return gs::synchronize_event(thread, handle_bits(event)); });
}

gs_status_t gs_event_elapsed_ms(gs_event_t start, gs_event_t end, double *out_ms) {
    zero(out_ms);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_ms);
        CallMark mark(thread);
        EventSlot *first = nullptr;
        EventSlot *last = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(start), &first));
        GS_TRY(gs::required_event(thread, handle_bits(end), &last));
        double ms = 0;
        GS_TRY(gs::elapsed_ms(thread, *first, *last, &ms));
        *out_ms = ms;
        return gs::kOk;
    });
}

gs_status_t gs_event_native(gs_event_t event, uintptr_t *out_native) {
    zero(out_native);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_native);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        *out_native = gs::export_native(*slot);
        return gs::kOk;
    });
}

gs_status_t gs_event_id(gs_event_t event, uint64_t *out_id) {
    zero(out_id);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_id);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        *out_id = gs::bound_native(*slot);
        return gs::kOk;
    });
}

gs_status_t gs_event_device(gs_event_t event, gs_device_t *out_device) {
    zero(out_device);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_device);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        const gs::Device *device = slot->device.load(std::memory_order_acquire);
        *out_device = device ? gs::device_number(*device) : GS_DEVICE_NONE;
        return gs::kOk;
    });
}

gs_status_t gs_event_flags(gs_event_t event, uint32_t *out_flags) {
    zero(out_flags);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_flags);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        *out_flags = slot->flags;
        return gs::kOk;
    });
}

gs_status_t gs_event_ipc_export(gs_event_t event, gs_ipc_handle_t *out_handle) {
    zero(out_handle);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_handle);
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(gs::required_event(thread, handle_bits(event), &slot));
        gs_ipc_handle_t handle{};
        GS_TRY(gs::export_event(thread, *slot, &handle));
        *out_handle = handle;
        return gs::kOk;
    });
}

gs_status_t gs_event_ipc_open(gs_device_t device, const gs_ipc_handle_t *handle, gs_event_t *out_event) {
    zero(out_event);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_event);
        GS_INPUT(handle);
        gs::Device *target = nullptr;
        GS_TRY(initialized_device(thread, device, &target));
        uint64_t opened = 0;
        GS_TRY(gs::open_event(thread, *target, *handle, &opened));
        *out_event = to_handle<gs_event_t>(opened);
        return gs::kOk;
    });
}

} // extern "C"
