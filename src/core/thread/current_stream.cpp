// SPDX-License-Identifier: Apache-2.0
#include "core/thread/current_stream.hpp"

#include "core/thread/attach.hpp"

namespace gs {
namespace {

Status core_of(ThreadBlock &thread, CoreThread **out) noexcept {
    *out = core_thread(thread);
    return *out ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current device");
}

} // namespace

Status set_current_device(ThreadBlock &thread, Device &device) noexcept {
    CoreThread *core = nullptr;
    GS_TRY(core_of(thread, &core));
    // A context that did not exist when the device became current may exist by now.
    if (core->device == &device && core->contextless != &device) return kOk;
    uintptr_t previous = 0;
    bool changed = false;
    GS_TRY(device.backend->make_current(thread, device.ordinal, &previous, &changed));
    if (changed) save_context(*core, *device.backend, previous);
    bool present = changed;
    if (!changed)
        GS_TRY(device.backend->find_context(thread, device.ordinal, &present)); // asks nothing if there is one
    core->device = &device;
    if (!present)
        core->contextless = &device;
    else if (core->contextless == &device)
        core->contextless = nullptr;
    return kOk;
}

Status go_back_to_device(ThreadBlock &thread, Device &device) noexcept {
    if (const CoreThread *core = thread.core; core && core->device == &device && core->contextless != &device)
        return kOk; // usual: a block within one device
    if (device.backend->has_context(device.ordinal)) return set_current_device(thread, device);
    CoreThread *core = nullptr;
    GS_TRY(core_of(thread, &core));
    core->device = &device;
    core->contextless = &device;
    return kOk;
}

Status set_current_stream(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                          StreamSlot **out_dropped) noexcept {
    StreamSlot *entered = stream.kind == StreamKind::Default ? nullptr : &stream;
    std::atomic<StreamSlot *> &entry = core.current[stream.device->index];
    StreamSlot *old = entry.load(std::memory_order_relaxed);
    if (old == entered) return set_current_device(thread, *stream.device);
    // The old stream keeps its entry until nothing can fail any more: other threads' scans must always find it.
    if (entered) GS_TRY(announce_current(core, *entered, handle));
    const Status status = set_current_device(thread, *stream.device);
    TableChange change(core);
    if (status.ok()) entry.store(entered, std::memory_order_release);
    core.entering.store(nullptr, std::memory_order_release);
    *out_dropped = status.ok() ? old : entered;
    return status;
}

} // namespace gs
