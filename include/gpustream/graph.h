/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/graph.h
 * Captures and graphs: a stream's work recorded once and launched many times, or built node by node.
 *
 * A program needs it where the same work repeats and its launch costs are visible, and where other code captures
 * streams that it shares. The random state at the end gives each replay of a graph new random numbers.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_GRAPH_H
#define GPUSTREAM_GRAPH_H

#include "event.h"
#include "work.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An executable graph, which can be launched any number of times. The value is a number, never an address. */
typedef struct gs_graph_exec *gs_graph_exec_t;
/** A node of a graph: a number that no other node of the process ever has. 0 is never valid. */
typedef uint64_t gs_node_t;

/** Modes of a stream capture: whose unsafe driver calls are refused while it lasts, as in CUDA. */
enum {
    /** Those of every thread, unless the thread has chosen a mode of its own. */
    GS_CAPTURE_GLOBAL = 0,
    /** Those of the thread that began the capture, which must also end it. */
    GS_CAPTURE_THREAD_LOCAL = 1,
    /** None. Any thread may end the capture. */
    GS_CAPTURE_RELAXED = 2
};

/** States of a stream: gs_capture_info_t.state. */
enum {
    /** Not being captured. */
    GS_CAPTURE_STATE_NONE = 0,
    /** Being captured. */
    GS_CAPTURE_STATE_ACTIVE = 1,
    /** Takes part in a capture that was broken and has not been ended. */
    GS_CAPTURE_STATE_INVALIDATED = 2
};

/** Kinds of nodes. */
enum {
    /** A kind that this version has no name for. */
    GS_NODE_OTHER = 0,
    /** Does nothing; others are ordered by it. */
    GS_NODE_EMPTY = 1,
    /** A host function, by the rules of gs_stream_launch_host(). */
    GS_NODE_HOST = 2,
    /** A kernel. */
    GS_NODE_KERNEL = 3,
    /** A copy between host and device memory, in any combination; the ranges do not overlap. */
    GS_NODE_MEMCPY = 4,
    /** A fill of device memory, or of memory of gs_malloc_host(), with a byte. */
    GS_NODE_MEMSET = 5,
    /** A record of an event, for which streams may wait once the launch is submitted. */
    GS_NODE_RECORD = 6,
    /** A wait for the record that an event has when the launch is submitted, if it has one. */
    GS_NODE_WAIT = 7,
    /** A graph inside the graph. */
    GS_NODE_GRAPH = 8,
    /** A conditional node, which runs bodies. */
    GS_NODE_CONDITION = 9,
    /** A stream-ordered allocation. */
    GS_NODE_MALLOC = 10,
    /** A stream-ordered release of memory. */
    GS_NODE_FREE = 11,
    /** Sets the value of a condition from a word in memory. On CUDA it is a kernel, and is reported as one. */
    GS_NODE_SET_CONDITION = 12
};

/** Types of conditional nodes. */
enum {
    /** Runs the first body if the condition is not 0, else the second one if there is one. */
    GS_CONDITION_IF = 0,
    /** Runs the body as long as the condition is not 0. */
    GS_CONDITION_WHILE = 1,
    /** Runs the body whose index the condition is, if there is one. */
    GS_CONDITION_SWITCH = 2
};

/** Flags of executable graphs. */
enum {
    /** Memory that a launch allocated and nothing released is released by the next launch. */
    GS_INSTANTIATE_AUTO_FREE = 1,
    /** Each node runs at the priority of the stream it was captured in, instead of that of the launching stream. */
    GS_INSTANTIATE_NODE_PRIORITY = 2
};

/** Why an executable graph could not be updated from a graph: the numbers are CUDA's. */
enum {
    /** It was updated. */
    GS_UPDATE_OK = 0,
    /** For a reason that the driver does not tell. */
    GS_UPDATE_ERROR = 1,
    /** The graphs have other nodes or edges. */
    GS_UPDATE_TOPOLOGY = 2,
    /** A node has another kind. */
    GS_UPDATE_KIND = 3,
    /** A kernel node has another kernel, and the driver cannot exchange it. */
    GS_UPDATE_FUNCTION = 4,
    /** A node's parameters changed in a way that needs a new executable. */
    GS_UPDATE_PARAMETERS = 5,
    /** A node's kind cannot be updated. */
    GS_UPDATE_NOT_SUPPORTED = 6,
    /** A kernel node has another kernel that is not of the same sort. */
    GS_UPDATE_FUNCTION_SORT = 7,
    /** A node's attributes changed in a way that needs a new executable. */
    GS_UPDATE_ATTRIBUTES = 8
};

/** The capture that a stream takes part in. */
typedef struct gs_capture_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_CAPTURE_STATE_*. The other fields are 0 beside GS_CAPTURE_STATE_NONE. */
    int32_t state;
    /** Number of the capture, which no other one of the process has; 0 if the capture is broken and began elsewhere. */
    uint64_t id;
    /** The graph it is captured into, borrowed until the capture ends; NULL if the capture began outside gpustream, or
        was broken before anything asked for its graph. */
    gs_graph_t graph;
    /** The stream that began it; NULL if the capture began outside gpustream. */
    gs_stream_t origin;
    /** The operating system's number of the thread that began it; 0 if the capture began outside gpustream. */
    uint64_t thread;
    /** GS_CAPTURE_*; -1 if the capture began outside gpustream. */
    int32_t mode;
    /** The driver's code with which the call below broke the capture; 0 if no call of gpustream did. */
    int32_t broken_code;
    /** The stream of that call; NULL if it had none, or if other code broke the capture. */
    gs_stream_t broken_stream;
    /** The operating system's number of the thread that made that call; 0 as above. */
    uint64_t broken_thread;
    /** The gs_* function that broke the capture; empty as above. */
    char broken_function[64];
} gs_capture_info_t;

/** A graph as a whole. */
typedef struct gs_graph_summary {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Device that the graph was created for. */
    gs_device_t device;
    /** 1 for a body of a conditional node, else 0. */
    int32_t is_body;
    /** 1 if it has a conditional node, also in a body, else 0. */
    int32_t has_conditions;
    /** Number of nodes. */
    uint64_t node_count;
    /** Number of dependencies. */
    uint64_t edge_count;
} gs_graph_summary_t;

/** What a node of a graph does. Input that its kind does not use is ignored; what an answer cannot tell is 0. */
typedef struct gs_node_params {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** One of GS_NODE_*. */
    int32_t kind;
    /** Destination of a copy or a fill. */
    void *dst;
    /** Source of a copy; the word, of 4 bytes, that sets a condition. */
    const void *src;
    /** Size of a copy or a fill, bytes. */
    uint64_t bytes;
    /** The byte of a fill, 0 to 255. */
    int32_t value;
    /** Blocks of a kernel's grid along x, y, z; at least 1 each. */
    uint32_t grid_x, grid_y, grid_z;
    /** Threads of a kernel's block along x, y, z; at least 1 each. */
    uint32_t block_x, block_y, block_z;
    /** Dynamic shared memory per block of a kernel, bytes. */
    uint32_t shared_memory_bytes;
    /** Input alone: the kernel, of the graph's device. */
    gs_kernel_t kernel;
    /** Input alone: one pointer per argument of the kernel, to its value; NULL if it has none. */
    void **arguments;
    /** Input alone: what a host node calls. */
    gs_host_function_t host_function;
    /** Input alone: what the host function gets; any value. */
    void *host_argument;
    /** Input alone: the event that is recorded (unbound or of the graph's device), or waited for (of its backend). NULL
        for a kernel, since a node has no programmatic event. */
    gs_event_t event;
    /** Input alone: the graph to be added, of the same device; the graph that has the condition to be set. */
    gs_graph_t graph;
    /** Input alone: the conditional node whose condition is set. */
    gs_node_t condition;
    /** Of a conditional node, one of GS_CONDITION_*; of others, an answer is -1. */
    int32_t condition_kind;
    /** Of a conditional node, the condition when a launch begins. */
    uint32_t initial;
    /** Of a conditional node, how many bodies it has: 1 or 2 for IF, 1 for WHILE, 1 to 1024 for SWITCH. */
    uint32_t body_count;
    /** Input alone: of a kernel, GS_LAUNCH_* values combined, but not GS_LAUNCH_PROGRAMMATIC; else 0. */
    uint32_t flags;
    /** Answer alone: number of nodes it waits for. */
    uint64_t predecessor_count;
    /** Answer alone: number of nodes that wait for it. */
    uint64_t successor_count;
    /**
     * Answer alone: name of a kernel as its module has it, NUL-terminated UTF-8, truncated to fit; "" if it is not
     * known. CUDA drivers before 12.3 know no names of captured kernels.
     */
    char name[128];
    /** Input alone: of a kernel, as in gs_launch_config_t, blocks of a cluster along x, y, z; all 0: no clusters. */
    uint32_t cluster_x, cluster_y, cluster_z;
    /** Input alone: of a kernel with GS_LAUNCH_PRIORITY, its priority; else 0. */
    int32_t priority;
} gs_node_params_t;

/** What became of the update of an executable graph. */
typedef struct gs_graph_update {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_UPDATE_OK, or why it was not updated: one of GS_UPDATE_*. */
    int32_t reason;
    /** The node of the new graph that cannot be taken over; 0 if no single one is the reason. */
    gs_node_t node;
} gs_graph_update_t;

/** Where a kernel's random numbers begin: a key and a position in its sequences of Philox 4x32-10. */
typedef struct gs_philox {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** 1: the stream is being captured, and the kernel reads seed and offset from the addresses; 0: they are here. */
    int32_t captured;
    /** The key; 0 in a capture. */
    uint64_t seed;
    /** The position in each sequence, counted in numbers of 32 bits, a multiple of 4; 0 in a capture. */
    uint64_t offset;
    /** Address for kernels of the seed, 64 bits; 0 outside captures. */
    uint64_t seed_address;
    /** Address for kernels of the offset at which the launch of the graph begins, 64 bits; 0 outside captures. */
    uint64_t offset_address;
    /** What a captured kernel adds to the offset that it reads; 0 outside captures. */
    uint64_t offset_in_graph;
} gs_philox_t;

/* ---- captures -------------------------------------------------------------------------------- */

/**
 * Begins to capture a stream: work put into it becomes nodes of a graph instead of being executed.
 *
 * The capture spreads to every stream that waits for an event recorded in it. Before the end, this stream must wait for
 * each of them in the same way. What each function does in a capture, and what other threads may do during it, is in
 * docs/guide/graphs.md. The stream must not be destroyed before the capture has ended; if it is, the capture is given
 * up when the stream's place is needed again.
 *
 * \param[in] stream  live stream, not the default stream of a device; not GS_STREAM_CURRENT.
 * \param[in] mode    GS_CAPTURE_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (mode is none), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_NOT_SUPPORTED (it is the default stream, or the backend or driver cannot capture); the driver
 *         statuses, GS_ERROR_CAPTURING also if the stream takes part in a capture; the call statuses.
 * \cost driver
 * \threadsafety any thread; a capture of another mode than GS_CAPTURE_RELAXED must be ended by the thread that began
 *         it.
 * \ownership the capture lasts until gs_stream_end_capture() or gs_stream_abort_capture().
 */
GS_API gs_status_t gs_stream_begin_capture(gs_stream_t stream, int32_t mode);

/**
 * Begins to capture a stream into a graph that exists.
 *
 * As gs_stream_begin_capture(). The first nodes depend on the given ones.
 *
 * \param[in] stream  live stream, not the default stream of a device; not GS_STREAM_CURRENT.
 * \param[in] graph   live graph of the stream's device that nothing is being captured into.
 * \param[in] after   [count] nodes of the graph; NULL if there are none.
 * \param[in] count   number of nodes.
 * \param[in] mode    GS_CAPTURE_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (mode is none, after is NULL, or a node is none of the graph's),
 *         GS_ERROR_INVALID_HANDLE (stream or graph is not live), GS_ERROR_DEVICE_MISMATCH (they belong to different
 *         devices), GS_ERROR_NOT_SUPPORTED (stream is the default stream, or the backend or driver cannot do this);
 *         the driver statuses, GS_ERROR_CAPTURING also if the stream or the graph takes part in a capture; the call
 *         statuses.
 * \cost driver
 * \threadsafety as gs_stream_begin_capture().
 * \ownership as gs_stream_begin_capture(); the capture keeps the graph.
 * \backends cuda: a driver for CUDA 12.3 or later.
 */
GS_API gs_status_t gs_stream_begin_capture_to(gs_stream_t stream, gs_graph_t graph, const gs_node_t *after,
                                              size_t count, int32_t mode);

/**
 * Ends a capture and returns its graph.
 *
 * If the capture was broken, or a stream that joined it was not joined back, the call returns GS_ERROR_CAPTURING; the
 * capture is over then, too, and there is no graph. If a call of gpustream broke it, the error's text names the call,
 * its thread and its stream. A call from the wrong stream or thread is refused, and so is one before the capture into a
 * body of the graph has ended. Both leave the capture as it is.
 *
 * \param[in]  stream     the stream that began the capture; not GS_STREAM_CURRENT.
 * \param[out] out_graph  not NULL; the graph, or the one of gs_stream_begin_capture_to().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_graph is NULL), GS_ERROR_INVALID_HANDLE (stream is not live, or the
 *         graph around a body was destroyed), GS_ERROR_NOT_PERMITTED (the stream is not being captured); the driver
 *         statuses, GS_ERROR_CAPTURING also as said above; the call statuses.
 * \cost driver
 * \threadsafety unless the mode is GS_CAPTURE_RELAXED, the thread that began the capture.
 * \ownership the caller owns one reference: gs_graph_destroy(). A body stays borrowed from the graph around it.
 */
GS_API gs_status_t gs_stream_end_capture(gs_stream_t stream, gs_graph_t *out_graph);

/**
 * Ends a capture without a graph, also a broken one.
 *
 * All streams of the capture are normal again. A graph that was given to gs_stream_begin_capture_to() keeps the nodes
 * that were captured.
 *
 * \param[in] stream  the stream that began the capture; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_PERMITTED (the stream is not
 *         being captured); the driver statuses, GS_ERROR_CAPTURING also if another stream began the capture, or a body
 *         of the graph is being captured into; the call statuses.
 * \cost driver
 * \threadsafety any thread, whatever the mode of the capture.
 */
GS_API gs_status_t gs_stream_abort_capture(gs_stream_t stream);

/**
 * Describes the capture that a stream takes part in.
 *
 * The query never breaks the capture. If a call of gpustream broke it, the struct says which call, thread and stream;
 * of one that other code broke only the state is known.
 *
 * \param[in]     stream    live stream; not GS_STREAM_CURRENT.
 * \param[in,out] out_info  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream); the driver statuses; the call statuses.
 * \cost queue
 * \ownership borrowed: the graph until the capture ends, and the streams.
 */
GS_API gs_status_t gs_stream_capture_info(gs_stream_t stream, gs_capture_info_t *out_info);

/**
 * Returns the nodes that the next work put into a stream will depend on.
 *
 * With gs_stream_set_capture_nodes() this is how nodes that were added to the graph enter a capture.
 *
 * \param[in]  stream     stream of a capture that began through gpustream; not GS_STREAM_CURRENT.
 * \param[out] out_nodes  [capacity] the nodes, as far as they fit; NULL if capacity is 0.
 * \param[in]  capacity   room in out_nodes.
 * \param[out] out_count  not NULL; number of nodes, which may exceed capacity.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_nodes is NULL and capacity is not 0),
 * GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_PERMITTED (the stream takes part in no capture,
 * or in one that began outside gpustream), GS_ERROR_NOT_SUPPORTED (the driver cannot tell); the driver statuses; the
 * call statuses.
 * \cost queue
 * \ownership the nodes belong to the graph.
 */
GS_API gs_status_t gs_stream_capture_nodes(gs_stream_t stream, gs_node_t *out_nodes, size_t capacity,
                                           size_t *out_count);

/**
 * Sets the nodes that the next work put into a captured stream will depend on.
 *
 * The nodes are of the graph that is being captured: gs_capture_info_t.graph.
 *
 * \param[in] stream  stream of a capture that began through gpustream; not GS_STREAM_CURRENT.
 * \param[in] nodes   [count] nodes of the graph; NULL if there are none.
 * \param[in] count   number of nodes.
 * \param[in] add     1: they are added to the nodes it depends on now; 0: they replace them.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (nodes is NULL and count is not 0, a node belongs to another graph,
 *         or add is another number), GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_PERMITTED (the
 *         stream takes part in no capture, or in one that began outside gpustream), GS_ERROR_NOT_SUPPORTED (the
 *         driver cannot do this); the driver statuses; the call statuses.
 * \cost queue
 */
GS_API gs_status_t gs_stream_set_capture_nodes(gs_stream_t stream, const gs_node_t *nodes, size_t count, int32_t add);

/* ---- graphs ---------------------------------------------------------------------------------- */

/**
 * Creates an empty graph.
 *
 * gs_stream_begin_capture_to() adds nodes to it.
 *
 * \param[in]  device     device of its nodes; GS_DEVICE_CURRENT allowed.
 * \param[in]  flags      0.
 * \param[out] out_graph  not NULL; the graph.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (flags is not 0, or out_graph is NULL), GS_ERROR_INVALID_DEVICE (no
 *         such device), GS_ERROR_NOT_SUPPORTED (the backend or driver has no graphs); the start statuses; the driver
 *         statuses; the call statuses.
 * \cost driver
 * \ownership the caller owns one reference: gs_graph_destroy().
 */
GS_API gs_status_t gs_graph_create(gs_device_t device, uint32_t flags, gs_graph_t *out_graph);

/**
 * Wraps a graph that was created elsewhere, such as PyTorch's raw_cuda_graph.
 *
 * The driver cannot be asked whether the number is a graph: a wrong one is undefined behaviour, as in CUDA.
 *
 * \param[in]  device     device of its nodes; GS_DEVICE_CURRENT allowed.
 * \param[in]  native     the driver's graph (`cudaGraph_t`).
 * \param[out] out_graph  not NULL; the graph.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_graph is NULL), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_INVALID_HANDLE (native is no aligned address, or the backend knows that it is no graph),
 *         GS_ERROR_NOT_SUPPORTED (the backend or driver has no graphs); the start statuses; the driver statuses; the
 *         call statuses.
 * \cost driver
 * \threadsafety any thread; other code must not use the graph during a call on it.
 * \ownership the caller owns one reference: gs_graph_destroy(), which leaves the driver's graph to its owner. That
 *            must live as long.
 */
GS_API gs_status_t gs_graph_from_native(gs_device_t device, uintptr_t native, gs_graph_t *out_graph);

/**
 * Adds a reference to a graph.
 *
 * Each reference needs a gs_graph_destroy().
 *
 * \param[in] graph  live graph.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (graph is not a live graph), GS_ERROR_NOT_PERMITTED (it is borrowed: a
 *         body, or being captured); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference.
 */
GS_API gs_status_t gs_graph_retain(gs_graph_t graph);

/**
 * Releases a reference to a graph; the last one destroys it.
 *
 * Executables made from it are not affected. Its nodes and body graphs end with it. A capture into a body keeps the
 * graph until it has ended. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] graph  live graph that the caller owns a reference of.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (graph is not a live graph), GS_ERROR_NOT_PERMITTED (it is borrowed: a
 *         body, or being captured; or inside a host function); the common statuses.
 * \cost driver
 * \threadsafety any thread; a call on the graph that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 */
GS_API gs_status_t gs_graph_destroy(gs_graph_t graph);

/**
 * Returns the driver's graph.
 *
 * For other libraries (`cudaGraph_t`), which must neither destroy it nor use it during a call on the graph.
 *
 * \param[in]  graph       live graph.
 * \param[out] out_native  not NULL; the driver's graph.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph); the getter statuses.
 * \cost driver
 * \threadsafety any thread, also in a host function.
 * \ownership borrowed: valid until the graph ends.
 */
GS_API gs_status_t gs_graph_native(gs_graph_t graph, uintptr_t *out_native);

/**
 * Keeps something alive as long as a graph and whatever was made from it may use it.
 *
 * With GS_OK release(arg) is called exactly once: when the graph, all executables that were made or updated from it
 * after this call, and their launches have ended. An update of an executable replaces what it keeps by what the graph
 * of the update keeps. After any other status release is never called.
 *
 * \param[in] graph    live graph; also one that is being captured.
 * \param[in] release  not NULL; must not throw. It may call gpustream, except what waits (see Threads).
 * \param[in] arg      passed to release; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (release is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph), GS_ERROR_NOT_SUPPORTED (the driver cannot), GS_ERROR_SYSTEM (the library's thread could not be
 *         started); the driver statuses; the call statuses.
 * \cost driver
 * \threadsafety any thread; release runs on the library's dispatcher thread, never on one of the driver.
 * \ownership arg stays the caller's and must live until release has been called.
 */
GS_API gs_status_t gs_graph_keep(gs_graph_t graph, void (*release)(void *arg), void *arg);

/**
 * Makes a graph executable.
 *
 * The executable is a copy: later changes of the graph do not affect it, and it lives on when the graph is destroyed.
 * A graph with conditional nodes, or that allocates or frees memory, has one executable at a time.
 *
 * \param[in]  graph     live graph that is neither a body nor being captured.
 * \param[in]  flags     GS_INSTANTIATE_* combined; 0 allowed.
 * \param[out] out_exec  not NULL; the executable.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown flags, out_exec is NULL, or the driver refuses the graph; the
 * text says why), GS_ERROR_INVALID_HANDLE (graph is not a live graph), GS_ERROR_NOT_PERMITTED (it is a body),
 * GS_ERROR_NOT_SUPPORTED (it has conditional nodes or memory, and an executable; or the driver cannot); the driver
 * statuses, GS_ERROR_CAPTURING also if the graph is being captured; the call statuses.
 * \cost driver
 * \ownership the caller owns one reference: gs_graph_exec_destroy().
 */
GS_API gs_status_t gs_graph_instantiate(gs_graph_t graph, uint32_t flags, gs_graph_exec_t *out_exec);

/**
 * Submits the work of an executable to a stream.
 *
 * The work starts when all earlier work of the stream and the previous launch of this executable are done; branches
 * that do not depend on each other may overlap. Streams do not wait for each other through the launch of an empty
 * graph: drivers leave it out (seen with CUDA 13.0, driver 580.159). A launch cannot be captured: a GS_NODE_GRAPH node
 * puts a graph into another.
 *
 * \param[in] exec    live executable, of the stream's device.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec or stream is not live), GS_ERROR_DEVICE_MISMATCH (they belong to
 *         different devices), GS_ERROR_INVALID_ARGUMENT (memory that the last launch allocated has not been freed,
 *         without GS_INSTANTIATE_AUTO_FREE), GS_ERROR_NOT_SUPPORTED (the driver cannot); the start statuses; the driver
 *         statuses, GS_ERROR_CAPTURING also if the stream is being captured; the call statuses.
 * \cost queue
 * \threadsafety any thread; launches of one executable by several threads take effect one after the other.
 * \backends cuda: in a capture that other code began the driver refuses the launch and breaks that capture.
 */
GS_API gs_status_t gs_graph_exec_launch(gs_graph_exec_t exec, gs_stream_t stream);

/**
 * Moves what an executable needs to its device, so that its first launch is as fast as the later ones.
 *
 * This happens in stream order.
 *
 * \param[in] exec    live executable, of the stream's device.
 * \param[in] stream  the stream, outside of a capture; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec or stream is not live), GS_ERROR_DEVICE_MISMATCH (they belong to
 *         different devices), GS_ERROR_NOT_SUPPORTED (the driver cannot); the start statuses; the driver statuses,
 *         GS_ERROR_CAPTURING also if the stream is being captured; the call statuses.
 * \cost driver
 * \backends host: does nothing.
 */
GS_API gs_status_t gs_graph_exec_upload(gs_graph_exec_t exec, gs_stream_t stream);

/**
 * Adds a reference to an executable.
 *
 * Each reference needs a gs_graph_exec_destroy().
 *
 * \param[in] exec  live executable.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec is not a live executable); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference.
 */
GS_API gs_status_t gs_graph_exec_retain(gs_graph_exec_t exec);

/**
 * Releases a reference to an executable; the last one destroys it.
 *
 * Launches that were submitted still run. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] exec  live executable that the caller owns a reference of.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec is not a live executable), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \cost driver
 * \threadsafety any thread; a call on the executable that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 */
GS_API gs_status_t gs_graph_exec_destroy(gs_graph_exec_t exec);

/**
 * Returns the driver's executable graph.
 *
 * For other libraries (`cudaGraphExec_t`), which must neither destroy it nor use it during a call on the executable.
 *
 * \param[in]  exec        live executable.
 * \param[out] out_native  not NULL; the driver's executable.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (exec is not a live
 *         executable); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership borrowed: valid until the executable ends.
 */
GS_API gs_status_t gs_graph_exec_native(gs_graph_exec_t exec, uintptr_t *out_native);

/* ---- graph nodes ----------------------------------------------------------------------------- */

/**
 * Adds a node to a graph.
 *
 * The node runs at each launch of an executable of the graph, when the nodes of after are done. The struct may be on
 * the stack: a kernel's geometry, and the graph that becomes a node, are taken as they are now. In a graph that a
 * stream is being captured into, a node without predecessors begins with the graph, not with the capture.
 *
 * RECORD and WAIT bind an event that was never recorded to the graph's device. From then on each record and wait of the
 * event makes its driver call, because the library does not see when launches record the event.
 *
 * CONDITION has bodies, which gs_graph_node_bodies() returns. Each launch begins with the condition at initial, and
 * SET_CONDITION nodes change it. In the graph that has the conditional node, such a node becomes its predecessor: the
 * word decides whether bodies run. In a body of a WHILE, at any depth, it decides whether there is another round. If
 * two nodes that may run at the same time set one condition, the result is undefined.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  params    not NULL; struct_size set by the caller; what the node does.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an argument, or a pointer that the kind needs, is NULL; a number is out
 *         of range: struct_size, kind, value, bytes above PTRDIFF_MAX, a dimension, body_count; a node of after is not
 *         one of graph or named twice; a graph would contain itself; or, of SET_CONDITION, the word is not aligned to
 *         4, condition is none of params->graph, graph is neither that nor one of its bodies, or condition comes before
 *         a node of after; or, of KERNEL, attributes are wrong as in gs_kernel_launch()), GS_ERROR_INVALID_HANDLE
 *         (graph, or what the kind needs, is not live),
 *         GS_ERROR_DEVICE_MISMATCH (kernel, event or graph belongs to another device), GS_ERROR_NOT_SUPPORTED (graph is
 *         a body, or the graph to be added has nodes, of kinds that cannot be there; child graphs and bodies would be
 *         nested more than 64 deep; the device lacks an attribute; or the driver is too old: CUDA 12.4 for conditions,
 *         12.8 for SWITCH and for two bodies), GS_ERROR_NOT_PERMITTED (also: the graph to be added
 *         is a body, or is being captured into); the driver statuses; the call statuses.
 * \cost driver
 * \ownership graph and executables keep the event, the module of the kernel, and what an added graph refers to. Memory
 *            and host_argument stay the caller's and must live until graph, executables and launches have ended
 *            (gs_graph_keep()). The values of arguments are copied; on host, only if the kernel exports their sizes.
 * \backends cuda: in a body, only device memory and memory of gs_malloc_host() can be copied. SET_CONDITION is a kernel
 *           of one thread that comes with the library, and whose load waits for host functions that run.
 */
GS_API gs_status_t gs_graph_add_node(gs_graph_t graph, const gs_node_t *after, size_t count,
                                     const gs_node_params_t *params, gs_node_t *out_node);

/**
 * Returns the bodies of a conditional node.
 *
 * They are empty graphs at first, to which nodes of the kinds EMPTY, KERNEL, MEMCPY, MEMSET, GRAPH, CONDITION and
 * SET_CONDITION are added, and into which streams are captured. Of IF, the first is for a condition other than 0, the
 * second for 0. A body cannot be destroyed, instantiated or added to a graph.
 *
 * \param[in]  graph       live graph.
 * \param[in]  node        node of graph.
 * \param[out] out_bodies  [capacity] the bodies, as many as fit; NULL only if capacity is 0.
 * \param[in]  capacity    number of elements of out_bodies.
 * \param[out] out_count   not NULL; the number of bodies, also if they do not fit; 0 of nodes of other kinds, and of
 *                         those that other code added.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, out_bodies is NULL while capacity is not 0, or node
 *         is not one of graph), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call statuses.
 * \cost library
 * \ownership borrowed: the bodies end with the graph.
 */
GS_API gs_status_t gs_graph_node_bodies(gs_graph_t graph, gs_node_t node, gs_graph_t *out_bodies, size_t capacity,
                                        size_t *out_count);

/**
 * Copies a graph.
 *
 * The copy has the same nodes and dependencies, and refers to the same memory, functions, kernels and events. Its nodes
 * have numbers of their own, in the order of gs_graph_nodes().
 *
 * \param[in]  graph      live graph.
 * \param[out] out_graph  not NULL; the copy.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_graph is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph), GS_ERROR_NOT_SUPPORTED (graph has conditional nodes, or nodes that allocate or free memory),
 *         GS_ERROR_CAPTURING (also: graph is being captured into); the driver statuses; the call statuses.
 * \cost driver
 * \ownership the caller owns the copy: gs_graph_destroy(). What gs_graph_keep() ties to graph lives as long as the
 *            copy, too.
 */
GS_API gs_status_t gs_graph_clone(gs_graph_t graph, gs_graph_t *out_graph);

/**
 * Returns what a graph is made of.
 *
 * Counts the nodes of the graph itself, not those of child graphs and bodies.
 *
 * \param[in]     graph     live graph.
 * \param[in,out] out_info  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_info(gs_graph_t graph, gs_graph_summary_t *out_info);

/**
 * Returns the nodes of a graph.
 *
 * In the order in which they were added; nodes of a capture are in an order in which they could have been added.
 *
 * \param[in]  graph      live graph.
 * \param[out] out_nodes  [capacity] the nodes, as many as fit; NULL only if capacity is 0.
 * \param[in]  capacity   number of elements of out_nodes.
 * \param[out] out_count  not NULL; the number of nodes, also if they do not fit.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_nodes is NULL while capacity is not 0),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_nodes(gs_graph_t graph, gs_node_t *out_nodes, size_t capacity, size_t *out_count);

/**
 * Returns the dependencies of a graph.
 *
 * Each dependency is two numbers, one behind the other: the node that comes before and the node that waits for it.
 *
 * \param[in]  graph      live graph.
 * \param[out] out_nodes  [capacity] the pairs, as many whole ones as fit; NULL only if capacity is 0.
 * \param[in]  capacity   number of elements of out_nodes, two for each dependency.
 * \param[out] out_count  not NULL; twice the number of dependencies, also if they do not fit.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_nodes is NULL while capacity is not 0),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_edges(gs_graph_t graph, gs_node_t *out_nodes, size_t capacity, size_t *out_count);

/**
 * Returns what a node of a graph does.
 *
 * As it was added: changes made to an executable graph are not shown.
 *
 * \param[in]     graph     live graph.
 * \param[in]     node      node of graph.
 * \param[in,out] out_info  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL, its struct_size out of range, or node is not one of
 *         graph), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_node_info(gs_graph_t graph, gs_node_t node, gs_node_params_t *out_info);

/**
 * Returns the driver's handle of a node.
 *
 * For code that calls the driver itself. It must not remove the node from its graph.
 *
 * \param[in]  graph       live graph.
 * \param[in]  node        node of graph.
 * \param[out] out_native  not NULL; the handle, a CUgraphNode on CUDA.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL, or node is not one of graph),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call statuses.
 * \cost library
 * \ownership borrowed: it ends with the graph.
 * \backends host: a number that is not 0 and unique in the process.
 */
GS_API gs_status_t gs_graph_node_native(gs_graph_t graph, gs_node_t node, uintptr_t *out_native);

/**
 * Describes a graph as text in the language of Graphviz.
 *
 * The title is the graph's name (gs_graph_set_name()). Nodes carry their kind and what they work on, with the names
 * that events and child graphs had when they were added, and those of kernels, also of captured ones. Child graphs and
 * bodies are boxes inside. The text comes in pieces, in order. If write returns another status than GS_OK, the call
 * ends with that status and write is not called again.
 *
 * \param[in] graph  live graph.
 * \param[in] write  not NULL; called on this thread, outside of all locks, with a piece of text (no NUL at its end).
 * \param[in] arg    passed to write; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (write is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live graph),
 *         any status that write returned; the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_write_dot(gs_graph_t graph, gs_status_t (*write)(void *arg, const char *text, size_t bytes),
                                      void *arg);

/**
 * Makes an executable graph run what another graph of the same shape says.
 *
 * graph must have the nodes and dependencies of the graph that the executable was made from, in the same order. The
 * predecessors of each node must have the same order, too. The parameters may differ. Where it has not, the call
 * returns GS_OK, out_result says why and names the node, and the executable is unchanged: make a new one then. Launches
 * already submitted keep the old parameters.
 *
 * \param[in]     exec        live executable graph.
 * \param[in]     graph       live graph, of the executable's device.
 * \param[in,out] out_result  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_result is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_HANDLE (exec is not a live executable, or graph is not a live graph),
 *         GS_ERROR_DEVICE_MISMATCH (they belong to different devices), GS_ERROR_NOT_PERMITTED (also: graph is a body of
 *         a conditional node); the driver statuses; the call statuses.
 * \cost driver
 * \ownership graph stays the caller's. The executable keeps alive what graph refers to, no longer what it referred to
 *            before.
 */
GS_API gs_status_t gs_graph_exec_update(gs_graph_exec_t exec, gs_graph_t graph, gs_graph_update_t *out_result);

/**
 * Changes what a node of an executable graph does.
 *
 * The node does this from the next launch on. Launches already submitted, and the graph itself, keep what they have.
 *
 * \param[in] exec    live executable graph.
 * \param[in] node    node of the graph that the executable was made from; that graph must be live.
 * \param[in] params  not NULL; struct_size set by the caller; of the node's kind: KERNEL, MEMCPY, MEMSET, HOST, RECORD
 *                    or WAIT.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (params is NULL, struct_size is out of range, a field is wrong as in
 *         gs_graph_add_node(), node is not one of the graph, of another kind or newer than the executable, a kernel has
 *         attributes, which a node keeps, or the kind of memory changes where the driver does not allow it),
 *         GS_ERROR_INVALID_HANDLE (exec, kernel or event is not live, or exec's graph was destroyed),
 *         GS_ERROR_DEVICE_MISMATCH (kernel or event belongs to another device),
 *         GS_ERROR_NOT_SUPPORTED (the driver cannot exchange the kernel; or of HOST, RECORD and WAIT: other code added
 *         the node in a capture, or the executable's last update failed in the driver); the driver statuses; the call
 *         statuses.
 * \cost driver
 * \ownership as in gs_graph_add_node(); the executable, and the graph that it was made from or last updated by, keep
 *            the module or event.
 */
GS_API gs_status_t gs_graph_exec_set_node(gs_graph_exec_t exec, gs_node_t node, const gs_node_params_t *params);

/**
 * Switches a node of an executable graph off or on.
 *
 * A node that is off does nothing at a launch, but keeps its place: what comes after it still waits for what comes
 * before. All nodes are on at first. Launches already submitted, and the graph itself, keep what they have.
 *
 * \param[in] exec     live executable graph.
 * \param[in] node     kernel, memcpy or memset node of the graph that the executable was made from; that graph must be
 *                     live.
 * \param[in] enabled  1: on; 0: off.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or was added after
 *         the executable was made, or enabled is neither 1 nor 0), GS_ERROR_INVALID_HANDLE (exec is not a live
 *         executable, or the graph that it was made from was destroyed); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_graph_exec_enable_node(gs_graph_exec_t exec, gs_node_t node, int32_t enabled);

/* ---- random state ---------------------------------------------------------------------------- */

/**
 * Returns the random state of a device.
 *
 * Each device has one state, a key and an offset, as PyTorch's CUDA generator has. It begins with PyTorch's default
 * seed, 67280421310721, at offset 0. The library draws no numbers: kernels do, with include/gpustream_philox.h, cuRAND
 * or a generator of their own, from where gs_rng_reserve() tells them.
 *
 * PyTorch packs the same two numbers, in this order and little-endian, into the 16 bytes of torch.cuda.get_rng_state().
 *
 * \param[in] device       the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_seed    not NULL; the key.
 * \param[out] out_offset  not NULL; the position of the next reservation, in numbers of 32 bits.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; both numbers are of one moment.
 */
GS_API gs_status_t gs_rng_get_state(gs_device_t device, uint64_t *out_seed, uint64_t *out_offset);

/**
 * Sets the random state of a device: offset 0 after a seed.
 *
 * The next reservation begins there, and so does the next launch of a graph that draws random numbers.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \param[in] seed    the key, any value.
 * \param[in] offset  the position of the next reservation in numbers of 32 bits, a multiple of 4.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (offset is not a multiple of 4: nothing changes),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; takes effect for reservations and launches of graphs that are made later.
 */
GS_API gs_status_t gs_rng_set_state(gs_device_t device, uint64_t seed, uint64_t offset);

/**
 * Reserves random numbers for a kernel that is about to be enqueued in a stream.
 *
 * Each of the kernel's threads may draw count numbers of 32 bits from a sequence of its own: numbers offset to offset +
 * count - 1 of Philox 4x32-10. The seed is its key, and the number of the sequence (usually that of the thread) is the
 * upper 64 bits of its counter. The arguments of curand_init() are seed, sequence and offset. The offset of the device
 * advances by count, rounded up to a multiple of 4, and never returns to a reserved number but by gs_rng_set_state() or
 * after 2^64 numbers.
 *
 * While a capture that began through the library is in progress in the stream, the graph reserves instead: nothing is
 * taken from the device now. Each launch of an executable of the graph by gs_graph_exec_launch() takes what all
 * reservations of the capture add up to. It writes seed and offset to the two addresses before its kernels run. Such
 * launches run one after another, also those of different executables of one graph. Executables that other code
 * launches draw the same numbers each time. A condition's body, which may run several times in a launch, cannot be
 * captured with random numbers.
 *
 * \param[in] stream          the stream; GS_STREAM_CURRENT allowed.
 * \param[in] count           numbers of 32 bits for each thread of the kernel, at most 2^62; 0 reserves none.
 * \param[in,out] out_philox  not NULL, struct_size set; where the numbers begin.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_philox is NULL, its struct_size is wrong, or count is too large),
 *         GS_ERROR_INVALID_HANDLE (stream is not live), GS_ERROR_CAPTURING (other code began the capture, or it is into
 *         the body of a condition: the capture stays intact), GS_ERROR_NOT_SUPPORTED (in a capture: the device has no
 *         stream memory operations); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; reservations never overlap.
 * \ownership the words at the addresses are the library's, and live as long as the graph and its executables.
 * \backends cuda: the words are host memory that the device reads over its bus.
 */
GS_API gs_status_t gs_rng_reserve(gs_stream_t stream, uint64_t count, gs_philox_t *out_philox);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_GRAPH_H */
