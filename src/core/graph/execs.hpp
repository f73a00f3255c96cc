// SPDX-License-Identifier: Apache-2.0
// Executable graphs: making, launching, ending them.
//
// Drivers allow one call at a time on an executable. As long as one thread alone has used it, that thread's calls need no
// lock (SlotBase::owner). The first call by another thread waits until the owner has left its call; from then on each call
// takes the executable's mutex. The mutex is taken before the thread's mark: a thread that waits for the calls of others
// to end holds at most the mutex.
#pragma once

#include "core/graph/graph_slots.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"

namespace gs {

Status instantiate_graph(ThreadBlock &thread, uint64_t graph, uint32_t flags, uint64_t *out_handle) noexcept;
Status release_exec(ThreadBlock &thread, uint64_t handle) noexcept;

// The calling thread has the executable for itself until the end of the block, which may call the driver on it but must
// not hold a CallMark when it begins.
class LockedExec {
public:
    LockedExec() noexcept = default;
    ~LockedExec() GS_UNANALYSED {
        if (locked_) locked_->mutex.unlock();
    }
    LockedExec(const LockedExec &) = delete;
    LockedExec &operator=(const LockedExec &) = delete;

    Status find(ThreadBlock &thread, uint64_t handle) noexcept GS_UNANALYSED;
    ExecSlot *operator->() const noexcept { return slot_; }
    ExecSlot &operator*() const noexcept { return *slot_; }

private:
    LaterMessages later_; // first: it outlives the lock
    ExecSlot *slot_ = nullptr;
    ExecSlot *locked_ = nullptr;
};

using ExecCall = Status (Graphs::*)(ThreadBlock &, GraphRef, StreamRef) noexcept;

// Under the caller's mark, which it must leave before launch_shared.
Status refuse_other_device(const ExecSlot &exec, const StreamSlot &stream) noexcept __attribute__((cold));
// Drivers cannot capture a launch, and one that they refuse breaks the capture.
Status refuse_captured(ThreadBlock &thread, const StreamSlot &stream) noexcept __attribute__((cold));
inline Status launch_exec(ThreadBlock &thread, ExecSlot &exec, StreamSlot &stream) noexcept {
    if (exec.device != stream.device) return refuse_other_device(exec, stream);
    GS_TRY(check_health(stream));
    if (capture_guard() != nullptr) GS_TRY(refuse_captured(thread, stream));
    mark_used(stream);
    return exec.graphs->exec_launch(thread, exec.ref(), stream.ref());
}

// The executable if the calling thread is the only one that has used it; else nullptr.
inline ExecSlot *own_exec(const ThreadBlock &thread, uint64_t handle) noexcept {
    ExecSlot *slot = exec_slots().find(handle);
    if (!slot || slot->owner.load(std::memory_order_seq_cst) != thread.id) return nullptr;
    return slot;
}
// Any other one.
Status launch_shared(ThreadBlock &thread, uint64_t exec, uint64_t stream) noexcept __attribute__((cold));
Status upload_exec(ThreadBlock &thread, uint64_t exec, uint64_t stream) noexcept;

// Changes of executable graphs. Each function locks the executable, then the graph that it was made from or that is given.
// Called without a CallMark.

// The call also succeeds if the graph cannot be taken over: out->reason says why.
Status update_exec(ThreadBlock &thread, uint64_t exec, uint64_t graph, gs_graph_update_t *out) noexcept;

// A node of an executable: its number in the graph that the executable was made from.
struct ExecNode {
    uint64_t exec;
    gs_node_t node;
};
// wanted: of a kind that can change; its pointers, sizes and numbers are right, its handles any.
Status set_node(ThreadBlock &thread, const ExecNode &place, const gs_node_params_t &wanted) noexcept;
Status enable_node(ThreadBlock &thread, const ExecNode &place, bool on) noexcept;

} // namespace gs
