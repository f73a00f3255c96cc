// SPDX-License-Identifier: Apache-2.0
// Streams: the current stream of the calling thread.
#include "api/bridged.hpp"
#include "api/with.hpp"
#include "core/bridge/work_stream.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/attach.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/scope.hpp"

using namespace gs::api;

namespace {

gs_stream_t handle_of(const StreamSlot &slot) noexcept {
    return to_handle<gs_stream_t>(slot.handle.load(std::memory_order_relaxed));
}

} // namespace

extern "C" {

gs_status_t gs_current_stream(gs_device_t device, gs_stream_t *out_stream) {
    zero(out_stream);
    if (in_rare_state()) return bridged::current_stream(__func__, device, out_stream);
    return guarded<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_stream);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        Device *target = known_device(*core);
        if (__builtin_expect(device != GS_DEVICE_CURRENT || !target || !g_initialized.load(std::memory_order_acquire),
                             0))
            GS_TRY(find_device(thread, device, &target));
        *out_stream = handle_of(*current_stream(*core, *target));
        return kOk;
    });
}

gs_status_t gs_current_native(gs_device_t device, uintptr_t *out_native) {
    zero(out_native);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_native);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        Device *target = nullptr;
        GS_TRY(find_usual_device(thread, *core, device, &target));
        return current_native(thread, *core, *target, out_native);
    });
}

gs_status_t gs_set_current_stream(gs_stream_t stream) {
    if (in_rare_state()) return bridged::set(__func__, stream);
    return guarded<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
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
    return guarded<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
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
    return guarded<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_scope);
        CoreThread *core = nullptr;
        GS_TRY(require_core(thread, &core));
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(required_stream(thread, handle_bits(stream), &slot));
        return push_scope(thread, *core, *slot, handle_bits(stream), out_scope);
    });
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

} // extern "C"
