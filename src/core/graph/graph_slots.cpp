// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_slots.hpp"

#include <atomic>
#include <new>

#include "core/graph/node_table.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/names.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

std::atomic<gs_node_t> g_next{1};

Status no_node_memory() noexcept {
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the numbers of a graph's nodes");
}

} // namespace

Status NodeTable::number_of(uintptr_t native, gs_node_t *out) noexcept {
    try {
        const auto [place, fresh] = numbers_.try_emplace(native, 0);
        if (place->second == 0) {
            const gs_node_t number = g_next.fetch_add(1, std::memory_order_relaxed);
            natives_.emplace(number, native);
            place->second = number;
        }
        *out = place->second;
        return kOk;
    } catch (const std::bad_alloc &) {
        return no_node_memory();
    }
}

Status NodeTable::native_of(gs_node_t node, uintptr_t *out) const noexcept {
    const auto found = natives_.find(node);
    if (found == natives_.end())
        return fail(GS_ERROR_INVALID_ARGUMENT, "%llu is no node of this graph", static_cast<unsigned long long>(node));
    *out = found->second;
    return kOk;
}

Status NodeTable::numbers_of(const uintptr_t *natives, size_t count, gs_node_t *out) noexcept {
    gs_node_t number = 0;
    for (size_t i = 0; i < count; ++i) GS_TRY(number_of(natives[i], &number));
    // All of them have one now, so the rest succeeds; a failure before has written nothing.
    for (size_t i = 0; i < count; ++i) out[i] = numbers_.find(natives[i])->second;
    return kOk;
}

Status NodeTable::natives_of(const gs_node_t *nodes, size_t count, std::vector<uintptr_t> *out) const noexcept {
    // A negative number that was cast on its way: there is no memory for it, and the array ends earlier.
    if (count > natives_.size())
        return fail(GS_ERROR_INVALID_ARGUMENT, "%zu predecessors: one is no node of this graph, or named twice", count);
    try {
        out->resize(count);
    } catch (const std::bad_alloc &) {
        return no_node_memory();
    }
    for (size_t i = 0; i < count; ++i) GS_TRY(native_of(nodes[i], &(*out)[i]));
    return kOk;
}

void NodeTable::forget(uintptr_t native) noexcept {
    const auto found = numbers_.find(native);
    if (found == numbers_.end()) return;
    natives_.erase(found->second);
    numbers_.erase(found);
}

void NodeTable::clear() noexcept {
    numbers_.clear();
    natives_.clear();
}

constinit GraphSlots g_graph_slots;
constinit ExecSlots g_exec_slots;

namespace {

Mutex g_graph_slots_mutex;
FreeSlots<GraphSlot> g_free_graphs GS_GUARDED_BY(g_graph_slots_mutex);
FreeSlots<ExecSlot> g_free_execs GS_GUARDED_BY(g_graph_slots_mutex);

uint32_t backend_of(const Device &device) noexcept { return static_cast<uint32_t>(device.kind); }

// A host function, which can tie nothing to the driver's graph, has given it to other code: what the graph holds stays
// held.
void share_for_ever(GraphSlot &root) noexcept {
    root.given_out.store(false, std::memory_order_relaxed);
    if (root.shared) return;
    root.shared = true;
    if (root.modules) root.modules->hold_for_ever();
    if (root.random) root.random->hold_for_ever();
}

} // namespace

Status graphs_of(const Device &device, Graphs **out) noexcept {
    *out = device.backend->graphs();
    return *out ? kOk : fail(GS_ERROR_NOT_SUPPORTED, "the %s backend has no graphs", device.backend->name());
}

GraphSlot *take_graph_slot() noexcept {
    MutexLock lock(g_graph_slots_mutex);
    return g_free_graphs.take(graph_slots());
}

ExecSlot *take_exec_slot() noexcept {
    MutexLock lock(g_graph_slots_mutex);
    return g_free_execs.take(exec_slots());
}

void give_graph_slot(GraphSlot &slot) noexcept {
    slot.nodes.clear();
    slot.notes.clear();
    slot.holds = nullptr; // the driver ends them when the last executable has ended
    let_go_of(slot.modules);
    let_go_of(slot.random);
    slot.random_words = nullptr;
    MutexLock lock(g_graph_slots_mutex);
    g_free_graphs.give(slot);
}

void give_exec_slot(ExecSlot &slot) noexcept {
    slot.holds = nullptr; // as above
    let_go_of(slot.modules);
    let_go_of(slot.random);
    MutexLock lock(g_graph_slots_mutex);
    g_free_execs.give(slot);
}

Status retain_graph(uint64_t handle) noexcept {
    const GraphSlot *borrowed = nullptr;
    {
        MutexLock lock(g_graph_slots_mutex);
        GraphSlot *slot = graph_slots().find(handle);
        if (slot && !slot->borrowed) {
            add_user(*slot); // there is one, as the slot has its handle
            return kOk;
        }
        borrowed = slot;
    }
    return borrowed ? refuse_borrowed(*borrowed) : no_such_object(Kind::Graph, handle);
}

Status native_graph(uint64_t handle, uintptr_t *out) noexcept {
    {
        MutexLock lock(g_graph_slots_mutex);
        if (const GraphSlot *slot = graph_slots().find(handle)) {
            slot->root.load(std::memory_order_relaxed)->given_out.store(true, std::memory_order_relaxed);
            *out = slot->native;
            return kOk;
        }
    }
    return no_such_object(Kind::Graph, handle);
}

// Under the lock, so that the slot has no other graph when the name is set.
Status name_graph(uint64_t handle, const char *name) noexcept {
    {
        MutexLock lock(g_graph_slots_mutex);
        if (graph_slots().find(handle)) return set_name(handle, name);
    }
    return no_such_object(Kind::Graph, handle);
}

GraphEnd release_reference(GraphSlot &slot) noexcept {
    MutexLock lock(g_graph_slots_mutex);
    if (drop_user(slot) > 1) return GraphEnd::Referenced;
    if (slot.captured_into()) {
        slot.borrowed = true;
        return GraphEnd::KeptByCapture;
    }
    end_handles(slot);
    return GraphEnd::Ended;
}

void own_graph(GraphSlot &slot, uintptr_t native) noexcept {
    MutexLock lock(g_graph_slots_mutex);
    const uint64_t users = slot.borrowed ? 0 : slot.users.load(std::memory_order_relaxed);
    slot.users.store(users + 1, std::memory_order_relaxed);
    slot.borrowed = false;
    slot.use = GraphUse::Free;
    slot.native = native;
}

void end_handles(GraphSlot &slot) noexcept {
    for (GraphSlot *inside = slot.inside; inside; inside = inside->sibling) end_handles(*inside);
    slot.handle.store(0, std::memory_order_release);
}

Status retain_exec(uint64_t handle) noexcept {
    {
        MutexLock lock(g_graph_slots_mutex);
        if (ExecSlot *slot = exec_slots().find(handle)) {
            add_user(*slot); // there is one, as the slot has its handle
            return kOk;
        }
    }
    return no_such_object(Kind::GraphExec, handle);
}

Status native_exec(uint64_t handle, uintptr_t *out) noexcept {
    {
        MutexLock lock(g_graph_slots_mutex);
        if (const ExecSlot *slot = exec_slots().find(handle)) {
            *out = slot->native;
            return kOk;
        }
    }
    return no_such_object(Kind::GraphExec, handle);
}

void release_reference(ExecSlot &slot, bool *out_last) noexcept {
    MutexLock lock(g_graph_slots_mutex);
    *out_last = drop_user(slot) == 1;
    if (*out_last) slot.handle.store(0, std::memory_order_seq_cst);
}

uint64_t publish_graph(GraphSlot &slot) noexcept {
    const uint64_t handle = graph_slots().next_handle(slot, backend_of(*slot.device));
    slot.users.store(1, std::memory_order_relaxed);
    slot.handle.store(handle, std::memory_order_release);
    note_birth(slot, handle);
    return handle;
}

uint64_t publish_exec(ThreadBlock &thread, ExecSlot &slot) noexcept {
    const uint64_t handle = exec_slots().next_handle(slot, backend_of(*slot.device));
    slot.owner.store(slot.random ? kManyOwners : thread.id, std::memory_order_relaxed);
    slot.users.store(1, std::memory_order_relaxed);
    slot.handle.store(handle, std::memory_order_release);
    note_birth(slot, handle);
    return handle;
}

Status refuse_in_body() noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "a body of a conditional node cannot have host functions or events");
}

// A graph that is part of another one is never an outermost one, and the reverse.
Status refuse_borrowed(const GraphSlot &graph) noexcept {
    const bool inside = graph.root.load(std::memory_order_relaxed) != &graph;
    return fail(GS_ERROR_NOT_PERMITTED, "%s",
                inside ? "the graph is part of another graph and ends with it"
                       : "the graph belongs to a capture in progress until that has ended");
}

Status LockedGraph::find(uint64_t handle) noexcept {
    GraphSlot *slot = graph_slots().find(handle);
    if (!slot) return no_such_object(Kind::Graph, handle);
    GraphSlot *root = slot->root.load(std::memory_order_acquire);
    root->mutex.lock();
    root_ = root;
    // The graph may have ended, and the slot have another one, since it was found.
    if (slot->handle.load(std::memory_order_acquire) != handle || slot->root.load(std::memory_order_relaxed) != root)
        return no_such_object(Kind::Graph, handle);
    if (root->given_out.load(std::memory_order_relaxed)) share_for_ever(*root);
    slot_ = slot;
    return kOk;
}

} // namespace gs
