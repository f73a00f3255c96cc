// SPDX-License-Identifier: Apache-2.0
#include "core/device/unstarted_device.hpp"

#include "backend/registry.hpp"
#include "base/fork_state.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"

namespace gs {

Status find_unstarted(ThreadBlock &thread, gs_device_t number, UnstartedDevice *out) noexcept {
    if (number == GS_DEVICE_CURRENT) {
        if (in_bad_fork())
            return fail(GS_ERROR_BAD_FORK, "a forked child has no current device: name the device by its number");
        GS_TRY(ensure_initialized());
        Device *device = nullptr;
        GS_TRY(current_device(thread, &device));
        *out = {device->backend, device->ordinal};
        return kOk;
    }
    gs_backend_t kind = number >> 16;
    if (number < 0 || (kind != GS_BACKEND_DEFAULT && !is_backend_kind(kind)))
        return fail(GS_ERROR_INVALID_DEVICE, "there is no device numbered %d", number);
    if (kind == GS_BACKEND_DEFAULT) GS_TRY(choose_default_backend(&kind));
    Backend *backend = backend_instance(kind);
    if (!backend) return fail(GS_ERROR_INVALID_DEVICE, "this build of gpustream has no backend of device %d", number);
    *out = {backend, number & 0xFFFF};
    return kOk;
}

} // namespace gs
