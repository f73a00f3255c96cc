// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/work_stream.hpp"

#include "backend/registry.hpp"
#include "base/rare_state.hpp"
#include "core/bridge/follow.hpp"
#include "core/device/device_table.hpp"
#include "core/stream/native_map.hpp"
#include "core/thread/attach.hpp"

namespace gs {
namespace {

constexpr int32_t kDlCpu = 1; // has no streams for DLPack

} // namespace

Status current_native(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t *out_native) noexcept {
    if (in_rare_state()) {
        GS_TRY(refuse_inside_bridge(&core));
        if (const int32_t place = followed_place(thread); place != kNoPlace) {
            bool known = false;
            GS_TRY(followed_native(core, place, device, out_native, &known));
            if (known) return kOk;
        }
    }
    StreamSlot &stream = *current_stream(core, device); // held by this thread's table
    if (!stream.immortal()) GS_TRY(remember_native(stream));
    *out_native = stream.native;
    return kOk;
}

Status work_stream(ThreadBlock &thread, int32_t device_type, int32_t device_id, void **out_stream) noexcept {
    if (device_type == kDlCpu) return kOk;
    const gs_backend_t kind = backend_of_dlpack(device_type);
    const bool possible = kind != GS_BACKEND_DEFAULT && backend_instance(kind);
    if (!possible || device_id < 0 || device_id >= kMaxDevicesPerBackend)
        return fail(GS_ERROR_INVALID_DEVICE, "DLPack's device (%d, %d) is none of a backend of this build", device_type,
                    device_id);
    uintptr_t native = kNativeDefaultStream;
    bool known = false;
    if (const int32_t place = followed_place(thread); place != kNoPlace) {
        CoreThread *core = core_thread(thread);
        if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current streams");
        GS_TRY(refuse_inside_bridge(core));
        GS_TRY(followed_native(*core, place, {kind, device_id}, &native, &known));
    }
    const int32_t first = (kind - 1) * kMaxDevicesPerBackend;
    // Before the backend has started, nothing can have been made current.
    if (!known && device_at(first)) {
        Device *device = device_at(first + device_id);
        if (!device)
            return fail(GS_ERROR_INVALID_DEVICE, "DLPack's device (%d, %d) does not exist", device_type, device_id);
        if (thread.core) GS_TRY(current_native(thread, *thread.core, *device, &native));
    }
    *out_stream = reinterpret_cast<void *>(native);
    return kOk;
}

} // namespace gs
