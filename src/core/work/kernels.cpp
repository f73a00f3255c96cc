// SPDX-License-Identifier: Apache-2.0
#include "core/work/kernels.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/names.hpp"
#include "core/stream/captured.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

Mutex g_unneeded_mutex;
LoadedModule *g_unneeded GS_GUARDED_BY(g_unneeded_mutex) = nullptr;
LoadedModule *g_kept GS_GUARDED_BY(g_unneeded_mutex) =
    nullptr; // found by checkers of memory, which take no module for lost

} // namespace

void LoadedModule::let_go() noexcept {
    if (holders_.release()) unload();
}

void LoadedModule::let_go_later() noexcept {
    if (!holders_.release()) return;
    MutexLock lock(g_unneeded_mutex);
    next_ = g_unneeded;
    g_unneeded = this;
}

void LoadedModule::hold_for_ever() noexcept {
    MutexLock lock(g_unneeded_mutex);
    if (is_kept_) return;
    is_kept_ = true;
    hold();
    next_ = g_kept;
    g_kept = this;
}

void unload_unneeded() noexcept {
    LoadedModule *first = nullptr;
    {
        MutexLock lock(g_unneeded_mutex);
        first = g_unneeded;
        g_unneeded = nullptr;
    }
    while (LoadedModule *module = first) {
        first = module->next_;
        module->unload();
    }
}

void LoadedModule::unload() noexcept {
    const Status status = device_.backend->module_destroy(device_.ordinal, native_);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "unloading a module of %s device %d failed: %s: %s", device_.backend->name(),
                    device_.ordinal, status_name(status.code), pending_text());
    delete this;
}

namespace {

Mutex g_kernels_mutex; // the lists, and every module's list of kernels
FreeSlots<ModuleSlot> g_free_modules GS_GUARDED_BY(g_kernels_mutex);
FreeSlots<KernelSlot> g_free_kernels GS_GUARDED_BY(g_kernels_mutex);

template <typename Map, typename Slot>
void publish(Map &map, Slot &slot, uint64_t *out_handle) noexcept {
    const uint64_t handle = map.next_handle(slot, static_cast<uint32_t>(slot.device->kind));
    slot.users.store(1, std::memory_order_relaxed);
    slot.handle.store(handle, std::memory_order_release);
    note_birth(slot, handle);
    *out_handle = handle;
}

void free_kernels(KernelSlot *first) noexcept GS_REQUIRES(g_kernels_mutex) {
    while (KernelSlot *kernel = first) {
        first = kernel->next;
        std::free(kernel->name);
        kernel->name = nullptr;
        g_free_kernels.give(*kernel);
    }
}

KernelSlot *known_kernel(const ModuleSlot &module, const char *name) noexcept GS_REQUIRES(g_kernels_mutex) {
    for (KernelSlot *kernel = module.kernels; kernel; kernel = kernel->next)
        if (std::strcmp(kernel->name, name) == 0) return kernel;
    return nullptr;
}

Status add_kernel(ModuleSlot &module, const char *name, uintptr_t native, uint64_t *out_handle) noexcept
    GS_REQUIRES(g_kernels_mutex) {
    KernelSlot *kernel = g_free_kernels.take(kernel_slots());
    char *copy = kernel ? strdup(name) : nullptr;
    if (!copy) {
        if (kernel) g_free_kernels.give(*kernel);
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the kernel '%s'", name);
    }
    kernel->device = module.device;
    kernel->loaded = module.loaded;
    kernel->native = native;
    kernel->name = copy;
    publish(kernel_slots(), *kernel, out_handle);
    kernel->next = module.kernels;
    module.kernels = kernel;
    return kOk;
}

} // namespace

Status load_module(ThreadBlock &, Device &device, const void *image, size_t bytes, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    unload_unneeded();
    uintptr_t native = 0;
    GS_TRY(device.backend->module_load(device.ordinal, image, bytes, &native));
    auto *loaded = new (std::nothrow) LoadedModule(device, native);
    if (!loaded) {
        device.backend->module_destroy(device.ordinal, native).ignore();
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another module");
    }
    {
        MutexLock lock(g_kernels_mutex);
        if (ModuleSlot *module = g_free_modules.take(module_slots())) {
            module->device = &device;
            module->loaded = loaded;
            module->kernels = nullptr;
            publish(module_slots(), *module, out_handle);
            return kOk;
        }
    }
    loaded->let_go();
    return no_slot(Kind::Module);
}

Status release_module(ThreadBlock &thread, uint64_t handle) noexcept {
    ModuleSlot *module = nullptr;
    KernelSlot *kernels = nullptr;
    {
        MutexLock lock(g_kernels_mutex);
        module = module_slots().find(handle);
        if (!module) return no_such_object(Kind::Module, handle);
        module->handle.store(0, std::memory_order_seq_cst);
        kernels = module->kernels;
        module->kernels = nullptr;
        for (KernelSlot *kernel = kernels; kernel; kernel = kernel->next)
            kernel->handle.store(0, std::memory_order_seq_cst);
    }
    wait_for_calls(thread); // launches may have found a kernel before its handle was cleared
    module->loaded->let_go();
    unload_unneeded();
    MutexLock lock(g_kernels_mutex);
    free_kernels(kernels);
    g_free_modules.give(*module);
    return kOk;
}

Status get_kernel(ThreadBlock &, uint64_t handle, const char *name, uint64_t *out_handle) noexcept {
    // The lock also keeps the module loaded during the call. Asking for a kernel is rare and need not be fast.
    LaterMessages later;
    MutexLock lock(g_kernels_mutex);
    ModuleSlot *module = module_slots().find(handle);
    if (!module) return no_such_object(Kind::Module, handle);
    if (const KernelSlot *known = known_kernel(*module, name)) {
        *out_handle = known->handle.load(std::memory_order_relaxed);
        return kOk;
    }
    GS_TRY(check_health(*module->device));
    uintptr_t native = 0;
    GS_TRY(
        module->device->backend->module_get_kernel(module->device->ordinal, module->loaded->native(), name, &native));
    return add_kernel(*module, name, native, out_handle);
}

Status required_kernel(uint64_t handle, const Device &device, const KernelSlot **out) noexcept {
    const KernelSlot *kernel = kernel_slots().find(handle);
    if (!kernel) return no_such_object(Kind::Kernel, handle);
    *out = kernel;
    if (kernel->device == &device) return kOk;
    return fail(GS_ERROR_DEVICE_MISMATCH, "the kernel '%s' was loaded on %s device %d, it is wanted on %s device %d",
                kernel->name, kernel->device->backend->name(), kernel->device->ordinal, device.backend->name(),
                device.ordinal);
}

namespace {

// Captures began or ended while the kernel was launched: the graph that has it must hold the module. If that graph is not known,
// the module stays loaded until the process ends.
[[gnu::cold]] void keep_launched(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module, uint64_t capture,
                                 const CapturesBefore &before) noexcept {
    const gs_error_info_t launched = thread.pending;
    uint64_t now = 0;
    const bool begun = before.begun();
    const CaptureGuard *guard = capture_guard();
    const bool known = !guard || guard->keep_module(thread, stream, module, &now).ok();
    thread.pending = launched;
    const bool elsewhere = capture != 0 ? now != capture : now == 0 && begun;
    if (!known || elsewhere) module.hold_for_ever();
}

} // namespace

Status launch_kernel(ThreadBlock &thread, uint64_t handle, gs_launch_config_t &config, void **arguments,
                     StreamSlot &stream) noexcept {
    const KernelSlot *kernel = nullptr;
    GS_TRY(required_kernel(handle, *stream.device, &kernel));
    GS_TRY(check_health(stream));
    EarlyEvent event;
    if (has_attributes(config)) {
        GS_TRY(check_attributes(config));
        GS_TRY(event.take(thread, stream, &config));
    }
    const CapturesBefore before(stream);
    uint64_t capture = 0;
    if (const CaptureGuard *guard = capture_guard())
        GS_TRY(guard->keep_module(thread, stream, *kernel->loaded, &capture));
    mark_used(stream);
    const Status status = stream.backend->kernel_launch(thread, stream.ref(), kernel->native, config, arguments);
    event.recorded(thread, stream, status);
    if (before.changed()) keep_launched(thread, stream, *kernel->loaded, capture, before);
    return status;
}

} // namespace gs
