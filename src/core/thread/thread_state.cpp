// SPDX-License-Identifier: Apache-2.0
#include "core/thread/thread_state.hpp"

#include <sched.h>

namespace gs {
namespace {

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

// One context is enough: only CUDA has them.
void save_context(CoreThread &core, const Backend &backend, uintptr_t previous) noexcept {
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    if (depth == 0) return;
    Scope &scope = innermost_scope(core, depth);
    if (scope.context_backend != GS_BACKEND_DEFAULT) return;
    scope.context_backend = backend.kind();
    scope.previous_context = previous;
    scope.only_device = nullptr;
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
