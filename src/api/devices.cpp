// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "api/boundary.hpp"
#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/sized_struct.hpp"
#include "base/text.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/thread/current_stream.hpp"

using namespace gs::api;

namespace {

// Before the backend runs, the count is probed without starting it.
Status count_devices(gs_backend_t kind, int32_t *out_count) noexcept {
    if (kind == GS_BACKEND_DEFAULT) GS_TRY(choose_default_backend(&kind));
    if (!is_backend_kind(kind)) return fail(GS_ERROR_INVALID_ARGUMENT, "%d is not a backend", kind);
    *out_count = std::min(known_device_count(kind), kMaxDevicesPerBackend);
    return kOk;
}

[[gnu::noinline]] gs_status_t device_synchronize(gs_device_t device) noexcept {
    return boundary<Rule::BlockingInside>(Call("gs_device_synchronize", device), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        if (wait_mode() == GS_WAIT_DRIVER) return synchronize_device(thread, *target);
        return synchronize_device_for(thread, *target, -1);
    });
}
constexpr auto kSawDeviceSynchronize = [](gs_device_t device) { tools::saw_device_done(device); };

} // namespace

extern "C" {

GS_RARE gs_status_t gs_default_backend(gs_backend_t *out_backend) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_backend),
                               [&](ThreadBlock &) -> Status { return choose_default_backend(out_backend); });
}

gs_device_t gs_device_make(gs_backend_t backend, int32_t ordinal) {
    const bool known = backend == GS_BACKEND_DEFAULT || is_backend_kind(backend);
    if (!known || ordinal < 0 || ordinal > 0xFFFF) return GS_DEVICE_NONE;
    return GS_DEVICE(backend, ordinal);
}

gs_backend_t gs_device_backend(gs_device_t device) {
    if (device < 0) return GS_BACKEND_DEFAULT;
    return device >> 16;
}

int32_t gs_device_ordinal(gs_device_t device) { return device < 0 ? -1 : device & 0xFFFF; }

GS_RARE gs_status_t gs_device_count(gs_backend_t backend, int32_t *out_count) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_count),
                               [&](ThreadBlock &) -> Status { return count_devices(backend, out_count); });
}

gs_status_t gs_current_device(gs_device_t *out_device) {
    zero(out_device);
    if (in_rare_state()) return bridged::current_device(__func__, out_device);
    return guarded<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_device);
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(current_device(thread, &device));
        *out_device = device_number(*device);
        return kOk;
    });
}

gs_status_t gs_set_current_device(gs_device_t device) {
    if (in_rare_state()) return bridged::set_device(__func__, device);
    return guarded<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(resolve_device(thread, device, &target));
        return set_current_device(thread, *target);
    });
}

gs_status_t gs_exchange_device(gs_device_t device, gs_device_t *out_previous) {
    zero(out_previous);
    if (in_rare_state()) return bridged::exchange_device(__func__, device, out_previous);
    return guarded<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_previous);
        Device *previous = nullptr;
        Device *target = nullptr;
        GS_TRY(current_device(thread, &previous));
        GS_TRY(resolve_device(thread, device, &target));
        GS_TRY(go_back_to_device(thread, *target));
        *out_previous = device_number(*previous);
        return kOk;
    });
}

gs_status_t gs_device_synchronize(gs_device_t device) {
    return observable<device_synchronize, kSawDeviceSynchronize>(__func__, device);
}

GS_RARE gs_status_t gs_device_check(gs_device_t device) {
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        GS_TRY(check_health(*target));
        return target->backend->device_check(target->ordinal);
    });
}

GS_RARE gs_status_t gs_device_reset(gs_device_t device) {
    return boundary<Rule::Blocking>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return reset_device(thread, *target);
    });
}

GS_RARE gs_status_t gs_device_get_info(gs_device_t device, gs_device_info_t *out_info) {
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_info);
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        gs_device_info_t info; // large, and written as a whole
        GS_TRY(device_info(*target, &info));
        make_printable(info.name);
        return write_sized(out_info, info);
    });
}

GS_RARE gs_status_t gs_device_can_access_peer(gs_device_t device, gs_device_t peer, int32_t *out_can_access) {
    return boundary<Rule::Device>(Call(__func__, device), GS_OUT(out_can_access), [&](ThreadBlock &thread) -> Status {
        Device *from = nullptr;
        Device *to = nullptr;
        GS_TRY(find_device(thread, device, &from));
        GS_TRY(find_device(thread, peer, &to));
        if (from->backend != to->backend || from == to) return kOk;
        bool can_access = false;
        GS_TRY(from->backend->can_access_peer(from->ordinal, to->ordinal, &can_access));
        *out_can_access = can_access ? 1 : 0;
        return kOk;
    });
}

GS_RARE gs_status_t gs_device_priority_range(gs_device_t device, int32_t *out_least, int32_t *out_greatest) {
    zero(out_least);
    zero(out_greatest);
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_least);
        GS_INPUT(out_greatest);
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return priority_range(*target, out_least, out_greatest);
    });
}

} // extern "C"
