// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridge_thread.hpp"

#include <sched.h>
#include <time.h>

#include <new>

#include "base/rare_state.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {
namespace {

// round: how often the thread has looked so far. It sleeps at last, since a yield gives no thread of a lower real-time priority a turn.
void give_way(int round) noexcept {
    constexpr int kYields = 100;
    constexpr long kNapNanoseconds = 50'000;
    if (round < kYields) {
        sched_yield();
        return;
    }
    const timespec nap{0, kNapNanoseconds};
    nanosleep(&nap, nullptr);
}

// The references that the thread still has. Makes no driver call.
void end_bridged_thread(ThreadBlock &thread) noexcept {
    BridgeThread *mine = thread.core ? thread.core->bridge : nullptr;
    if (!mine) return;
    mine->open.store(0, std::memory_order_release);
    for (HeldWrap &held : mine->held)
        if (held.handle) release_stream_at_thread_exit(thread, held.handle), held.handle = 0;
    mine->holding.store(0, std::memory_order_release);
    for (uint64_t &handle : mine->parked)
        if (handle) release_stream_at_thread_exit(thread, handle), handle = 0;
    // No other call may be left that would end the rare state.
    if (in_rare_state() && g_notified_bridges.load(std::memory_order_relaxed) == 0) rest_bridges(bridges_may_rest);
}

} // namespace

BridgeThread *make_bridge_thread(CoreThread &core) noexcept {
    auto *made = add_thread_exit_hook(end_bridged_thread) ? new (std::nothrow) BridgeThread : nullptr;
    if (!made) {
        fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's bridges").ignore();
        return nullptr;
    }
    // Published for bridges_may_rest and wait_until_outside, which read it from other threads.
    __atomic_store_n(&core.bridge, made, __ATOMIC_RELEASE);
    return made;
}

Status inside_bridge(const BridgeThread &mine) noexcept {
    return fail(GS_ERROR_NOT_PERMITTED, "not permitted inside a function of bridge '%s'",
                g_bridges[mine.inside.load(std::memory_order_relaxed) - 1].name);
}

Status bridge_failed(const Bridge &bridge, const char *what, int32_t result) noexcept {
    return fail_native(GS_ERROR_DRIVER, {bridge.backend.load(std::memory_order_relaxed), result, what},
                       "bridge '%s': its function %s returned %d", bridge.name, what, result);
}

Status bridge_cannot_set(const Bridge &bridge) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "bridge '%s' is followed, but its stream cannot be set from outside",
                bridge.name);
}

Status notify_bridge_device(BridgeThread &mine, int place, int32_t id, BridgeDevice device) noexcept {
    Inside inside(mine, place);
    const Bridge &bridge = g_bridges[place];
    const int32_t found = id_inside(bridge, device);
    if (found == 0 || (id != 0 && id != found) || !bridge.set_device) return kOk;
    const int32_t result = bridge.set_device(bridge.arg, device.ordinal);
    return result == 0 ? kOk : bridge_failed(bridge, "set_device", result);
}

bool bridges_may_rest() noexcept {
    heavy_barrier();
    for (ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        CoreThread *core = __atomic_load_n(&thread->core, __ATOMIC_ACQUIRE);
        const BridgeThread *other = core ? __atomic_load_n(&core->bridge, __ATOMIC_ACQUIRE) : nullptr;
        if (!other) continue;
        // In this order: a call that opens a scope counts it before it stops working.
        if (other->working.load(std::memory_order_seq_cst) || other->open.load(std::memory_order_seq_cst) != 0 ||
            other->holding.load(std::memory_order_seq_cst) != 0)
            return false;
    }
    return true;
}

void wait_until_outside(int place) noexcept {
    heavy_barrier();
    for (ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        CoreThread *core = __atomic_load_n(&thread->core, __ATOMIC_ACQUIRE);
        const BridgeThread *other = core ? __atomic_load_n(&core->bridge, __ATOMIC_ACQUIRE) : nullptr;
        if (!other) continue;
        const uint32_t there = static_cast<uint32_t>(place) + 1;
        // As a grace period looks at the marks of calls: model event_ends.
        for (int round = 0; other->inside.load(std::memory_order_acquire) == there; ++round) give_way(round);
    }
}

} // namespace gs
