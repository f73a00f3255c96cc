// SPDX-License-Identifier: Apache-2.0
#include "core/thread/attach.hpp"

#include <new>

#include "core/event/event_cache.hpp"
#include "core/fork_locks.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {
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
