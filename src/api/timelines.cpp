// SPDX-License-Identifier: Apache-2.0
// Timelines, and stream memory operations on words of the program's own.
#include "api/with.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_use.hpp"

using namespace gs::api;

namespace {

constexpr uint32_t kWaitFlags = GS_VALUE_NOR | GS_VALUE_32 | GS_VALUE_FLUSH; // the conditions are numbers up to NOR
constexpr uint32_t kWriteFlags = GS_VALUE_32 | GS_VALUE_NO_BARRIER;
constexpr size_t kMostValueOps = 255; // as cuStreamBatchMemOp has it

Status check_timeline_value(uint64_t value) noexcept {
    if (value < kTimelineEnd) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "values of timelines are below 2^63 - 1; %#llx is not",
                static_cast<unsigned long long>(value));
}

Status check_word(const void *address, uint64_t value, uint32_t flags, uint32_t known) noexcept {
    GS_INPUT(address);
    GS_TRY(check_flags("flags", flags, known,
                       known == kWriteFlags ? "GS_VALUE_32 4 and GS_VALUE_NO_BARRIER 16"
                                            : "GS_VALUE_EQ 1, GS_VALUE_AND 2, GS_VALUE_32 4 and GS_VALUE_FLUSH 8"));
    const bool narrow = (flags & GS_VALUE_32) != 0;
    if (reinterpret_cast<uintptr_t>(address) % (narrow ? 4 : 8) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%p is not aligned to %d bytes", address, narrow ? 4 : 8);
    if (narrow && value > UINT32_MAX)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%#llx does not fit into 32 bits",
                    static_cast<unsigned long long>(value));
    return kOk;
}

Status check_ops(const gs_value_op_t *ops, size_t count) noexcept {
    if (count == 0) return kOk;
    GS_INPUT(ops);
    if (count > kMostValueOps)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%zu operations are more than %zu", count, kMostValueOps);
    for (size_t i = 0; i < count; ++i) {
        const gs_value_op_t &op = ops[i];
        if (op.reserved != 0) return fail(GS_ERROR_INVALID_ARGUMENT, "reserved is not 0 (ops[%zu])", i);
        const bool writes = (op.flags & GS_VALUE_WRITE) != 0;
        const Status word =
            check_word(op.address, op.value, op.flags & ~uint32_t{GS_VALUE_WRITE}, writes ? kWriteFlags : kWaitFlags);
        if (!word.ok()) return fail_element(word, "ops", i);
    }
    return kOk;
}

Status begin_operation(ThreadBlock &thread, StreamSlot &stream) noexcept {
    GS_TRY(refuse_captured(thread, stream));
    mark_used(stream);
    return kOk;
}

// The order that a wait waits for is unknown to the checker; writes alone are work as any other.
void saw_batch(gs_stream_t stream, const gs_value_op_t *ops, size_t count) noexcept {
    bool waits = false;
    for (size_t i = 0; i < count; ++i) waits |= (ops[i].flags & GS_VALUE_WRITE) == 0;
    if (waits)
        tools::saw_wait_word(handle_bits(stream));
    else if (count != 0)
        tools::saw_submit(handle_bits(stream));
}

} // namespace

extern "C" {

GS_RARE gs_status_t gs_timeline_create(gs_device_t device, uint64_t initial, uint32_t flags,
                                       gs_timeline_t *out_timeline) {
    return make_object(
        Call(__func__, device), GS_OUT(out_timeline), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
            GS_TRY(check_timeline_value(initial));
            GS_TRY(check_flags("timeline flags", flags, GS_TIMELINE_SIGNAL_FIRST, "GS_TIMELINE_SIGNAL_FIRST 1"));
            Device *found = nullptr;
            GS_TRY(find_device(thread, device, &found));
            return create_timeline(*found, initial, flags != 0, handle);
        });
}

GS_RARE gs_status_t gs_timeline_retain(gs_timeline_t timeline) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) { return retain_timeline(handle_bits(timeline)); });
}

GS_RARE gs_status_t gs_timeline_destroy(gs_timeline_t timeline) {
    if (in_bad_fork()) return GS_OK;
    const gs_status_t status =
        boundary<Rule::Any>(__func__, [&](ThreadBlock &) { return release_timeline(handle_bits(timeline)); });
    if (tools::observed() && status == GS_OK) tools::saw_timeline_end(handle_bits(timeline), false);
    return status;
}

gs_status_t gs_stream_signal_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value) {
    const uint64_t seen =
        tools::observed() ? tools::before_signal(handle_bits(stream), handle_bits(timeline), value) : 0;
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_timeline_value(value));
        return signal_in_stream(thread, slot, handle_bits(timeline), value);
    });
    if (tools::observed())
        tools::after_signal(handle_bits(stream), handle_bits(timeline), value, seen, status == GS_OK);
    return status;
}

gs_status_t gs_stream_wait_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_timeline_value(value));
        return wait_in_stream(thread, slot, handle_bits(timeline), value);
    });
    if (tools::observed() && status == GS_OK)
        tools::saw_wait_timeline(handle_bits(stream), handle_bits(timeline), value);
    return status;
}

gs_status_t gs_timeline_signal(gs_timeline_t timeline, uint64_t value) {
    const uint64_t seen = tools::observed() ? tools::before_host_signal(handle_bits(timeline), value) : 0;
    const gs_status_t status = boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_TRY(check_timeline_value(value));
        return signal_timeline(thread, handle_bits(timeline), value);
    });
    if (tools::observed()) tools::after_signal(0, handle_bits(timeline), value, seen, status == GS_OK);
    return status;
}

gs_status_t gs_timeline_value(gs_timeline_t timeline, uint64_t *out_value) {
    const gs_status_t status = boundary<Rule::Getter>(__func__, GS_OUT(out_value), [&](ThreadBlock &thread) -> Status {
        return timeline_value(thread, handle_bits(timeline), out_value);
    });
    if (tools::observed() && status == GS_OK) tools::saw_timeline(handle_bits(timeline), *out_value, true);
    return status;
}

gs_status_t gs_timeline_synchronize(gs_timeline_t timeline, uint64_t value, int64_t timeout_ns) {
    const gs_status_t status = boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_TRY(check_timeline_value(value));
        return synchronize_timeline(thread, handle_bits(timeline), value, timeout_ns);
    });
    if (tools::observed() && status == GS_OK) tools::saw_timeline(handle_bits(timeline), value, false);
    return status;
}

GS_RARE gs_status_t gs_timeline_abort(gs_timeline_t timeline, gs_status_t status) {
    const gs_status_t result = boundary<Rule::Getter>(
        __func__, [&](ThreadBlock &) -> Status { return abort_timeline(handle_bits(timeline), status); });
    if (tools::observed() && result == GS_OK) tools::saw_timeline_end(handle_bits(timeline), true);
    return result;
}

gs_status_t gs_timeline_from_fd(gs_device_t device, int32_t type, int32_t fd, gs_timeline_t *out_timeline) {
    return make_object(Call(__func__, device), GS_OUT(out_timeline),
                       [&](ThreadBlock &thread, uint64_t *handle) -> Status {
                           if (type != GS_FD_VULKAN_TIMELINE && type != GS_FD_D3D12_FENCE)
                               return fail(GS_ERROR_INVALID_ARGUMENT, "%d is no type of a file descriptor", type);
                           if (fd < 0) return fail(GS_ERROR_INVALID_ARGUMENT, "%d is no file descriptor", fd);
                           Device *found = nullptr;
                           GS_TRY(find_device(thread, device, &found));
                           return import_timeline(*found, type, fd, handle);
                       });
}

gs_status_t gs_stream_write_value(gs_stream_t stream, void *address, uint64_t value, uint32_t flags) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_word(address, value, flags, kWriteFlags));
        GS_TRY(begin_operation(thread, slot));
        return slot.backend->write_value(thread, slot.ref(), address, value, flags);
    });
    if (tools::observed() && status == GS_OK) tools::saw_submit(handle_bits(stream));
    return status;
}

gs_status_t gs_stream_wait_value(gs_stream_t stream, void *address, uint64_t value, uint32_t flags) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_word(address, value, flags, kWaitFlags));
        GS_TRY(begin_operation(thread, slot));
        return slot.backend->wait_value(thread, slot.ref(), address, value, flags);
    });
    if (tools::observed() && status == GS_OK) tools::saw_wait_word(handle_bits(stream));
    return status;
}

gs_status_t gs_stream_batch_values(gs_stream_t stream, const gs_value_op_t *ops, size_t count) {
    const gs_status_t status = on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_ops(ops, count));
        if (count == 0) return kOk;
        GS_TRY(begin_operation(thread, slot));
        return slot.backend->batch_values(thread, slot.ref(), ops, count);
    });
    if (tools::observed() && status == GS_OK) saw_batch(stream, ops, count);
    return status;
}

} // extern "C"
