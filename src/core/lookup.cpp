// SPDX-License-Identifier: Apache-2.0
#include "core/lookup.hpp"

#include "backend/registry.hpp"
#include "base/rare_state.hpp"
#include "core/runtime.hpp"

namespace gs {

// All zero, so that the tables take no room in the library's file.
constinit EventSlots g_event_slots;
constinit StreamSlots g_stream_slots;
constinit ModuleSlots g_module_slots;
constinit KernelSlots g_kernel_slots;

std::atomic<CurrentHook> g_current_hook{nullptr};

namespace {

// The first call of all, a device that the driver chooses, or other libraries that have a say.
__attribute__((noinline, cold)) Status current_stream_slowly(ThreadBlock &thread, StreamSlot **out) noexcept {
    GS_TRY(ensure_initialized());
    Device *device = nullptr;
    GS_TRY(current_device(thread, &device));
    if (CurrentHook hook = g_current_hook.load(std::memory_order_acquire)) GS_TRY(hook(thread, *device));
    *out = thread.core ? current_stream(*thread.core, *device) : device->default_stream;
    return kOk;
}

} // namespace

Status current_or_no_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    if (handle != kCurrentStreamBits) return no_such_object(Kind::Stream, handle);
    const CoreThread *core = thread.core;
    const Device *device = core ? core->device : nullptr;
    if (!device) device = g_unset_device.load(std::memory_order_acquire);
    const bool rare = !device || in_rare_state() || !g_initialized.load(std::memory_order_acquire);
    if (rare) return current_stream_slowly(thread, out);
    StreamSlot *stream = core ? core->current[device->index].load(std::memory_order_relaxed) : nullptr;
    *out = stream ? stream : device->default_stream;
    return kOk;
}

Status followed_device(ThreadBlock &thread, Device **out) noexcept {
    if (g_default_device_count.load(std::memory_order_acquire) == 0) {
        Backend *backend = nullptr;
        GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
    }
    Device *devices = g_default_devices.load(std::memory_order_relaxed);
    // A host function may not ask the driver, and the driver's thread that runs it lacks a current context anyway.
    const int32_t ordinal = thread.callback_depth > 0 ? -1 : devices->backend->current_ordinal(thread);
    *out = devices + (ordinal >= 0 ? ordinal : 0);
    return kOk;
}

Status resolve_any_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept {
    if (number == GS_DEVICE_CURRENT) return current_device(thread, out);
    const gs_backend_t kind = number >> 16;
    const int32_t ordinal = number & 0xFFFF;
    if (number < 0 || (kind != GS_BACKEND_DEFAULT && !is_backend_kind(kind)))
        return fail(GS_ERROR_INVALID_DEVICE, "there is no device numbered %d", number);
    Backend *backend = nullptr;
    GS_TRY(use_backend(kind, &backend));
    if (ordinal >= backend->device_count())
        return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the %s backend has %d device(s)", ordinal,
                    backend->name(), backend->device_count());
    *out = started_device(backend->kind(), ordinal);
    return kOk;
}

} // namespace gs
