// SPDX-License-Identifier: Apache-2.0
#include "tools/check/facts.hpp"

#include "base/fork_state.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"
#include "handle/grace.hpp"

namespace gs::check {

StreamFacts facts_of(const ThreadBlock &thread, const StreamSlot &slot) noexcept {
    StreamFacts facts;
    facts.handle = slot.handle.load(std::memory_order_acquire);
    facts.device = reinterpret_cast<uintptr_t>(slot.device);
    facts.legacy = slot.kind == StreamKind::Default;
    facts.blocking = facts.legacy || slot.kind == StreamKind::PerThread || slot.blocking();
    switch (slot.kind) {
    case StreamKind::Default: facts.key = {kKeyLegacy, facts.device, 0}; break;
    case StreamKind::PerThread: facts.key = {kKeyPerThread, facts.device, 0, thread.serial}; break;
    case StreamKind::External: facts.key = {kKeyForeign, facts.device, slot.native}; break;
    case StreamKind::Shared: facts.key = {kKeyShared, facts.device, slot.uid}; break;
    default: facts.key = {kKeyOwn, facts.handle, 0}; break;
    }
    return facts;
}

ThreadBlock *thread_out_of_bad_fork() noexcept {
    ThreadBlock *thread = this_thread(); // a thread's first call may find out that this is a bad fork
    return in_bad_fork() ? nullptr : thread;
}

ThreadBlock *acting_thread() noexcept {
    ThreadBlock *thread = observing_thread();
    return thread && thread->callback_depth == 0 ? thread : nullptr;
}

bool find_facts(ThreadBlock &thread, uint64_t handle, StreamFacts *out) noexcept {
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    if (!optional_stream(thread, handle, &slot).ok()) return false;
    bool captured = false;
    if (!is_captured(thread, *slot, &captured).ok() || captured) return false;
    *out = facts_of(thread, *slot);
    return true;
}

bool find_facts(ThreadBlock &thread, uint64_t handle, EventFacts *out) noexcept {
    CallMark mark(thread);
    const EventSlot *slot = find_event(thread, handle);
    if (!slot) return false;
    out->handle = handle;
    out->foreign = (slot->traits.load(std::memory_order_relaxed) & (kEventForeign | kEventShared | kEventOpened)) != 0;
    return true;
}

} // namespace gs::check
