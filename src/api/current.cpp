// SPDX-License-Identifier: Apache-2.0
// Streams: the current stream of the calling thread.
#include <cstring>

#include "api/boundary.hpp"
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/bridge/follow.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/scope.hpp"

using namespace gs::api;

namespace {

gs_stream_t handle_of(const StreamSlot &slot) noexcept {
    return to_handle<gs_stream_t>(slot.handle.load(std::memory_order_relaxed));
}

// Outside of rare states.
[[gnu::always_inline]] inline gs_status_t push_current(const char *function, gs_stream_t stream,
                                                       uint64_t *out_scope) noexcept {
    return guarded<Rule::Device>(Call(function, stream), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_scope);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(required_stream(thread, handle_bits(stream), &slot));
        return push_scope(thread, *core, *slot, handle_bits(stream), out_scope);
    });
}

constexpr uint32_t kMostOthers = sizeof(gs_snapshot_t::streams) / sizeof(uint64_t);

// The streams of other devices, of any started backend. The thread's own entries cannot end under it.
Status other_streams(const CoreThread &core, const Device &current, gs_snapshot_t *out) noexcept {
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        const StreamSlot *stream = core.current[index].load(std::memory_order_relaxed);
        if (!stream || index == current.index) continue;
        if (out->others == kMostOthers)
            return fail(GS_ERROR_FULL, "more than %u other devices have a current stream of their own", kMostOthers);
        const uint64_t handle = stream->handle.load(std::memory_order_relaxed);
        std::memcpy(out->streams + out->others++ * sizeof handle, &handle, sizeof handle);
    }
    return kOk;
}

gs_status_t adopt(const char *function, const gs_snapshot_t &snapshot, uint64_t *out_scope) noexcept {
    const bool rare = in_rare_state();
    uint64_t first = 0;
    for (uint32_t i = 0; i <= snapshot.others; ++i) {
        uint64_t handle = handle_bits(snapshot.stream); // that of the current device comes last
        if (i < snapshot.others) std::memcpy(&handle, snapshot.streams + i * sizeof handle, sizeof handle);
        const auto stream = to_handle<gs_stream_t>(handle);
        uint64_t scope = 0;
        const gs_status_t status =
            rare ? bridged::push(function, stream, &scope) : push_current(function, stream, &scope);
        if (status != GS_OK) {
            if (first != 0) (void)gs_unwind_current_stream(first); // leaves the failure the last error if it succeeds
            return status;
        }
        if (first == 0) first = scope;
    }
    *out_scope = first;
    return GS_OK;
}

} // namespace

extern "C" {

gs_status_t gs_current_stream(gs_device_t device, gs_stream_t *out_stream) {
    zero(out_stream);
    if (in_rare_state()) return bridged::current_stream(__func__, device, out_stream);
    return guarded<Rule::Getter>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        Device *target = known_device(*core);
        if (device != GS_DEVICE_CURRENT || !target || !g_initialized.load(std::memory_order_acquire))
            GS_TRY(find_device(thread, device, &target));
        *out_stream = handle_of(*current_stream(*core, *target));
        return kOk;
    });
}

gs_status_t gs_current_native(gs_device_t device, uintptr_t *out_native) {
    return boundary<Rule::Getter>(Call(__func__, device), GS_OUT(out_native), [&](ThreadBlock &thread) -> Status {
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        Device *target = nullptr;
        GS_TRY(find_usual_device(thread, *core, device, &target));
        return current_native(thread, *core, *target, out_native);
    });
}

gs_status_t gs_set_current_stream(gs_stream_t stream) {
    if (in_rare_state()) return bridged::set(__func__, stream);
    return guarded<Rule::Device>(Call(__func__, stream), [&](ThreadBlock &thread) -> Status {
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        StreamSlot *dropped = nullptr;
        Status status = kOk;
        {
            CallMark mark(thread);
            StreamSlot *slot = nullptr;
            GS_TRY(required_stream(thread, handle_bits(stream), &slot));
            status = set_current_stream(thread, *core, *slot, handle_bits(stream), &dropped);
        }
        settle_if_zombie(dropped);
        return status;
    });
}

gs_status_t gs_exchange_current_stream(gs_stream_t stream, gs_stream_t *out_previous) {
    zero(out_previous);
    if (in_rare_state()) return bridged::exchange(__func__, stream, out_previous);
    return guarded<Rule::Device>(Call(__func__, stream), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_previous);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        StreamSlot *dropped = nullptr;
        gs_stream_t previous = nullptr;
        Status status = kOk;
        {
            CallMark mark(thread);
            StreamSlot *slot = nullptr;
            GS_TRY(required_stream(thread, handle_bits(stream), &slot));
            // The caller gets a reference of its own, which also keeps the stream from ending as this thread lets go.
            previous = handle_of(*current_stream(*core, *slot->device));
            GS_TRY(retain_stream(thread, handle_bits(previous)));
            status = set_current_stream(thread, *core, *slot, handle_bits(stream), &dropped);
        }
        if (!status.ok()) release_stream(thread, handle_bits(previous)).ignore(); // taken above: cannot be missing
        settle_if_zombie(dropped);
        if (status.ok()) *out_previous = previous;
        return status;
    });
}

gs_status_t gs_push_current_stream(gs_stream_t stream, uint64_t *out_scope) {
    zero(out_scope);
    if (in_rare_state()) return bridged::push(__func__, stream, out_scope);
    return push_current(__func__, stream, out_scope);
}

gs_status_t gs_pop_current_stream(uint64_t scope) {
    if (in_rare_state()) return bridged::pop(__func__, scope);
    return guarded<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        return pop_scope(thread, *core, scope);
    });
}

gs_status_t gs_unwind_current_stream(uint64_t scope) {
    if (in_rare_state()) return bridged::unwind(__func__, scope);
    return guarded<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        return unwind_scopes(thread, *core, scope);
    });
}

GS_RARE gs_status_t gs_current_snapshot(gs_snapshot_t *out_snapshot) {
    gs_snapshot_t taken{};
    // Which stream is current may be another library's to say, so this is asked as any caller asks.
    if (in_rare_state())
        if (const gs_status_t status = bridged::current_stream(__func__, GS_DEVICE_CURRENT, &taken.stream);
            status != GS_OK)
            return status;
    return guarded<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_snapshot);
        GS_TRY(ensure_initialized());
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        Device *device = nullptr;
        GS_TRY(current_device(thread, &device));
        taken.device = device_number(*device);
        if (!taken.stream) taken.stream = handle_of(*current_stream(*core, *device));
        GS_TRY(other_streams(*core, *device, &taken));
        return write_sized(out_snapshot, taken);
    });
}

GS_RARE gs_status_t gs_current_adopt(const gs_snapshot_t *snapshot, uint64_t *out_scope) {
    zero(out_scope);
    gs_snapshot_t known{};
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_scope);
        GS_INPUT(snapshot);
        GS_TRY(read_sized(snapshot, &known));
        if (known.others > kMostOthers)
            return fail(GS_ERROR_INVALID_ARGUMENT, "the snapshot names %u other devices, more than %u", known.others,
                        kMostOthers);
        return kOk;
    });
    return status == GS_OK ? adopt(__func__, known, out_scope) : status;
}

} // extern "C"
