// SPDX-License-Identifier: Apache-2.0
// Making, sharing and ending graphs; what they consist of; nodes added to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "core/graph/graph_slots.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"

namespace gs {

// An unpublished slot for a graph of the device; `native` is to be set.
Status new_graph_slot(Device &device, GraphSlot **out) noexcept;
Status create_graph(ThreadBlock &thread, Device &device, uint64_t *out_handle) noexcept;
Status wrap_graph(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept;
// Of a driver's graph whose slot ends. A failure goes to the log.
void destroy_native(ThreadBlock &thread, const GraphSlot &graph, uintptr_t native) noexcept;
Status release_graph(ThreadBlock &thread, uint64_t handle) noexcept;
// Puts a new slot's graph inside another one, as a body: its handle, which this returns, ends with the parent's. Under the
// root's mutex.
uint64_t put_inside(GraphSlot &parent, GraphSlot &slot, uintptr_t native) noexcept;
// Of a graph whose handles have ended, and of all inside it; without its mutex.
void give_graph_slots(GraphSlot &slot) noexcept;

Status describe_graph(ThreadBlock &thread, uint64_t graph, gs_graph_summary_t *out) noexcept;
Status list_nodes(ThreadBlock &thread, uint64_t graph, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept;
// Pairs of nodes; capacity and count are those of nodes.
Status list_edges(ThreadBlock &thread, uint64_t graph, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept;
Status describe_node(ThreadBlock &thread, uint64_t graph, gs_node_t node, gs_node_params_t *out) noexcept;
// Of other nodes than conditional ones of the library, none.
Status list_bodies(uint64_t graph, gs_node_t node, gs_graph_t *out_bodies, size_t capacity, size_t *out_count) noexcept;
Status native_node(uint64_t graph, gs_node_t node, uintptr_t *out) noexcept;

// ---- under the graph's mutex

struct NativeEdges {
    std::vector<uintptr_t> from;
    std::vector<uintptr_t> to;
};
// All nodes of a driver's graph, of which a slot need not exist.
Status native_nodes(ThreadBlock &thread, Graphs &graphs, GraphRef graph, std::vector<uintptr_t> *out) noexcept;
Status native_edges(ThreadBlock &thread, Graphs &graphs, GraphRef graph, NativeEdges *out) noexcept;
// Graphs inside a graph have level 1, those inside them level 2. All code that walks them calls itself for each level.
inline constexpr int kMostLevels = 64;
inline Status check_level(int level) noexcept {
    if (level <= kMostLevels) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "graphs are nested in each other more than %d deep", kMostLevels);
}
// The kinds of all nodes, also of those in child graphs, as bits: 1 << GS_NODE_*. level: that of the graph.
Status kinds_in(ThreadBlock &thread, Graphs &graphs, GraphRef graph, int level, uint32_t *out_kinds) noexcept;
// The library knows the name if it added the node; of a captured one the driver may know it. "": neither does.
Status kernel_name(ThreadBlock &thread, Graphs &graphs, GraphRef graph, const NodeParams &params, const NodeNote *note,
                   std::string *out) noexcept;

inline constexpr uint32_t kConditionKinds = 1u << GS_NODE_CONDITION;
inline constexpr uint32_t kMemoryKinds = 1u << GS_NODE_MALLOC | 1u << GS_NODE_FREE;
inline constexpr uint32_t kNotInBodies =
    1u << GS_NODE_HOST | 1u << GS_NODE_RECORD | 1u << GS_NODE_WAIT | 1u << GS_NODE_OTHER | kMemoryKinds;

// Nodes added to graphs one by one. The graph is named by its handle; every function locks it itself and must be called
// without a CallMark.

// The parameters of nodes without other graphs in them. The call looks up and checks what they refer to; the graph, or
// the executable whose node changes, holds it.

// wanted: of the kinds EMPTY, HOST, KERNEL, MEMCPY, MEMSET, RECORD, WAIT; its pointers, sizes and numbers are right. exec: the
// executable to be changed, made from the graph, or nullptr. Under the mutexes of both and without a CallMark.
Status node_params(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, const gs_node_params_t &wanted,
                   NodeParams *out, NodeNote *out_note) noexcept;

// The list retains the event.
Status hold_event(ThreadBlock &thread, GraphHolds &holds, uint64_t event) noexcept;

// The node keeps the name that the event or graph has now; a node without one has no note.
Status note_name(int32_t kind, uint64_t handle, NodeNote *out) noexcept;

// INVALID_HANDLE if a node is to record or wait for an event that is not live: handles are judged before nodes.
Status check_event(const gs_node_params_t &wanted) noexcept;

// A host function, a record or a wait: what they refer to is tied to the driver's graph.
constexpr bool needs_holds(int32_t kind) noexcept {
    return kind == GS_NODE_HOST || kind == GS_NODE_RECORD || kind == GS_NODE_WAIT;
}

// A graph's handle and the nodes of it that come before the new one.
struct NodePlace {
    uint64_t graph;
    const gs_node_t *after;
    size_t count;
};

inline constexpr size_t kMostBodies = 1024;

// wanted: its kind is one that can be added; its pointers, sizes and numbers are right, its handles any.
Status add_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted, gs_node_t *out) noexcept;

Status clone_graph(ThreadBlock &thread, uint64_t graph, uint64_t *out_handle) noexcept;

// ---- kinds that other graphs have a part in

Status add_graph_node(ThreadBlock &thread, const NodePlace &place, uint64_t child, gs_node_t *out) noexcept;
Status add_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                          gs_node_t *out) noexcept;
Status add_set_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                              gs_node_t *out) noexcept;

// ---- what the above are made of; under the graph's mutex

// Assigns a new node its number, and keeps the note unless it is empty. After a failure the node is gone.
Status remember(ThreadBlock &thread, GraphSlot &graph, uintptr_t native, NodeNote &&note, gs_node_t *out) noexcept;
// Removes a node that the driver has added, since something else failed.
void take_back(ThreadBlock &thread, GraphSlot &graph, uintptr_t native) noexcept;
// NOT_SUPPORTED: a body cannot have such a node. CONTEXT_LOST and the like: the device cannot be used.
// INVALID_ARGUMENT: wrong predecessors. *out_after: the predecessors as the driver knows them. The check comes before
// the graph holds or changes anything, so that a refused call leaves no trace.
Status check_addition(const GraphSlot &graph, const NodePlace &place, int32_t kind,
                      std::vector<uintptr_t> *out_after) noexcept;
// The note is empty (kind OTHER) where the driver tells everything.
Status add_native(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                  NodeNote note, gs_node_t *out) noexcept;

// A graph in the language of Graphviz.

// Text in the language of Graphviz (DOT) for a graph whose nodes may contain graphs. Knows neither drivers nor handles: the
// caller names nodes by numbers and describes them in words.
class DotWriter {
public:
    using Write = gs_status_t (*)(void *arg, const char *text, size_t bytes);

    DotWriter(Write write, void *arg) noexcept : write_(write), arg_(arg) {}
    DotWriter(const DotWriter &) = delete;
    DotWriter &operator=(const DotWriter &) = delete;

    // Every piece of text waits in a buffer until it is full or the text ends. A failure of `write` ends everything:
    // that call and all later ones return its status, and `write` is not called again.
    Status begin(const char *title) noexcept;
    // Lines of the label are separated by '\n'. Any text is a valid label.
    Status node(uint64_t id, const char *shape, const char *label) noexcept;
    Status edge(uint64_t from, uint64_t to) noexcept;
    // A graph inside the node `owner`, until end_inside(): a box, to which a dashed line leads from the node.
    Status begin_inside(uint64_t owner, uint32_t index, const char *label) noexcept;
    Status end_inside() noexcept;
    Status end() noexcept;

private:
    Status text(const char *format, ...) noexcept GS_PRINTF(2, 3);
    Status quoted(const char *label) noexcept;
    Status put(const char *bytes, size_t count) noexcept;
    Status flush() noexcept;
    const char *indent() const noexcept;

    Write write_;
    void *arg_;
    gs_status_t stopped_ = GS_OK;
    int depth_ = 1;
    size_t used_ = 0;
    char buffer_[4096];
};

// Looks at the whole graph first, under its mutex; `write` is called afterwards, with no lock held.
Status write_graph_text(ThreadBlock &thread, uint64_t graph, DotWriter::Write write, void *arg) noexcept;

// Executable graphs: making, launching, ending them.
//
// Drivers allow one call at a time on an executable. As long as one thread alone has used it, that thread's calls need no
// lock (SlotBase::owner). The first call by another thread waits until the owner has left its call; from then on each call
// takes the executable's mutex. The mutex is taken before the thread's mark: a thread that waits for the calls of others
// to end holds at most the mutex.

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
