/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/work.h
 * Work: kernels, copies, fills and host functions in streams.
 *
 * Programs that launch kernels without the CUDA runtime, and bindings of languages that have none, need this chapter.
 * Programs whose work comes from cuBLAS, NCCL or a framework do not: they pass gs_stream_native() there.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_WORK_H
#define GPUSTREAM_WORK_H

#include "event.h"
#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A module of kernels loaded on one device. The value is a number, never an address. */
typedef struct gs_module *gs_module_t;
/** One kernel, borrowed from its module. The value is a number, never an address. */
typedef struct gs_kernel *gs_kernel_t;

/** A function that a node of a graph, or a host kernel, calls: native code that does not throw. */
typedef void (*gs_host_function_t)(void *arg);

/** Flags of launches: gs_launch_config_t.flags, and gs_node_params_t.flags of a kernel. */
enum {
    /** All blocks run at the same time, so that they may wait for each other. */
    GS_LAUNCH_COOPERATIVE = 1,
    /** The kernel may start before the kernel ahead of it in the stream has ended: see gs_kernel_launch(). */
    GS_LAUNCH_PROGRAMMATIC = 2,
    /** The priority is the one given with the launch, instead of the stream's. */
    GS_LAUNCH_PRIORITY = 4,
    /** The kernel belongs to the remote memory synchronisation domain: fences of others do not wait for its writes. */
    GS_LAUNCH_REMOTE_DOMAIN = 8
};

/** Geometry and attributes of a kernel launch. */
typedef struct gs_launch_config {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Blocks of the grid along x, y, z; at least 1 each. */
    uint32_t grid_x, grid_y, grid_z;
    /** Threads of a block along x, y, z; at least 1 each. */
    uint32_t block_x, block_y, block_z;
    /** Dynamic shared memory per block, bytes. */
    uint32_t shared_memory_bytes;
    /** 0 or GS_LAUNCH_* values combined. */
    uint32_t flags;
    /** Blocks of a cluster along x, y, z, which divide the grid's; at most 8 in all. All 0: no clusters. */
    uint32_t cluster_x, cluster_y, cluster_z;
    /** Priority with GS_LAUNCH_PRIORITY; lower numbers are higher, and what is out of range is clamped. Else 0. */
    int32_t priority;
    /** 0. */
    uint32_t reserved;
    /** Recorded by the launch as its programmatic event, which may be complete before the kernel is; NULL: none. */
    gs_event_t programmatic_event;
} gs_launch_config_t;

/** Orders of gs_memcpy_batch_async(): when the copies read their sources. The numbers are CUDA's. */
enum {
    /** After all work that was submitted to the stream before, as gs_memcpy_async(). */
    GS_ACCESS_ORDER_STREAM = 1,
    /** While the call runs: the source is the caller's again when it returns. */
    GS_ACCESS_ORDER_DURING_CALL = 2,
    /** At any time from the call on until the copy is done. */
    GS_ACCESS_ORDER_ANY = 3
};

/** A copy of gs_memcpy_batch_async(). Copies are elements of arrays and never change their size. */
typedef struct gs_copy {
    /** Destination; NULL only if bytes is 0. */
    void *dst;
    /** Source; NULL only if bytes is 0. */
    const void *src;
    /** Size, bytes; 0 does nothing. */
    uint64_t bytes;
} gs_copy_t;

/** Context of a host kernel, which is called once per block and loops over the block's threads itself. */
typedef struct gs_kernel_context {
    /** Size of the library's struct, bytes. */
    uint32_t struct_size;
    /** Index of this block along x, y, z, from 0. */
    uint32_t block_x, block_y, block_z;
    /** Blocks of the grid along x, y, z. */
    uint32_t grid_dim_x, grid_dim_y, grid_dim_z;
    /** Threads of a block along x, y, z. */
    uint32_t block_dim_x, block_dim_y, block_dim_z;
    /** Size of shared_memory, bytes. */
    uint32_t shared_memory_bytes;
    /** Always 0. */
    uint32_t reserved;
    /** Scratch memory of this block, uninitialised, valid until the kernel returns; NULL if its size is 0. */
    void *shared_memory;
    /** What the two functions below take. */
    void *launch;
    /** Called by all blocks: kernels that may start early, and the programmatic event, need not wait any longer. As
        cudaTriggerProgrammaticLaunchCompletion(). A block that has returned counts as one that has called it. */
    gs_host_function_t trigger;
    /** Returns when the work ahead of this kernel is done: cudaGridDependencySynchronize(). */
    gs_host_function_t wait_for_earlier;
} gs_kernel_context_t;

/* ---- work ------------------------------------------------------------------------------------ */

/**
 * Runs a host function in stream order.
 *
 * The function starts when all work submitted to the stream before is done; later work of the stream waits until it has
 * returned. GS_OK means that it runs exactly once, unless the device is unusable because of an earlier error; any other
 * status means that it never runs, also if the driver accepted it before it failed. It must not wait for work of any
 * stream, directly or through locks: this is undefined and may deadlock.
 *
 * In a stream that is being captured the function becomes a node of the graph: it runs once at every launch of the
 * graph. A capture of the stream must not begin or end on another thread during the call.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] fn      not NULL; native code that does not throw. See Threads above for the calls it may make.
 * \param[in] arg     passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_NOT_SUPPORTED (the driver does not support it, or the stream is being captured into a body of a
 *         conditional node, which cannot have host functions); the start statuses; the driver statuses; the call
 *         statuses.
 * \cost queue
 * \threadsafety any thread; fn runs on a thread of the backend; on the host backend all signals are blocked there.
 * \ownership arg stays the caller's and must live until fn has run; if captured, until the graph, its executables and
 *            their launches have ended.
 * \backends cuda: cuLaunchHostFunc; fn must not make CUDA calls either.
 */
GS_API gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg);

/**
 * Calls a function after the work submitted to a stream so far is done, without holding the stream.
 *
 * GS_OK means that the function runs exactly once, any other status that it never runs. It runs on a library thread
 * that also serves other notifications, in an order that agrees with happens-before, across streams too (see
 * gs_queue_create()). It is passed GS_OK, or the status with which the work failed. Later work of the stream does not
 * wait for it. For a stream that is being captured the call returns GS_ERROR_CAPTURING. The number of pending
 * notifications is not limited; each takes some hundred bytes until it has run, so only a caller that waits may add
 * them faster than they run.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] fn      not NULL; must not throw. It may call gpustream, except what waits (see Threads), and should be
 *                    short.
 * \param[in] arg     passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the
 *         start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; fn runs on the library's dispatcher thread, with all signals blocked.
 * \ownership arg stays the caller's and must live until fn has run.
 */
GS_API gs_status_t gs_stream_notify(gs_stream_t stream, void (*fn)(void *arg, gs_status_t status), void *arg);

/**
 * Occupies a stream for a given time.
 *
 * Submits work that does nothing for about that time; meant for tests and demonstrations of overlap.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] cycles  duration: clock cycles of the device, nanoseconds on host; 0 allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device cannot
 *         load the kernel); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \backends cuda: a spinning kernel, loaded at first use, which waits for host functions that run; host: a timer, which
 *           keeps no processor busy.
 */
GS_API gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles);

/**
 * Copies memory in stream order.
 *
 * Both sides may be host or device memory, in any combination; the direction is determined from the addresses. The
 * ranges must not overlap and must stay valid until the copy is done.
 *
 * \param[in] dst     [bytes] destination; NULL only if bytes is 0.
 * \param[in] src     [bytes] source; NULL only if bytes is 0.
 * \param[in] bytes   size; 0 does nothing.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL while bytes is not 0, or bytes is above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking while the driver stages pageable host memory, and on CUDA until a copy from host memory to host memory is
 *           done; no between a device and memory of gs_malloc_host()
 * \cost wait
 * \threadsafety any thread, also in a notification.
 * \ownership both ranges stay the caller's.
 * \backends cuda: copies of pageable memory may be partly synchronous (CUDA, "API synchronization behavior"). A capture
 *           takes a copy between memory of two devices only if the pools of both have GS_POOL_PEERS: INVALID_ARGUMENT.
 */
GS_API gs_status_t gs_memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream);

/**
 * Submits several copies to a stream, where possible in one call of the driver.
 *
 * Each is a copy as of gs_memcpy_async(). All start after the work submitted to the stream before, and later work waits
 * for all. Among themselves they may run in any order and at the same time: no copy may read or write what another one
 * writes. The order says when the sources are read. Orders but GS_ACCESS_ORDER_STREAM do not wait for earlier work of
 * the stream: what wrote the sources must be done before the call. After a failure any of the copies may have been
 * submitted; the text names the one that failed, unless the driver refuses all.
 *
 * A capture takes one node for each copy, and its launches read the sources: GS_ACCESS_ORDER_ANY acts as
 * GS_ACCESS_ORDER_STREAM, and GS_ACCESS_ORDER_DURING_CALL returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] copies  [count] the copies, read during the call; NULL is allowed if count is 0.
 * \param[in] count   how many; 0 does nothing.
 * \param[in] order   GS_ACCESS_ORDER_*.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (copies is NULL although count is above 0, another order, or a copy with
 *         an argument that gs_memcpy_async() refuses), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start
 *         statuses; the driver statuses, GS_ERROR_CAPTURING also as above; the call statuses.
 * \blocking as gs_memcpy_async(); and with GS_ACCESS_ORDER_DURING_CALL on cuda until the stream's work is done, if a
 *           source is not pageable host memory (driver 580)
 * \cost wait
 * \threadsafety any thread, also in a notification.
 * \ownership the ranges stay the caller's and must stay valid until the copies are done; sources until the call returns
 *            with GS_ACCESS_ORDER_DURING_CALL.
 * \backends cuda: cuMemcpyBatchAsync; one by one with drivers before CUDA 12.8, in the default stream, in captures, and
 *           for a single copy in stream order; host: GS_ACCESS_ORDER_ANY reads during the call.
 */
GS_API gs_status_t gs_memcpy_batch_async(const gs_copy_t *copies, size_t count, int32_t order, gs_stream_t stream);

/**
 * Fills device memory with a byte in stream order.
 *
 * The range must stay valid until the fill is done.
 *
 * \param[in] dst     [bytes] device memory, or memory from gs_malloc_host(); NULL only if bytes is 0.
 * \param[in] value   the byte, 0 to 255.
 * \param[in] bytes   size; 0 does nothing.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (dst is NULL while bytes is not 0, value out of range, or bytes above
 *         PTRDIFF_MAX; dst is other memory), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start statuses;
 *         the driver statuses; the call statuses.
 * \cost queue
 * \ownership the range stays the caller's.
 * \backends host: other memory is filled, too.
 */
GS_API gs_status_t gs_memset_async(void *dst, int32_t value, size_t bytes, gs_stream_t stream);

/**
 * Loads a module of kernels onto a device.
 *
 * The format is determined from the image. A compiler's message becomes part of the error text. On host, an image that
 * is cut off or no regular file is refused before the system's loader sees it; beyond that the loader trusts a shared
 * object as it trusts any library of the program, so a damaged one may end the process. Load only images you trust.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  image       [bytes] not NULL. cuda: PTX text, cubin or fatbin; host: a shared object.
 * \param[in]  bytes       size of the image; 0: image is the NUL-terminated path of a file that holds it.
 * \param[out] out_module  not NULL; the module.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, the file cannot be opened, or the image is
 *         malformed), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the image does not fit the
 *         device); the start statuses; the driver statuses; the call statuses.
 * \blocking while the image is read, compiled and loaded
 * \cost wait
 * \ownership the caller's, until gs_module_destroy(); the image is not needed after the call.
 * \backends cuda: creates the device's primary context if there is none; host: loading runs the object's initialisers.
 */
GS_API gs_status_t gs_module_load(gs_device_t device, const void *image, size_t bytes, gs_module_t *out_module);

/**
 * Unloads a module.
 *
 * The handles of its kernels become invalid. On CUDA no launch of its kernels may be pending. In a forked child the
 * call returns GS_OK and does nothing.
 *
 * \param[in] module  live module.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (module is not a live module), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \blocking while the driver unloads, which may wait for device work
 * \cost wait
 * \threadsafety any thread, also in a notification; a concurrent launch finishes first or returns INVALID_HANDLE.
 * \ownership the caller's ownership ends; a failure of the driver goes to the log.
 * \backends host: pending launches still run; the shared object is closed after them.
 */
GS_API gs_status_t gs_module_destroy(gs_module_t module);

/**
 * Finds a kernel in a module.
 *
 * The same name yields the same handle while the module is alive.
 *
 * \param[in]  module      live module.
 * \param[in]  name        not NULL, NUL-terminated; the symbol's name as compiled (mangled for C++).
 * \param[out] out_kernel  not NULL; the kernel.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, or the module has no such kernel; a variable of that
 *         name is none), GS_ERROR_INVALID_HANDLE (module is not a live module); the driver statuses; the call statuses.
 * \cost driver
 * \ownership borrowed from the module: it ends with the module and is never destroyed separately.
 */
GS_API gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel);

/**
 * Submits a kernel to a stream.
 *
 * The kernel starts when all work submitted to the stream before is done. With GS_LAUNCH_PROGRAMMATIC it may start
 * earlier if that work ends with a kernel: once each block of that kernel has triggered
 * (cudaTriggerProgrammaticLaunchCompletion) or returned. What that kernel writes is then to be used only behind
 * cudaGridDependencySynchronize(). Whatever follows in the stream, and every synchronizing call, waits for both.
 *
 * A programmatic event is complete once each block has triggered or returned. It does not prove that the kernel is
 * done: the library asks the driver at each query and wait, also after later records of the event. Kernels in streams
 * that wait for it use what this kernel writes only behind cudaGridDependencySynchronize(), anything else only after
 * another wait.
 *
 * \param[in] kernel     live kernel, of the stream's device.
 * \param[in] config     not NULL; struct_size set by the caller. Blocks and threads are at least 1 along each axis. A
 *                       programmatic event is of the stream's device or unbound, and has at most GS_EVENT_BLOCKING.
 * \param[in] arguments  one pointer per kernel argument, to its value; NULL for a kernel without arguments.
 * \param[in] stream     the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (config is NULL, its struct_size or a dimension out of range, a flag or
 *         a field unknown or set without what it needs, a cluster that does not divide the grid, a cooperative grid
 *         that does not fit the device, an event with other flags), GS_ERROR_INVALID_HANDLE (kernel, stream or event is
 *         not live), GS_ERROR_DEVICE_MISMATCH (they belong to different devices), GS_ERROR_NOT_SUPPORTED (the device or
 *         the driver has no such attribute), GS_ERROR_CAPTURING (a programmatic event while the stream is being
 *         captured; the capture goes on); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership arguments and values stay the caller's. cuda copies the values during the call, and so does host for a
 *            kernel that exports its argument sizes; otherwise they must stay alive on host until the kernel has run.
 * \backends cuda: clusters, GS_LAUNCH_PROGRAMMATIC and programmatic events need compute capability 9.0; a captured
 *           launch keeps its attributes. host: clusters and domains change nothing, a priority counts in graphs with
 *           GS_INSTANTIATE_NODE_PRIORITY alone, and streams that wait for a programmatic event wait for the kernel. A
 *           kernel is `void k(const gs_kernel_context_t *context, void **arguments)`, called once per block, one block
 *           after the other, with C linkage. If the shared object exports `const size_t k_argument_sizes[]` (the sizes
 *           of the arguments in bytes, then 0), argument values are copied at launch.
 */
GS_API gs_status_t gs_kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                                    gs_stream_t stream);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_WORK_H */
