// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/follow.hpp"

#include "backend/registry.hpp"
#include "base/rare_state.hpp"
#include "core/device/device_table.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_wrap.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

// The caller's mark may protect calls on the replaced stream that go on after this, so it is kept until they have ended.
// A call replaces one stream per device at most, and uses at most two.
void park(ThreadBlock &thread, BridgeThread &mine, uint64_t handle) noexcept {
    if (handle == 0) return;
    mine.unsettled = true;
    for (uint64_t &place : mine.parked) {
        if (place != 0) continue;
        place = handle;
        return;
    }
    release_stream(thread, handle).ignore();
}

void hold(ThreadBlock &thread, BridgeThread &mine, const Device &device, StreamSlot &slot, uint64_t handle) noexcept {
    HeldWrap *place = nullptr;
    for (HeldWrap &held : mine.held)
        if (held.handle != 0 && held.device == device.index) place = &held;
    for (HeldWrap &held : mine.held)
        if (!place && held.handle == 0) place = &held;
    if (!place) place = &mine.held[0]; // the thread follows on more devices than this: one wrap is let go early
    park(thread, mine, place->handle);
    *place = slot.immortal() ? HeldWrap{} : HeldWrap{handle, &slot, device.index};
    int32_t count = 0;
    for (const HeldWrap &held : mine.held) count += held.handle != 0;
    mine.holding.store(count, std::memory_order_release);
}

// The thread's tables keep what is still current there: a wrap must not outlive its use, since its owner may destroy the
// driver's stream.
void release_held(ThreadBlock &thread, BridgeThread &mine) noexcept {
    const bool following = g_followed_bridge.load(std::memory_order_relaxed) >= 0;
    for (HeldWrap &held : mine.held) {
        if (held.handle == 0) continue;
        if (following && thread.core->current[held.device].load(std::memory_order_relaxed) == held.slot) continue;
        const uint64_t handle = held.handle;
        held = {};
        mine.holding.store(mine.holding.load(std::memory_order_relaxed) - 1, std::memory_order_release);
        release_stream(thread, handle).ignore();
    }
}

// slot: live, and the caller owns a reference to it under this handle, which becomes the thread's.
Status enter(ThreadBlock &thread, CoreThread &core, BridgeThread &mine, Device &device, StreamSlot &slot,
             uint64_t handle) noexcept {
    StreamSlot *entered = slot.kind == StreamKind::Default ? nullptr : &slot;
    if (entered) {
        if (Status announced = announce_current(core, *entered, handle); !announced.ok()) {
            park(thread, mine, handle);
            return announced;
        }
    }
    std::atomic<StreamSlot *> &entry = core.current[device.index];
    StreamSlot *dropped = entry.load(std::memory_order_relaxed);
    {
        TableChange change(core);
        entry.store(entered, std::memory_order_release);
        core.entering.store(nullptr, std::memory_order_release);
    }
    hold(thread, mine, device, slot, handle);
    settle_if_zombie(dropped);
    return kOk;
}

} // namespace

Status follow_to(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t native) noexcept {
    uint64_t handle = 0;
    GS_TRY(wrap_stream(thread, &device, native, {}, &handle));
    return enter(thread, core, *core.bridge, device, *stream_slots().find(handle), handle);
}

Status before_current(ThreadBlock &thread, Device &device) noexcept {
    GS_TRY(refuse_inside_bridge(thread.core));
    if (followed_place(thread) == kNoPlace) return kOk;
    CoreThread *core = core_thread(thread);
    if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current streams");
    return follow_now(thread, *core, device);
}

void release_unused(ThreadBlock &thread, BridgeThread &mine) noexcept {
    if (mine.inside.load(std::memory_order_relaxed) != 0) return;
    mine.unsettled = false;
    for (uint64_t &handle : mine.parked) {
        if (handle == 0) continue;
        const uint64_t parked = handle;
        handle = 0; // a release function may call the library
        release_stream(thread, parked).ignore();
    }
    if (mine.holding.load(std::memory_order_relaxed) == 0) return;
    release_held(thread, mine);
    if (mine.holding.load(std::memory_order_relaxed) == 0 && mine.open.load(std::memory_order_relaxed) == 0 &&
        g_notified_bridges.load(std::memory_order_relaxed) == 0)
        rest_bridges(bridges_may_rest);
}

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
