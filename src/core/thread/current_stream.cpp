// SPDX-License-Identifier: Apache-2.0
#include "core/thread/current_stream.hpp"

#include <sched.h>

#include <new>

#include "core/runtime.hpp"
#include "core/stream/stream_create.hpp"
#include "core/stream/stream_hold.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_pool.hpp"
#include "core/thread/scope.hpp"

namespace gs {
namespace {

// The thread is gone: what it held current may now really go. No driver call is made here.
void on_thread_exit(ThreadBlock &thread) noexcept {
    CoreThread *core = thread.core;
    if (!core) return;
    for (int32_t depth = core->depth.load(std::memory_order_relaxed); depth > 0; --depth) {
        Scope &scope = core->top_block->scopes[(depth - 1) % ScopeBlock::kScopes];
        StreamSlot *held[] = {scope.source_stream.load(std::memory_order_relaxed),
                              scope.target_stream.load(std::memory_order_relaxed)};
        {
            TableChange change(*core);
            scope.source_stream.store(nullptr, std::memory_order_release);
            scope.target_stream.store(nullptr, std::memory_order_release);
            core->depth.store(depth - 1, std::memory_order_release);
            if ((depth - 1) % ScopeBlock::kScopes == 0 && core->top_block->previous)
                core->top_block = core->top_block->previous;
        }
        for (StreamSlot *stream : held) settle_at_thread_exit(stream);
    }
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
    while (StreamSlot *slot = core->leases.take_any()) return_lease(*slot);
}

bool scan(CoreThread &core, const StreamSlot &stream) noexcept {
    if (core.entering.load(std::memory_order_acquire) == &stream) return true;
    for (const auto &entry : core.current)
        if (entry.load(std::memory_order_acquire) == &stream) return true;
    const int32_t depth = core.depth.load(std::memory_order_acquire);
    const ScopeBlock *block = &core.first_block;
    for (int32_t i = 0; i < depth && block; ++i) {
        const Scope &scope = block->scopes[i % ScopeBlock::kScopes];
        if (scope.source_stream.load(std::memory_order_acquire) == &stream) return true;
        if (scope.target_stream.load(std::memory_order_acquire) == &stream) return true;
        if (i % ScopeBlock::kScopes == ScopeBlock::kScopes - 1) block = block->next.load(std::memory_order_acquire);
    }
    return false;
}

} // namespace

CoreThread *attach_core(ThreadBlock &thread) noexcept {
    guard_locks_in_fork();
    if (!add_thread_exit_hook(on_thread_exit)) return nullptr;
    auto *core = new (std::nothrow) CoreThread;
    // Published for the scanners: they read thread.core of other threads.
    if (core) __atomic_store_n(&thread.core, core, __ATOMIC_RELEASE);
    return core;
}

Status current_device(ThreadBlock &thread, Device **out) noexcept {
    const CoreThread *core = thread.core;
    if (core && core->device) {
        *out = core->device;
        return kOk;
    }
    Backend *backend = nullptr;
    GS_TRY(use_backend(GS_BACKEND_DEFAULT, &backend));
    // A host function may not ask the driver; no context is current on the driver's thread that runs it anyway.
    const int32_t driver_says = thread.callback_depth > 0 ? -1 : backend->current_ordinal(thread);
    *out = started_device(backend->kind(), driver_says >= 0 ? driver_says : 0);
    return kOk;
}

Status set_current_device(ThreadBlock &thread, Device &device) noexcept {
    CoreThread *core = core_thread(thread);
    if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current device");
    if (core->device == &device) return kOk;
    uintptr_t previous = 0;
    bool changed = false;
    GS_TRY(device.backend->make_current(thread, device.ordinal, &previous, &changed));
    if (changed) save_context(*core, *device.backend, previous);
    core->device = &device;
    return kOk;
}

Status go_back_to_device(ThreadBlock &thread, Device &device) noexcept {
    if (device.backend->has_context(device.ordinal)) return set_current_device(thread, device);
    CoreThread *core = core_thread(thread);
    if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current device");
    core->device = &device;
    return kOk;
}

Status set_current_stream(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                          StreamSlot **out_dropped) noexcept {
    StreamSlot *entered = stream.kind == StreamKind::Default ? nullptr : &stream;
    std::atomic<StreamSlot *> &entry = core.current[stream.device->index];
    StreamSlot *old = entry.load(std::memory_order_relaxed);
    if (old == entered) return set_current_device(thread, *stream.device);
    // The old stream stays in its place until nothing can fail any more: it must not be missed there for a moment.
    if (entered) GS_TRY(announce_current(core, *entered, handle));
    const Status status = set_current_device(thread, *stream.device);
    TableChange change(core);
    if (status.ok()) entry.store(entered, std::memory_order_release);
    core.entering.store(nullptr, std::memory_order_release);
    *out_dropped = status.ok() ? old : entered;
    return status;
}

bool held_by(CoreThread &core, const StreamSlot &stream) noexcept {
    for (;;) {
        const uint32_t before = core.core_seq.load(std::memory_order_acquire);
        if ((before & 1) == 0) {
            const bool held = scan(core, stream);
            if (core.core_seq.load(std::memory_order_acquire) == before) return held;
        }
        sched_yield(); // the change is a few stores long
    }
}

bool held_by_any_thread(const StreamSlot &stream) noexcept {
    for (ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        CoreThread *core = __atomic_load_n(&thread->core, __ATOMIC_ACQUIRE);
        if (core && held_by(*core, stream)) return true;
    }
    return false;
}

} // namespace gs
