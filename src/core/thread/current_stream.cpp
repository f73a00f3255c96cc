// SPDX-License-Identifier: Apache-2.0
#include "core/thread/current_stream.hpp"

#include <new>

#include "core/event/event_cache.hpp"
#include "core/fork_locks.hpp"

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

namespace {

void close_scopes(CoreThread &core) noexcept {
    for (int32_t depth = core.depth.load(std::memory_order_relaxed); depth > 0; --depth) {
        Scope &scope = innermost_scope(core, depth);
        StreamSlot *held[] = {scope.source_stream.load(std::memory_order_relaxed),
                              scope.target_stream.load(std::memory_order_relaxed)};
        {
            TableChange change(core);
            scope.source_stream.store(nullptr, std::memory_order_release);
            scope.target_stream.store(nullptr, std::memory_order_release);
            core.depth.store(depth - 1, std::memory_order_release);
            if ((depth - 1) % ScopeBlock::kScopes == 0 && core.top_block->previous)
                core.top_block = core.top_block->previous;
        }
        for (StreamSlot *stream : held) settle_at_thread_exit(stream);
    }
}

} // namespace

void empty_core(ThreadBlock &thread) noexcept {
    CoreThread *core = thread.core;
    if (!core) return;
    close_scopes(*core);
    for (std::atomic<StreamSlot *> &entry : core->current) {
        StreamSlot *held = entry.load(std::memory_order_relaxed);
        if (!held) continue;
        {
            TableChange change(*core);
            entry.store(nullptr, std::memory_order_release);
        }
        settle_at_thread_exit(held);
    }
    core->device = nullptr;
    give_all_events(core->events);
}

CoreThread *attach_core(ThreadBlock &thread) noexcept {
    guard_locks_in_fork();
    if (!add_thread_exit_hook(empty_core)) return nullptr; // one-sided: the table has room for all hooks
    auto *core = new (std::nothrow) CoreThread;
    // Published for the scanners: they read thread.core of other threads.
    if (core) __atomic_store_n(&thread.core, core, __ATOMIC_RELEASE);
    return core;
}

} // namespace gs
