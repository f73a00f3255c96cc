// SPDX-License-Identifier: Apache-2.0
// What a thread keeps for bridges, and the way into their functions.
//
// A thread says which bridge it is inside by a plain store (asymmetric, as handle/grace.hpp explains), so that leading costs
// no shared counter. The thread that ends a registration clears the id, passes a heavy barrier, and waits until no thread
// says so any more.
#pragma once

#include "core/bridge/bridge_table.hpp"
#include "core/thread/thread_state.hpp"
#include "handle/grace.hpp"

namespace gs {

// What a bridge had current before a push.
struct SavedStream {
    int32_t id;
    int32_t place;
    uintptr_t native;
};

// Beside a Scope of the core that was opened while a bridge was notified. Looked for by its token; stale ones, of scopes
// that have ended otherwise, are dropped by the next push at their depth.
struct BridgedScope {
    uint64_t token;
    int32_t depth;
    int32_t count;
    Device *source; // the devices that were and became current
    Device *target;
    SavedStream saved[kMaxBridges];
};

// A wrap of a followed stream that is, or was, the thread's current one on a device.
struct HeldWrap {
    uint64_t handle; // 0: none
    StreamSlot *slot;
    int32_t device; // index
};

struct BridgeThread {
    std::atomic<uint32_t> inside{0};  // place + 1 of the bridge whose function runs; 0: none
    std::atomic<bool> working{false}; // in a call that reads g_notified_bridges, and may open a scope by it
    bool unsettled = false;           // see settle_bridges() in follow.hpp
    std::atomic<int32_t> open{0};     // of `scopes`
    int32_t room = 0;
    BridgedScope *scopes = nullptr;
    // Wraps of followed streams: the present ones of some devices, and replaced ones that the calls in progress may still
    // use. A reference each.
    static constexpr int kHeld = 4;
    HeldWrap held[kHeld] = {};
    std::atomic<int32_t> holding{0}; // of `held`
    static constexpr int kParked = 4;
    uint64_t parked[kParked] = {};
};

// nullptr, with the failure as the thread's pending one: there is no memory for it.
BridgeThread *make_bridge_thread(CoreThread &core) noexcept __attribute__((cold));
inline Status bridge_thread(CoreThread &core, BridgeThread **out) noexcept {
    BridgeThread *mine = core.bridge;
    if (!mine) mine = make_bridge_thread(core);
    *out = mine;
    return mine ? kOk : Status{GS_ERROR_OUT_OF_MEMORY};
}

// NOT_PERMITTED when the thread is inside a bridge's function.
Status inside_bridge(const BridgeThread &mine) noexcept __attribute__((cold));
inline Status refuse_inside_bridge(const CoreThread *core) noexcept {
    const BridgeThread *mine = core ? core->bridge : nullptr;
    if (mine && mine->inside.load(std::memory_order_relaxed) != 0) return inside_bridge(*mine);
    return kOk;
}

// A plain store that a thread which passes a heavy barrier sees, if it precedes what the caller loads next.
template <typename T>
void announce(std::atomic<T> &word, T value) noexcept {
#if defined(GS_TSAN)
    word.exchange(value, std::memory_order_seq_cst);
#else
    word.store(value, std::memory_order_relaxed);
    light_barrier();
#endif
}

// Marks a call that goes by g_notified_bridges, which it reads after this.
class BridgeWork {
public:
    explicit BridgeWork(BridgeThread &mine) noexcept : mine_(mine) { announce(mine.working, true); }
    ~BridgeWork() { mine_.working.store(false, std::memory_order_release); }
    BridgeWork(const BridgeWork &) = delete;
    BridgeWork &operator=(const BridgeWork &) = delete;

private:
    BridgeThread &mine_;
};

// A device as bridges know it; its backend need not be started.
struct BridgeDevice {
    gs_backend_t kind;
    int32_t ordinal;

    BridgeDevice(gs_backend_t backend, int32_t number) noexcept : kind(backend), ordinal(number) {}
    BridgeDevice(const Device &device) noexcept : kind(device.kind), ordinal(device.ordinal) {} // NOLINT: wanted
};

// Says which bridge the calling thread is inside, while it is.
class Inside {
public:
    Inside(BridgeThread &mine, int place) noexcept : mine_(mine) {
        announce(mine.inside, static_cast<uint32_t>(place) + 1);
        t_block->may_not_block |= kInBridge; // it has a block, since it has a BridgeThread
    }
    ~Inside() {
        t_block->may_not_block = static_cast<uint8_t>(t_block->may_not_block & ~kInBridge);
        mine_.inside.store(0, std::memory_order_release);
    }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;

private:
    BridgeThread &mine_;
};

// Once this thread has said that it is inside. 0: no bridge of this backend.
inline int32_t id_inside(const Bridge &bridge, BridgeDevice device) noexcept {
    const int32_t id = bridge.id.load(std::memory_order_seq_cst);
    return bridge.backend.load(std::memory_order_relaxed) == device.kind ? id : 0;
}

Status bridge_failed(const Bridge &bridge, const char *what, int32_t result) noexcept __attribute__((cold));
Status bridge_cannot_set(const Bridge &bridge) noexcept __attribute__((cold));
// Inside the bridge. DRIVER: its function failed.
inline Status get_theirs(const Bridge &bridge, BridgeDevice device, uintptr_t *out_native) noexcept {
    const int32_t result = bridge.get(bridge.arg, device.ordinal, out_native);
    return result == 0 ? kOk : bridge_failed(bridge, "get", result);
}
inline Status set_theirs(const Bridge &bridge, BridgeDevice device, uintptr_t native) noexcept {
    if (!bridge.set) return bridge_cannot_set(bridge);
    const int32_t result = bridge.set(bridge.arg, device.ordinal, native);
    return result == 0 ? kOk : bridge_failed(bridge, "set", result);
}

// The functions of the bridge at a place; DRIVER: one failed. The call succeeds at once if the device's backend has no
// bridge there any more, or another one than `id` (0: any).
// *out_id: the bridge that was asked; 0: none.
inline Status ask_bridge(BridgeThread &mine, int place, BridgeDevice device, uintptr_t *out_native,
                         int32_t *out_id) noexcept {
    Inside inside(mine, place);
    const Bridge &bridge = g_bridges[place];
    *out_id = id_inside(bridge, device);
    return *out_id != 0 ? get_theirs(bridge, device, out_native) : kOk;
}
inline Status notify_bridge(BridgeThread &mine, int place, int32_t id, BridgeDevice device, uintptr_t native) noexcept {
    Inside inside(mine, place);
    const Bridge &bridge = g_bridges[place];
    const int32_t found = id_inside(bridge, device);
    if (found == 0 || (id != 0 && id != found)) return kOk;
    return set_theirs(bridge, device, native);
}
Status notify_bridge_device(BridgeThread &mine, int place, int32_t id, BridgeDevice device) noexcept;

// True when no thread works for bridges or has a scope to restore; the table's lock is held.
bool bridges_may_rest() noexcept;
// Waits until no thread is inside the functions of the bridge that was withdrawn from this place.
void wait_until_outside(int place) noexcept;

} // namespace gs
