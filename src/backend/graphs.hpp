// SPDX-License-Identifier: Apache-2.0
// The contract between the core and a backend that can capture streams and run graphs: Backend::graphs(). A backend
// without graphs returns nullptr there, and the core answers NOT_SUPPORTED.
//
// The general rules of backend.hpp hold. In addition:
//  - Graphs, executables and nodes are native words (CUgraph, CUgraphExec, CUgraphNode), never 0. The core knows who
//    owns them. It makes one call at a time on a graph, and on an executable, as drivers demand. In this rule a
//    graph, its child graphs and its bodies count as one graph. So does a graph that a stream is being captured into
//    while other threads work on that stream: there the callers take care.
//  - Every call leaves the captures of other threads intact, whatever their mode, and also the capture that it asks
//    about. A call that would break the capture it acts on returns CAPTURING and leaves the capture intact, unless
//    the contract of the function says otherwise.
//  - What a graph's driver refuses by its rules (a cycle, a foreign node, an unknown kind) is INVALID_ARGUMENT or
//    NOT_SUPPORTED, with the driver's code in the detail. A function that the driver does not have is NOT_SUPPORTED,
//    naming it. Functions that a backend does not override return NOT_SUPPORTED, too.
#pragma once

#include "backend/backend.hpp"

namespace gs {

// A graph or an executable, with the device whose context its work needs.
struct GraphRef {
    int32_t ordinal;
    uintptr_t native;
};

// The capture that a stream takes part in.
struct StreamCapture {
    int32_t state = GS_CAPTURE_STATE_NONE; // GS_CAPTURE_STATE_*
    uint64_t id = 0;                       // of a capture in progress; never reused. 0: unknown, or not ACTIVE
    uintptr_t graph = 0;                   // what it is captured into; 0: unknown, or not ACTIVE

    bool capturing() const noexcept { return state != GS_CAPTURE_STATE_NONE; }
};

// What a node does, in both directions: for adding and changing a node, and as the answer about one. Only the members
// of its kind have a meaning. Pointers in an answer belong to the backend and are valid until the node changes.
struct NodeParams {
    int32_t kind = GS_NODE_OTHER; // GS_NODE_*
    struct {
        uintptr_t function; // as module_get_kernel() returned it; 0 in an answer: not a kernel that it can name
        gs_launch_config_t config;
        void **arguments; // copied when the node is added or changed; nullptr in an answer if they are not known
    } kernel = {};
    struct {
        void *dst;
        const void *src; // any combination of host and device memory
        size_t bytes;    // > 0; 0 in an answer: a copy of several dimensions
    } copy = {};
    struct {
        void *dst;
        uint8_t value;
        size_t bytes; // > 0; 0 in an answer: a fill of several dimensions or of wider elements
    } fill = {};
    struct {
        void (*fn)(void *arg);
        void *arg;
    } host = {};
    uintptr_t event = 0; // RECORD, WAIT
    uintptr_t child = 0; // GRAPH; copied when the node is added or changed. In an answer: the node's own copy
    struct {
        int32_t type;      // GS_CONDITION_*
        uint64_t handle;   // of condition_create()
        uint32_t count;    // body graphs: IF 1 or 2, WHILE 1, SWITCH 1 or more
        uintptr_t *bodies; // [count], given by the caller, filled by node_add()
    } condition = {};
    struct {
        uint64_t handle;
        const uint32_t *word; // read when the node runs, in memory that the device can read
    } set_condition = {};
};

// Why an executable could not be made or updated. A node is 0 when the driver names none.
struct GraphFailure {
    int32_t reason = GS_UPDATE_OK; // GS_UPDATE_*
    uintptr_t node = 0;            // of the graph that was given
    uintptr_t original = 0;        // of the graph that the executable was made from
};

class Graphs {
public:
    // ---- captures ---------------------------------------------------------------------------------------------
    // Inactive for a stream whose captured work has no effect. Asked for each host function that is put into a
    // stream.
    virtual Status capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept = 0;
    // The same answer, and the faster way to it for a stream that is likely to be captured.
    virtual Status likely_capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept {
        return capture(thread, stream, out);
    }
    // mode: GS_CAPTURE_GLOBAL, _THREAD_LOCAL, _RELAXED. The core has checked that the stream takes part in no
    // capture. The default stream is excluded. After a failure the stream takes part in none.
    virtual Status capture_begin(ThreadBlock &thread, StreamRef stream, int32_t mode) noexcept = 0;
    // The same, into a graph that exists: the first nodes depend on `after`.
    virtual Status capture_begin_to(ThreadBlock &thread, StreamRef stream, uintptr_t graph, const uintptr_t *after,
                                    size_t count, int32_t mode) noexcept = 0;
    // After capture_begin_to() the graph is that graph. CAPTURING: the capture was broken, or a fork was not joined;
    // the call returns no graph, and the graph of capture_begin_to() has the nodes that were captured. The core has
    // checked that this stream began it and that the thread may end it. After a failure it asks capture() whether the
    // capture goes on. In between other threads may call capture(), capture_nodes() and capture_keep() for the stream.
    virtual Status capture_end(ThreadBlock &thread, StreamRef stream, uintptr_t *out_graph) noexcept = 0;
    // The nodes that the stream's next node will depend on. Writes min(capacity, *out_count).
    virtual Status capture_nodes(ThreadBlock &thread, StreamRef stream, uintptr_t *out_nodes, size_t capacity,
                                 size_t *out_count) noexcept = 0;
    // Replaces them, or adds to them. The nodes are of the graph that is being captured.
    virtual Status set_capture_nodes(ThreadBlock &thread, StreamRef stream, const uintptr_t *nodes, size_t count,
                                     bool add) noexcept = 0;

    // ---- graphs -----------------------------------------------------------------------------------------------
    virtual Status graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept = 0;
    // Executables and their launches go on. DEINITIALIZED counts as success. Not for bodies and child graphs.
    virtual Status graph_destroy(ThreadBlock &thread, GraphRef graph) noexcept = 0;
    virtual Status graph_clone(ThreadBlock &thread, GraphRef graph, uintptr_t *out_graph) noexcept = 0;
    // INVALID_HANDLE when the backend finds that it has no such graph. A driver may be unable to find out.
    virtual Status graph_adopt(ThreadBlock &thread, GraphRef graph) noexcept = 0;
    // Calls release(arg) once, when the graph, its executables and their launches have ended. The call is made on a
    // thread of the driver and must make no driver call. An executable keeps what the graph kept when the executable
    // was made or last updated. After a failure release is called at that time or never. NOT_SUPPORTED: the driver
    // lacks it.
    virtual Status graph_keep(ThreadBlock &thread, uintptr_t graph, void (*release)(void *), void *arg) noexcept = 0;
    // The same for the graph that the stream is being captured into, if its capture is the one with that id. *out_kept is
    // false, and nothing was done, if that capture is broken or has ended.
    virtual Status capture_keep(ThreadBlock &thread, StreamRef stream, uint64_t id, void (*release)(void *), void *arg,
                                bool *out_kept) noexcept = 0;

    // ---- nodes ------------------------------------------------------------------------------------------------
    // May create the context. Kinds: EMPTY, HOST, KERNEL, MEMCPY, MEMSET, RECORD, WAIT, GRAPH, CONDITION, SET_CONDITION.
    virtual Status node_add(ThreadBlock &thread, GraphRef graph, const uintptr_t *after, size_t count,
                            const NodeParams &params, uintptr_t *out_node) noexcept = 0;
    virtual Status add_edges(ThreadBlock &thread, GraphRef graph, const uintptr_t *from, const uintptr_t *to,
                             size_t count) noexcept = 0;
    // With its edges. Executables that were made keep it.
    virtual Status node_remove(ThreadBlock &thread, GraphRef graph, uintptr_t node) noexcept = 0;
    // The word that a conditional node reads and set_condition writes. It starts each launch as `initial`.
    virtual Status condition_create(ThreadBlock &thread, GraphRef graph, uint32_t initial,
                                    uint64_t *out_handle) noexcept = 0;
    // Both write min(capacity, *out_count) elements. Nodes in the order in which they were added, if the driver knows it.
    virtual Status graph_nodes(ThreadBlock &thread, GraphRef graph, uintptr_t *out_nodes, size_t capacity,
                               size_t *out_count) noexcept = 0;
    virtual Status graph_edges(ThreadBlock &thread, GraphRef graph, uintptr_t *out_from, uintptr_t *out_to,
                               size_t capacity, size_t *out_count) noexcept = 0;
    virtual Status node_params(ThreadBlock &thread, GraphRef graph, uintptr_t node, NodeParams *out) noexcept = 0;
    // Of a kernel node's answer; nullptr: the driver does not know it. Valid as long as the kernel is loaded.
    virtual Status kernel_name(ThreadBlock &thread, GraphRef graph, const NodeParams &params,
                               const char **out_name) noexcept = 0;
    // How many nodes it depends on, and how many depend on it.
    virtual Status node_degrees(ThreadBlock &thread, GraphRef graph, uintptr_t node, size_t *out_earlier,
                                size_t *out_later) noexcept = 0;

    // ---- executables ------------------------------------------------------------------------------------------
    // flags: GS_INSTANTIATE_*. May create the context. The executable does not need the graph. *out_failure is written
    // after a failure too.
    virtual Status instantiate(ThreadBlock &thread, GraphRef graph, uint32_t flags, uintptr_t *out_exec,
                               GraphFailure *out_failure) noexcept = 0;
    // Launches in flight go on.
    virtual Status exec_destroy(ThreadBlock &thread, GraphRef exec) noexcept = 0;
    // Hot. Launches of one executable never overlap. A driver may break the capture of a stream that is being captured.
    virtual Status exec_launch(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept = 0;
    virtual Status exec_upload(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept = 0;
    // INVALID_ARGUMENT when the graph differs in more than parameters: *out_failure says where, and is written then too.
    // The executable is as before then. Otherwise it keeps what the graph keeps, in place of what it kept.
    virtual Status exec_update(ThreadBlock &thread, GraphRef exec, uintptr_t graph,
                               GraphFailure *out_failure) noexcept = 0;
    // node is one of the graph that the executable was made from. The kind cannot change. Kinds: KERNEL, MEMCPY, MEMSET,
    // HOST, RECORD, WAIT, GRAPH.
    virtual Status exec_set_node(ThreadBlock &thread, GraphRef exec, uintptr_t node,
                                 const NodeParams &params) noexcept = 0;
    // KERNEL, MEMCPY and MEMSET nodes: a disabled one does nothing at a launch.
    virtual Status exec_enable_node(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool on) noexcept = 0;
    virtual Status exec_node_enabled(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool *out) noexcept = 0;

protected:
    ~Graphs() = default;
};

} // namespace gs
