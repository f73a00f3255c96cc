/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream.h
 * The whole public interface of gpustream, and its reference manual.
 *
 * gpustream owns what every GPU program shares: devices, streams, events and the calling thread's current stream. It is
 * one C library that any language can load; other libraries receive the raw driver handles from it (a `cudaStream_t` is
 * one machine word). Two backends exist: `cuda` drives NVIDIA GPUs, `host` runs the same interface on CPU threads.
 *
 * \par Loading
 * libgpustream.so.0 needs libc only. Nothing runs when it is loaded. The GPU driver is opened by the first call that
 * needs a device, never earlier; where there is none, calls return GS_ERROR_UNAVAILABLE with a reason, or the host
 * backend serves as default. The library stays in the process after dlclose(), and calls no driver at process exit.
 * Exported symbols are versioned; constants, struct offsets and status numbers never change.
 *
 * \par Environment
 * Read once, before the first start of a backend: GPUSTREAM_BACKEND (host, cuda or auto, the default: cuda if a device
 * is usable, else host), GPUSTREAM_HOST_DEVICES (virtual devices of the host backend, default 2),
 * GPUSTREAM_HOST_WORKERS (its threads), GPUSTREAM_SHM_DIR (the folder of interprocess events and tokens; ignored in a
 * process with raised privileges), GPUSTREAM_TOKEN_LEASE_MS (see gs_token_create()), GPUSTREAM_ELIDE (0: no driver call
 * is skipped because its result is already known), GPUSTREAM_WAIT (driver, spin, block or adaptive: see
 * gs_set_wait_mode()), GPUSTREAM_WAIT_CPU (percent of one processor that an adaptive wait, or the thread that looks for
 * completions, may keep busy; 1 to 100, default 15), GPUSTREAM_CHECK, GPUSTREAM_CHECK_JSON,
 * GPUSTREAM_CHECK_SUPPRESSIONS (see gs_check_start(); the files are ignored in a process with raised privileges),
 * GPUSTREAM_LOG, GPUSTREAM_DUMP_SIGNAL, GPUSTREAM_DUMP_ON, GPUSTREAM_DUMP_FILE, GPUSTREAM_SYNCS, GPUSTREAM_LEAKS (see
 * gs_dump()), GPUSTREAM_LOG_FILE (see gs_dump_log(); the files are ignored in a process with raised privileges),
 * NVTX_INJECTION64_PATH (see gs_range_push()), GPUSTREAM_POISON (1: every pool has GS_POOL_POISON), GPUSTREAM_LIBCUDA,
 * GPUSTREAM_LIBNVML, GPUSTREAM_LIBCUBLAS (paths of the driver library, of NVIDIA's management library and of cuBLAS;
 * ignored in a process with raised privileges). If GPUSTREAM_LIBCUDA names another driver, NVML is used only if
 * GPUSTREAM_LIBNVML is set too, because the system's NVML would list GPUs that are not that driver's. Read at each call
 * until a backend is started: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. No function ever changes the environment.
 *
 * \par Errors
 * Every function that can fail returns gs_status_t; results are returned through parameters named out_*, which come
 * last. Scalar and handle outputs are set to 0 (NULL) on entry and get a value only with GS_OK; structs are untouched
 * on failure. Work that is not done yet is not a failure: query calls return GS_OK and report completion in out_done.
 * gs_last_error() returns the text and the native code of the calling thread's last failure. No function throws, aborts
 * or exits.
 *
 * \par Handles
 * gs_stream_t, gs_event_t, gs_module_t, gs_kernel_t, gs_graph_t, gs_graph_exec_t and gs_queue_t have pointer types so
 * that compilers tell them apart, but their value is a number (kind, generation, index), not an address. Any 64-bit
 * value may be passed: for NULL, garbage, a destroyed handle or a handle of another kind the call returns
 * GS_ERROR_INVALID_HANDLE, even while another thread destroys the object. NULL is never valid. No live handle is below
 * 2^48.
 *
 * \par References
 * Streams and events count their owners. Functions that create an object or return it retained (create, from_native,
 * from_native_owned, unpack, ipc_open, exchange) add one reference, which the caller releases with the destroy
 * function; retain adds another. Destroying is legal while work is pending: the work still runs and waits are still
 * honoured. Borrowed handles (gs_default_stream, gs_per_thread_stream, gs_current_stream) need no destroy. The library
 * itself keeps a stream alive while it is current on a thread. Releasing more references than the caller owns cannot be
 * detected while another owner holds one.
 *
 * \par Devices
 * A gs_device_t that is a plain ordinal (0, 1, ...) means that device of the default backend; GS_DEVICE(backend,
 * ordinal) names one explicitly. Functions return plain ordinals for devices of the default backend and qualified
 * numbers otherwise. GS_DEVICE_CURRENT is allowed where the parameter's description says so.
 *
 * \par Current device and current streams
 * Each operating system thread has one current device and, for each device, one current stream; they start as the
 * device of the driver's current context, else device 0, and as the default stream of each device. All languages in the
 * process see the same state on the same thread. GS_STREAM_CURRENT is accepted where the parameter's description says
 * so, and means the current stream of the current device at the time of the call.
 *
 * \par Native stream numbers
 * 0 is the default ("null", legacy) stream of a device, 1 is another spelling of it on input, 2 is the calling thread's
 * own default stream (per-thread stream). Other values are the driver's handles. Numbers 3 to 4095 are never valid.
 * Work in the default stream waits for all earlier work in blocking streams of the device, and later work in those
 * waits for it (CUDA Runtime API, "Stream synchronization behavior"); streams are non-blocking unless created with
 * GS_STREAM_BLOCKING.
 *
 * \par Threads
 * Every function may be called from every thread, at the same time, also on the same object. Calls that submit work to
 * one stream from several threads take effect in some order, each as a whole. A function run by gs_stream_launch_host()
 * may make only calls that do not act on a device; calls that list GS_ERROR_NOT_PERMITTED or the call statuses return
 * GS_ERROR_NOT_PERMITTED there. In a function run by gs_stream_notify() the synchronizing calls
 * (gs_device_synchronize, gs_stream_synchronize, gs_event_synchronize, their forms with a limit, and gs_queue_wait)
 * return it. A thread must not be cancelled (pthread_cancel()) inside a call: this would terminate the process. If the
 * main thread calls pthread_exit(), the process ends with exit status 0 once no thread is left but the library's and
 * their work is finished.
 *
 * \par Fork
 * In a child forked after a backend was started, while another thread was starting one, or after the library found CUDA
 * initialised by another library, every device call returns GS_ERROR_BAD_FORK at once without calling the driver;
 * destroy calls return GS_OK and do nothing.
 * Calls that list neither GS_ERROR_BAD_FORK nor a group that contains it still work: texts, versions, settings,
 * gs_last_error, gs_fork_status, gs_is_initialized, gs_is_available, gs_device_count and the inventory. The inventory
 * of such a child returns GS_ERROR_BAD_FORK, and the count is the guess without NVML, if the parent had several threads
 * at the fork and had not asked for either before: the child may not load NVML then. A program started by exec is not
 * affected. A child created without the library's pthread_atfork() handlers (_Fork(), a raw clone, a fork during which
 * another thread made the first call of the library) must not use gpustream. It is only detected, and a bad child as
 * above, if the thread that lives on in it had not called the library before; another one may hang.
 *
 * \par Structs
 * A struct that begins with struct_size is extended at its end in later versions. Set struct_size to sizeof the struct
 * before the call (8 to 65536, else GS_ERROR_INVALID_ARGUMENT). Outputs are filled as far as both versions know the
 * struct, and the rest of the caller's struct is zeroed; an input with non-zero bytes that this version does not know
 * is GS_ERROR_INVALID_ARGUMENT.
 *
 * \par Statuses shared by many functions
 * The return lists below name five groups instead of repeating them.
 *
 * \par common statuses
 * GS_ERROR_OUT_OF_MEMORY (the library could not allocate host memory), GS_ERROR_INTERNAL (a defect of gpustream).
 *
 * \par getter statuses
 * GS_ERROR_BAD_FORK (forked child, see Fork), GS_ERROR_OUT_OF_MEMORY and GS_ERROR_INTERNAL (as above).
 *
 * \par call statuses
 * GS_ERROR_NOT_PERMITTED (inside a host function, see Threads), GS_ERROR_BAD_FORK, GS_ERROR_OUT_OF_MEMORY and
 * GS_ERROR_INTERNAL (as above).
 *
 * \par start statuses
 * Returned by calls that start a backend if it has not been started yet: GS_ERROR_UNAVAILABLE (it cannot be used here;
 * see gs_error_info_t.reason), GS_ERROR_INVALID_ARGUMENT (GPUSTREAM_BACKEND or another variable has an invalid value),
 * GS_ERROR_SYSTEM (a thread or another system resource could not be created), GS_ERROR_DRIVER (the driver failed to
 * initialise). A failed start is final: later calls return the same status. The first call also runs the functions
 * queued by gs_call_on_init(); if one of them fails, the call returns its status.
 *
 * \par driver statuses
 * Returned by calls that use the driver: GS_ERROR_DRIVER (it failed; see gs_error_info_t.native_code),
 * GS_ERROR_OUT_OF_MEMORY (it is out of memory), GS_ERROR_SYSTEM (as above), GS_ERROR_CAPTURING (it refuses the
 * operation because of a stream capture; CUDA errors 900 to 908), GS_ERROR_STICKY (an earlier error, possibly of
 * asynchronous work, left the device unusable in this process), GS_ERROR_CONTEXT_LOST (another library reset the
 * device; objects created before are dead), GS_ERROR_SHUTDOWN (the driver has shut down because the process exits),
 * GS_ERROR_PEER_LOST (host: the stream waits, or waited, for a record of an interprocess event whose process ended
 * before it was done; work submitted behind that wait never runs).
 * CUDA may report the error of earlier asynchronous work from any call (CUDA Driver API reference, note on asynchronous
 * errors).
 *
 * \par Blocking
 * "no" means that the call does not wait for device work, for other processes or for a compiler. The first call that
 * starts a backend or needs a device's context may still take long while the driver initialises (seconds on CUDA). On
 * CUDA, calls that create an object or enqueue work on a device create its primary context if there is none; calls that
 * only query do not, unless their description says so. Inventory and telemetry calls query NVML, which may take
 * milliseconds.
 *
 * \par Cost
 * The most that a call does; bindings choose by it how they make the call. "memory": reads or writes memory of the
 * library; takes nanoseconds, does not wait, starts no backend and calls no function of the caller. "library": works
 * on the library's own tables; may lock, allocate, or call a function passed in earlier. "start": as "library", but the
 * first call may start a backend or create a device's objects. "queue": submits work to a driver's queue or queries its
 * state; waits while the queue is full. "driver": makes any other driver call. "inventory": queries NVML. "wait": waits
 * as its Blocking line says.
 *
 * \par Arrays
 * A parameter whose text begins with a name in brackets, such as [bytes], points to as many elements as the parameter
 * of that name states; for void pointers the elements are bytes.
 */
#ifndef GPUSTREAM_H
#define GPUSTREAM_H

#include <stddef.h>
#include <stdint.h>

/** Marks an exported function. */
#if defined(_WIN32) || !defined(__GNUC__)
#define GS_API extern
#else
#define GS_API extern __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types and pinned numbers ------------------------------------------------------------- */

/** Version of this header. gs_version() returns the version of the loaded library. */
#define GS_VERSION_MAJOR 0
/** Minor version: functions were added, none removed. */
#define GS_VERSION_MINOR 1
/** Patch version: corrections only. */
#define GS_VERSION_PATCH 0
/** Incremented only when binaries built against an older header could misbehave; the file's SONAME changes with it. */
#define GS_ABI_VERSION 1

/** Result of a call: one of the numbers below. They never change and are grouped by tens. */
typedef int32_t gs_status_t;
enum {
    /** Success. */
    GS_OK = 0,
    /**
     * The work is not done yet; not an error. Returned by gs_event_elapsed_ms(), gs_event_elapsed_ns() and
     * gs_event_time_ns() only.
     */
    GS_NOT_READY = 1,

    /** An argument is NULL, out of its range, malformed, or an unknown flag. */
    GS_ERROR_INVALID_ARGUMENT = 10,
    /** The handle is NULL, destroyed, of another kind, or was never valid. */
    GS_ERROR_INVALID_HANDLE = 11,
    /** There is no such device. */
    GS_ERROR_INVALID_DEVICE = 12,
    /** The objects belong to different devices and the operation needs one. */
    GS_ERROR_DEVICE_MISMATCH = 13,
    /** The scope is not this thread's, or not its innermost; or the range is not open. */
    GS_ERROR_SCOPE = 14,

    /** The event was never recorded, or does not have the record that is asked for. */
    GS_ERROR_NOT_RECORDED = 20,
    /** The event was created without GS_EVENT_TIMING. */
    GS_ERROR_TIMING_DISABLED = 21,
    /** The call is not permitted inside a host function or a notification. */
    GS_ERROR_NOT_PERMITTED = 22,
    /**
     * The stream or event takes part in a graph capture that the call would break. The capture is left intact, with
     * one exception: on CUDA, querying an event that was recorded in the capture breaks it.
     */
    GS_ERROR_CAPTURING = 23,
    /** A time limit passed. Not a failure for gs_last_error(), which keeps what it had. */
    GS_ERROR_TIMEOUT = 24,
    /** The entry was cancelled by gs_queue_cancel(); its work is not affected. */
    GS_ERROR_CANCELLED = 25,
    /** The call would close a circle of streams that wait for each other; the error text names it. Nothing was done. */
    GS_ERROR_DEADLOCK = 26,
    /** The timeline was aborted. */
    GS_ERROR_ABORTED = 27,

    /** The backend cannot be used on this machine. GS_REASON_* says why. */
    GS_ERROR_UNAVAILABLE = 30,
    /** The process was forked after a backend had been started, or after another library had initialised CUDA. */
    GS_ERROR_BAD_FORK = 31,
    /** The device was reset; objects created before the reset are dead. */
    GS_ERROR_CONTEXT_LOST = 32,
    /** The backend, driver or device does not support this, or the objects belong to different backends. */
    GS_ERROR_NOT_SUPPORTED = 33,
    /** The driver has shut down because the process exits. */
    GS_ERROR_SHUTDOWN = 34,
    /** The other process of an interprocess event is gone. */
    GS_ERROR_PEER_LOST = 35,

    /** Host or device memory, or the table of handles, is exhausted. */
    GS_ERROR_OUT_OF_MEMORY = 40,
    /** A system call failed; the error record names it. */
    GS_ERROR_SYSTEM = 41,
    /** The queue has as many undelivered entries, or there are as many open ranges, as may be. Nothing was added. */
    GS_ERROR_FULL = 42,

    /** A driver call failed; the error record has its code and name. */
    GS_ERROR_DRIVER = 50,
    /** An earlier error left the device unusable in this process; the error record names the first origin. */
    GS_ERROR_STICKY = 51,

    /** A synchronizing call in sync debug mode "error" or under gs_forbid_sync(). Nothing was waited for. */
    GS_ERROR_SYNC_FORBIDDEN = 60,

    /** A defect of gpustream. */
    GS_ERROR_INTERNAL = 99
};

/** Why a backend is unavailable: gs_error_info_t.reason beside GS_ERROR_UNAVAILABLE. */
enum {
    /** No reason applies (every other status). */
    GS_REASON_NONE = 0,
    /** The library was not found or could not be loaded: the driver's, or the one that gs_bridge_find() looks for. */
    GS_REASON_NO_LIBRARY = 1,
    /** The library found is the toolkit's link-time stub, not a driver. */
    GS_REASON_STUB = 2,
    /** The driver is older than gpustream needs. */
    GS_REASON_TOO_OLD = 3,
    /** The driver, or the library that gs_bridge_find() looks for, lacks a function that gpustream needs. */
    GS_REASON_NO_SYMBOL = 4,
    /** The driver works but offers no device. */
    GS_REASON_NO_DEVICE = 5,
    /** This build of gpustream has no such backend. */
    GS_REASON_NOT_BUILT = 6
};

/** A kind of device: one of the numbers below; also gs_stream_triple_t.device_type. */
typedef int32_t gs_backend_t;
enum {
    /** The backend that plain device ordinals refer to. */
    GS_BACKEND_DEFAULT = 0,
    /** CPU threads with the semantics of CUDA. */
    GS_BACKEND_HOST = 1,
    /** NVIDIA GPUs. */
    GS_BACKEND_CUDA = 2,
    /** AMD GPUs; the number is reserved, this version has no such backend. */
    GS_BACKEND_HIP = 3
};

/** A device: a plain ordinal of the default backend, a number made by GS_DEVICE(), or one of the two constants. */
typedef int32_t gs_device_t;
/** The calling thread's current device. Accepted only where a parameter's description says so. */
#define GS_DEVICE_CURRENT ((gs_device_t)(-1))
/** No device: an unbound event (gs_event_device()), or a device not stated (gs_stream_from_native() only). */
#define GS_DEVICE_NONE ((gs_device_t)(-2))
/** Device `ordinal` (0 to 65535) of `backend` (GS_BACKEND_HOST or above), whatever the default backend is. */
#define GS_DEVICE(backend, ordinal) ((gs_device_t)(((backend) << 16) | (ordinal)))

/** A stream: an ordered queue of device work. The value is a number, never an address. */
typedef struct gs_stream *gs_stream_t;
/** An event: a marker in a stream that others can wait for. The value is a number, never an address. */
typedef struct gs_event *gs_event_t;
/** A module of kernels loaded on one device. The value is a number, never an address. */
typedef struct gs_module *gs_module_t;
/** One kernel, borrowed from its module. The value is a number, never an address. */
typedef struct gs_kernel *gs_kernel_t;
/** A graph: work and the order in it, to be made executable. The value is a number, never an address. */
typedef struct gs_graph *gs_graph_t;
/** An executable graph, which can be launched any number of times. The value is a number, never an address. */
typedef struct gs_graph_exec *gs_graph_exec_t;
/** A node of a graph: a number that no other node of the process ever has. 0 is never valid. */
typedef uint64_t gs_node_t;
/** A queue of completions. The value is a number, never an address. */
typedef struct gs_queue *gs_queue_t;
/** A timeline: a number that only grows, signalled and waited for. The value is a number, never an address. */
typedef struct gs_timeline *gs_timeline_t;
/** A pool of memory. The value is a number, never an address. */
typedef struct gs_pool *gs_pool_t;
/** A part of a device's multiprocessors, in which streams can be created. The value is a number, never an address. */
typedef struct gs_partition *gs_partition_t;
/** The current stream of the current device. Accepted only where a parameter's description says so. */
#define GS_STREAM_CURRENT ((gs_stream_t)(uintptr_t)0x7000000000000001u)

/** Flags of gs_stream_create() and results of gs_stream_flags(). */
enum {
    /** Synchronizes implicitly with the device's default stream. */
    GS_STREAM_BLOCKING = 1,
    /** One of 32 driver streams per device and priority, assigned in turn: other owners may share it. */
    GS_STREAM_SHARED = 2,
    /** A driver stream of its own, which is destroyed at the end instead of being kept for reuse. */
    GS_STREAM_DEDICATED = 4
};
/** Flags of gs_check_start(). */
enum {
    /** The process is aborted (SIGABRT) once the first report has been delivered. */
    GS_CHECK_ABORT = 1,
    /** Each access also keeps the call stack of its thread. Without it only the later access has one. */
    GS_CHECK_STACKS = 2
};
/** Flags of gs_trace_options_t. */
enum {
    /** Ranges of threads are also timed on the device, in the stream that is current when they begin. */
    GS_TRACE_DEVICE_TIMES = 1
};
/** What a function of gs_set_trace_callback() hears of. */
enum {
    /** stream recorded an event: object. */
    GS_TRACED_RECORD = 1,
    /** stream waits for the present record of an event: object. */
    GS_TRACED_WAIT = 2,
    /** stream waits for what another stream, object, has so far. */
    GS_TRACED_WAIT_STREAM = 3,
    /** Work of another kind was submitted to stream. */
    GS_TRACED_WORK = 4,
    /** An executable graph, object, was launched in stream. */
    GS_TRACED_LAUNCH = 5,
    /** A host function is about to be submitted to stream. */
    GS_TRACED_HOST_FUNCTION = 6,
    /** stream signals a timeline, object, to value. */
    GS_TRACED_SIGNAL = 7,
    /** stream waits until a timeline, object, reaches value. */
    GS_TRACED_WAIT_TIMELINE = 8,
    /** stream waits for a word of memory. */
    GS_TRACED_WAIT_VALUE = 9,
    /** value bytes are copied in stream. */
    GS_TRACED_COPY = 10,
    /** value bytes are filled in stream. */
    GS_TRACED_FILL = 11,
    /** value bytes were allocated in stream. */
    GS_TRACED_MALLOC = 12,
    /** Memory is about to be freed in stream. */
    GS_TRACED_FREE = 13,
    /** The thread has seen that an event, object, is complete. */
    GS_TRACED_EVENT_DONE = 14,
    /** The thread has seen that stream has no work left. */
    GS_TRACED_STREAM_DONE = 15,
    /** The thread has seen a timeline, object, at value. */
    GS_TRACED_TIMELINE_DONE = 16,
    /** The thread has signalled a timeline, object, to value. */
    GS_TRACED_HOST_SIGNAL = 17,
    /** The thread begins a range, text. */
    GS_TRACED_RANGE_PUSH = 18,
    /** The thread ends its innermost range. */
    GS_TRACED_RANGE_POP = 19,
    /** A range that any thread may end begins: its number is object, its name text. */
    GS_TRACED_RANGE_START = 20,
    /** That range ends: object. */
    GS_TRACED_RANGE_END = 21,
    /** The thread marks the moment: text. */
    GS_TRACED_MARK = 22
};
/** Flags of gs_pool_options_t. */
enum {
    /** Page-locked memory of the host instead of the device's, which host code can use as well. */
    GS_POOL_HOST = 1,
    /** The other devices of the backend that can access the device may use the memory, too. */
    GS_POOL_PEERS = 2,
    /** Memory is filled with the byte 0xDD, in stream order, when it is freed: a late access is seen. */
    GS_POOL_POISON = 4
};
/** Limits of a device: gs_device_get_limit() and gs_device_set_limit(). The numbers are those of CUDA's CUlimit. */
enum {
    /** Stack of each thread of a kernel, bytes. */
    GS_LIMIT_STACK_SIZE = 0,
    /** Memory for what kernels print, bytes. */
    GS_LIMIT_PRINTF_FIFO_SIZE = 1,
    /** Memory that kernels may allocate, bytes. */
    GS_LIMIT_MALLOC_HEAP_SIZE = 2,
    /** How deep a kernel that starts kernels may wait for them; of old devices only. */
    GS_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
    /** How many kernels that kernels have started may be pending. */
    GS_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
    /** What the second-level cache fetches at once at most, bytes; a hint. */
    GS_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
    /** What the second-level cache sets aside for persisting accesses, bytes. */
    GS_LIMIT_PERSISTING_L2_CACHE_SIZE = 6
};
/** Flags of gs_partition_create(). */
enum {
    /** A number that is no multiple of the device's unit is refused instead of being rounded up. */
    GS_PARTITION_EXACT = 1,
    /** The driver's smallest units, which gives up what neighbouring multiprocessors do together, as large clusters. */
    GS_PARTITION_FINE = 2
};
/** Flags of gs_timeline_create(). */
enum {
    /** Can be exported to other processes, by gs_timeline_ipc_export(). */
    GS_TIMELINE_INTERPROCESS = 1
};
/** Flags of gs_event_create() and results of gs_event_flags(). */
enum {
    /** Takes a time stamp. On CUDA a timed record takes several times as long as an untimed one. */
    GS_EVENT_TIMING = 1,
    /** gs_event_synchronize() sleeps instead of spinning. */
    GS_EVENT_BLOCKING = 2,
    /** Can be exported to other processes. Excludes GS_EVENT_TIMING. */
    GS_EVENT_INTERPROCESS = 4,
    /** In a stream capture, record and wait, also a wait before any record, become nodes of the graph, not edges. */
    GS_EVENT_EXTERNAL = 8
};
/** Modes of gs_set_sync_debug_mode(). */
enum {
    /** Synchronizing calls are silent. */
    GS_SYNC_DEBUG_DEFAULT = 0,
    /** Synchronizing calls log a warning. */
    GS_SYNC_DEBUG_WARN = 1,
    /** Synchronizing calls return GS_ERROR_SYNC_FORBIDDEN and wait for nothing. */
    GS_SYNC_DEBUG_ERROR = 2
};
/** Scopes of gs_set_sync_debug_scope(). */
enum {
    /** gs_stream_synchronize() only, as in PyTorch. */
    GS_SYNC_SCOPE_TORCH = 0,
    /** Also gs_event_synchronize() and gs_device_synchronize(). */
    GS_SYNC_SCOPE_ALL = 1
};
/** Modes of gs_set_unrecorded_mode(): what a wait for an event that was never recorded does. */
enum {
    /** Nothing, as in CUDA. */
    GS_UNRECORDED_IGNORE = 0,
    /** It logs a warning. */
    GS_UNRECORDED_WARN = 1,
    /** It returns GS_ERROR_NOT_RECORDED. */
    GS_UNRECORDED_ERROR = 2
};
/** How threads wait in blocking calls: gs_set_wait_mode(). */
enum {
    /** As the driver does: on CUDA, spinning for most events and streams, sleeping for GS_EVENT_BLOCKING. */
    GS_WAIT_DRIVER = 0,
    /** Keeps the processor busy until the work is done: the shortest delay. */
    GS_WAIT_SPIN = 1,
    /** Sleeps until the driver wakes the thread: the least load. */
    GS_WAIT_BLOCK = 2,
    /**
     * Learns how long the work of each stream takes, sleeps for most of that and spins shortly before its end, for at
     * most GPUSTREAM_WAIT_CPU percent of the time that it waits.
     */
    GS_WAIT_ADAPTIVE = 3
};
/** Flags of gs_stream_wait_value() and gs_stream_write_value(): a condition, of which there is one, and others. */
enum {
    /** Waits until the word is at least the value, cyclically: until the signed difference is not negative. */
    GS_VALUE_GEQ = 0,
    /** Waits until the word equals the value. */
    GS_VALUE_EQ = 1,
    /** Waits until the word has one of the value's bits. */
    GS_VALUE_AND = 2,
    /** Waits until one of the bits that the value has not is missing in the word: ~(word | value) is not 0. */
    GS_VALUE_NOR = 3,
    /** The word has 32 bits, else 64. */
    GS_VALUE_32 = 4,
    /** Of a wait: what other devices wrote before is visible to the work that follows (CUDA: WAIT_VALUE_FLUSH). */
    GS_VALUE_FLUSH = 8,
    /** Of a write: the stream's earlier writes need not be visible before it. A hint: no backend makes use of it. */
    GS_VALUE_NO_BARRIER = 16,
    /** Of an operation of gs_stream_batch_values(): it writes the word, else it waits for it. */
    GS_VALUE_WRITE = 32
};
/** Types of gs_timeline_from_fd(): what a file descriptor stands for. */
enum {
    /** A timeline semaphore of Vulkan, exported as VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT. */
    GS_FD_VULKAN_TIMELINE = 1,
    /** A fence of D3D12. No driver has file descriptors for them yet: GS_ERROR_NOT_SUPPORTED. */
    GS_FD_D3D12_FENCE = 2
};
/** Levels passed to the function of gs_set_log_callback(). */
enum {
    /** A failure that cannot be returned to a caller. */
    GS_LOG_ERROR = 1,
    /** The program probably does not do what was intended. */
    GS_LOG_WARNING = 2,
    /** Details for diagnosis. Not printed by default. */
    GS_LOG_INFO = 3
};
/** Results of gs_fork_status(). */
enum {
    /** Backends may be used, or are in use, in this process. */
    GS_FORK_CLEAN = 0,
    /** Forked from a process that had started a backend, or was about to, or whose CUDA was in use: device calls return
        GS_ERROR_BAD_FORK. */
    GS_FORK_CHILD_OF_INITIALIZED = 1
};

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
    /** A host function. */
    GS_NODE_HOST = 2,
    /** A kernel. */
    GS_NODE_KERNEL = 3,
    /** A copy. */
    GS_NODE_MEMCPY = 4,
    /** A fill. */
    GS_NODE_MEMSET = 5,
    /** A record of an event. */
    GS_NODE_RECORD = 6,
    /** A wait for an event. */
    GS_NODE_WAIT = 7,
    /** A graph inside the graph. */
    GS_NODE_GRAPH = 8,
    /** A conditional node with its bodies. */
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
    /** Runs the body whose index the condition is; none if there is no such body. */
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

/** Detail of the calling thread's last failure. Texts are NUL-terminated UTF-8, truncated to fit. */
typedef struct gs_error_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** The status that was returned; GS_OK if this thread has not failed yet. */
    gs_status_t status;
    /** GS_REASON_* beside GS_ERROR_UNAVAILABLE, else GS_REASON_NONE. */
    int32_t reason;
    /** Backend whose call failed; GS_BACKEND_DEFAULT if none was involved. */
    gs_backend_t backend;
    /** The driver's code (a CUresult), or errno beside GS_ERROR_SYSTEM; 0 if none. */
    int32_t native_code;
    /** 1 if the device has become unusable in this process, else 0. */
    int32_t sticky;
    /** The gs_* function that failed. */
    char function[64];
    /** The driver function or system call that failed; empty if none. */
    char native_function[64];
    /** What happened, with the values involved. */
    char message[512];
    /** Where a sticky failure was first detected; empty otherwise. */
    char origin[256];
    /**
     * The stream that the failed call was given: what was no live stream if that is why it failed, else the first of
     * several. GS_STREAM_CURRENT is replaced by the stream that it meant, if there was one. NULL: none, or the call
     * failed in a forked child. To be compared and printed: it has no reference, and the stream may have ended.
     */
    gs_stream_t stream;
    /** The event that the failed call was given, as stream; NULL: none. */
    gs_event_t event;
    /**
     * The device that the failed call was given, else that of its stream, else that of its event if it is bound to one.
     * GS_DEVICE_CURRENT is replaced by the device that it meant, if that is known. GS_DEVICE_NONE: none.
     */
    gs_device_t device;
    /** Always 0. */
    uint32_t reserved;
} gs_error_info_t;

/** Counts since start or gs_reset_stats(), summed over all threads of the process. */
typedef struct gs_stats {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Always 0. */
    uint32_t reserved;
    /** Driver calls; on the host backend, operations of its engine. */
    uint64_t driver_calls;
    /** Event records. */
    uint64_t records;
    /** Waits of a stream for a recorded event or a stream, elided ones included. */
    uint64_t waits;
    /** Queries of streams and events, elided ones included. */
    uint64_t queries;
    /** Synchronizations of streams, events and devices, elided ones included. */
    uint64_t synchronizes;
    /** Waits answered without the driver. */
    uint64_t elided_waits;
    /** Queries answered without the driver. */
    uint64_t elided_queries;
    /** Synchronizations answered without the driver. */
    uint64_t elided_synchronizes;
    /** Events created by gs_event_create(). */
    uint64_t events_created;
    /** Driver events taken from the pool. */
    uint64_t event_pool_hits;
    /** Driver events that had to be created. */
    uint64_t event_pool_misses;
    /** Streams created by gs_stream_create(). */
    uint64_t streams_created;
    /** Driver streams taken from the pool. */
    uint64_t stream_pool_hits;
    /** Driver streams that had to be created. */
    uint64_t stream_pool_misses;
    /** Functions accepted by gs_stream_notify(). */
    uint64_t notifications;
    /** Rounds in which destroyed objects were made reusable. */
    uint64_t reclaim_rounds;
} gs_stats_t;

/** Properties of a device. A property that the backend or driver does not report is 0. */
typedef struct gs_device_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Ordinal within the backend. */
    int32_t ordinal;
    /** GS_BACKEND_HOST or above. */
    gs_backend_t backend;
    /** Compute capability, major number; 0 on host. */
    int32_t capability_major;
    /** Compute capability, minor number. */
    int32_t capability_minor;
    /** Number of multiprocessors; on host, of processors the process may use. */
    int32_t multiprocessor_count;
    /** Threads that run in lockstep; 1 on host. */
    int32_t warp_size;
    /** Maximum number of threads per block. */
    int32_t max_threads_per_block;
    /** Maximum number of resident threads per multiprocessor. */
    int32_t max_threads_per_multiprocessor;
    /** Number of 32-bit registers per multiprocessor. */
    int32_t regs_per_multiprocessor;
    /** Peak clock of the processors, kHz. */
    int32_t clock_khz;
    /** Peak clock of the memory, kHz. */
    int32_t memory_clock_khz;
    /** Width of the memory bus, bits. */
    int32_t memory_bus_width_bits;
    /** Compute mode as CUDA numbers it: 0 shared, 2 prohibited, 3 one process only. */
    int32_t compute_mode;
    /** 1 if the device shares the host's memory, else 0. */
    int32_t integrated;
    /** 1 if error correction is on, else 0. */
    int32_t ecc_enabled;
    /** 1 if the device is a MIG instance, else 0. */
    int32_t is_mig;
    /** 1 if uuid is known, else 0. */
    int32_t has_uuid;
    /** 1 if the three pci fields are known, else 0. */
    int32_t has_pci;
    /** PCI domain. */
    int32_t pci_domain;
    /** PCI bus. */
    int32_t pci_bus;
    /** PCI device (slot). */
    int32_t pci_device;
    /**
     * Lowest stream priority (the largest number), as gs_device_priority_range() returns it. On CUDA this field and the
     * next are 0 while the device has no context, because the driver reports the range only inside one.
     */
    int32_t priority_least;
    /** Highest stream priority (the smallest number). Both 0: one priority only, or the range is not known yet. */
    int32_t priority_greatest;
    /** Memory of the device, bytes. */
    uint64_t total_memory_bytes;
    /** Second-level cache, bytes. */
    uint64_t l2_cache_bytes;
    /** Maximum shared memory per block, bytes. */
    uint64_t shared_memory_per_block_bytes;
    /** Maximum shared memory per block for a kernel that opts in to more than the default, bytes. */
    uint64_t shared_memory_per_block_optin_bytes;
    /** Shared memory per multiprocessor, bytes. */
    uint64_t shared_memory_per_multiprocessor_bytes;
    /** UUID, 16 bytes in the order of the usual text form; of the instance for MIG. */
    uint8_t uuid[16];
    /** Name, NUL-terminated UTF-8, truncated to fit. */
    char name[256];
} gs_device_info_t;

/**
 * One GPU, or one MIG instance of a GPU, as NVIDIA's management library (NVML) lists it. CUDA is not needed for it.
 * What NVML does not report is 0 or an empty text.
 */
typedef struct gs_inventory_entry {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_OK; GS_ERROR_DRIVER: the GPU is listed but cannot be queried, or NVML cannot report whether it is divided
        into MIG instances (no permission, fallen off the bus). */
    gs_status_t status;
    /** NVML's code beside a status that is not GS_OK, else 0. */
    int32_t native_code;
    /** NVML's index of the GPU; for a MIG instance, of its parent GPU. */
    int32_t nvml_index;
    /** Ordinal of the CUDA device in this process; -1: not visible to it; -2: not known (see gs_inventory_index()). */
    int32_t ordinal;
    /** 1 for a MIG instance, 0 for a GPU. */
    int32_t is_mig;
    /** NVML's index of the instance on its GPU; -1 for a GPU. */
    int32_t mig_index;
    /** 1 for a GPU that is divided into MIG instances; only the instances can be used. */
    int32_t mig_enabled;
    /** Compute capability, major number. */
    int32_t capability_major;
    /** Compute capability, minor number. */
    int32_t capability_minor;
    /** 1 if the three pci fields are known, else 0. */
    int32_t has_pci;
    /** PCI domain of the GPU. */
    int32_t pci_domain;
    /** PCI bus. */
    int32_t pci_bus;
    /** PCI device (slot). */
    int32_t pci_device;
    /** Memory, bytes; of the instance for MIG. */
    uint64_t total_memory_bytes;
    /** UUID as text, with the prefix "GPU-" or "MIG-", NUL-terminated. */
    char uuid[96];
    /** Name, NUL-terminated UTF-8, truncated to fit. */
    char name[96];
} gs_inventory_entry_t;

/** A stream as plain numbers, for another language in the same process. Meaningless in other processes. */
typedef struct gs_stream_triple {
    /** As returned by gs_stream_id(): 0 default stream, 2 per-thread stream, else unique and above 2^48. */
    int64_t id;
    /** Ordinal of the device within its backend. */
    int32_t device_index;
    /** Backend, GS_BACKEND_HOST or above. */
    int32_t device_type;
} gs_stream_triple_t;

/** An exported event or timeline: 64 bytes to hand to another process on the same machine by any means. */
typedef struct gs_ipc_handle {
    /** Opaque bytes. */
    unsigned char data[64];
} gs_ipc_handle_t;

/** A point of a stream: 128 bytes to hand to another process on the same machine by any means. */
typedef struct gs_token {
    /** Opaque bytes. */
    unsigned char data[128];
} gs_token_t;

/** An operation of gs_stream_batch_values(). Operations are elements of arrays and never change their size. */
typedef struct gs_value_op {
    /** The word: as for gs_stream_write_value(). */
    void *address;
    /** What is written, or compared with the word. */
    uint64_t value;
    /** GS_VALUE_WRITE and the flags of gs_stream_write_value(), or those of gs_stream_wait_value(). */
    uint32_t flags;
    /** 0. */
    uint32_t reserved;
} gs_value_op_t;

/** Geometry of a kernel launch. */
typedef struct gs_launch_config {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Blocks of the grid along x, y, z; at least 1 each. */
    uint32_t grid_x, grid_y, grid_z;
    /** Threads of a block along x, y, z; at least 1 each. */
    uint32_t block_x, block_y, block_z;
    /** Dynamic shared memory per block, bytes. */
    uint32_t shared_memory_bytes;
} gs_launch_config_t;

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
} gs_kernel_context_t;

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
    /** The stream of that call; NULL if it had none, or none of gpustream's broke the capture. */
    gs_stream_t broken_stream;
    /** The operating system's number of the thread that made that call; 0 as above. */
    uint64_t broken_thread;
    /** The gs_* function that broke the capture; empty as above. */
    char broken_function[64];
} gs_capture_info_t;
/** An entry of a queue of completions. Entries are elements of arrays and never change their size. */
typedef struct gs_completion {
    /** As it was added. */
    uint64_t token;
    /** GS_OK; GS_ERROR_CANCELLED; or how the work failed, as gs_event_query() reports it. */
    gs_status_t status;
    /** The device of the work. */
    gs_device_t device;
    /** The driver's code of a failure; 0 if there is none. */
    int32_t native_code;
    /** 0. */
    uint32_t reserved;
    /** When the completion was seen: CLOCK_MONOTONIC, nanoseconds. */
    uint64_t time_ns;
    /** 0. */
    uint64_t reserved64[2];
} gs_completion_t;

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

/** One node of a graph. What does not apply to its kind, or is not known of a node of a capture, is 0. */
typedef struct gs_node_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** One of GS_NODE_*. */
    int32_t kind;
    /** Of a conditional node, one of GS_CONDITION_*; else -1. */
    int32_t condition_kind;
    /** Of a conditional node, the number of its bodies. */
    uint32_t body_count;
    /** Number of nodes it waits for. */
    uint64_t predecessor_count;
    /** Number of nodes that wait for it. */
    uint64_t successor_count;
    /** Destination of a copy or a fill. */
    void *dst;
    /** Source of a copy; the word that sets a condition. */
    const void *src;
    /** Size of a copy or a fill, bytes. */
    uint64_t bytes;
    /** The byte of a fill. */
    int32_t value;
    /** Blocks of a kernel's grid along x, y, z. */
    uint32_t grid_x, grid_y, grid_z;
    /** Threads of a kernel's block along x, y, z. */
    uint32_t block_x, block_y, block_z;
    /** Dynamic shared memory per block of a kernel, bytes. */
    uint32_t shared_memory_bytes;
    /** Name of a kernel, NUL-terminated UTF-8, truncated to fit. */
    char name[128];
} gs_node_info_t;

/** What became of the update of an executable graph. */
typedef struct gs_graph_update {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_UPDATE_OK, or why it was not updated: one of GS_UPDATE_*. */
    int32_t reason;
    /** The node of the new graph that cannot be taken over; 0 if no single one is the reason. */
    gs_node_t node;
} gs_graph_update_t;

/** How a pool is made. All fields but struct_size may be 0. */
typedef struct gs_pool_options {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_POOL_*. */
    uint32_t flags;
    /** What the pool may take from the driver at most, bytes; 0: no limit. */
    uint64_t limit_bytes;
    /** What the driver keeps of freed memory when a stream, event or device is synchronized, bytes; 0: all of it. */
    uint64_t keep_bytes;
} gs_pool_options_t;

/**
 * What a pool has and has had. Memory that a capture allocates belongs to its graph and is not counted.
 *
 * Sizes are those that the pool rounds a request up to, a multiple of 512 bytes.
 */
typedef struct gs_pool_stats {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_POOL_*, as the pool was made. */
    uint32_t flags;
    /** Allocated and not freed, bytes. */
    uint64_t allocated_bytes;
    /** The largest allocated_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t allocated_peak_bytes;
    /** Allocated and not freed, as the callers asked for it, bytes. */
    uint64_t requested_bytes;
    /** Freed and kept by the library for the next allocation in the same stream, bytes. */
    uint64_t cached_bytes;
    /** What the driver has reserved for the pool, bytes; if it cannot be asked, what is allocated and cached. */
    uint64_t reserved_bytes;
    /** The largest reserved_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t reserved_peak_bytes;
    /** What the pool may take from the driver at most, bytes; 0: no limit. */
    uint64_t limit_bytes;
    /** Allocations that are not freed. */
    uint64_t blocks;
    /** Allocations so far. */
    uint64_t allocations;
    /** Frees so far. */
    uint64_t frees;
    /** Allocations that needed no driver call. */
    uint64_t cache_hits;
    /** Allocations that failed for want of memory, or of room below the limit. */
    uint64_t out_of_memory;
    /** The largest requested_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t requested_peak_bytes;
    /** The largest cached_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t cached_peak_bytes;
    /** The largest number of blocks since the pool began or gs_pool_reset_peak(). */
    uint64_t blocks_peak;
    /** Blocks of the driver: allocated, or kept by the library for the next allocation. */
    uint64_t segments;
    /** The largest number of segments since the pool began or gs_pool_reset_peak(). */
    uint64_t segments_peak;
    /** Blocks that the driver has allocated so far; without the present segments, those that it has freed. */
    uint64_t segment_allocations;
    /** The sizes of all allocations so far, bytes. */
    uint64_t allocated_total_bytes;
    /** The sizes of all allocations so far, as the callers asked for them, bytes. */
    uint64_t requested_total_bytes;
    /** Allocations that had to give back first what the library keeps for streams. */
    uint64_t retries;
} gs_pool_stats_t;

/** What gs_trace_start() is to keep. */
typedef struct gs_trace_options {
    /** sizeof(gs_trace_options_t); see Structs. */
    uint32_t struct_size;
    /** 0 or GS_TRACE_* values combined. */
    uint32_t flags;
    /** Operations of each thread that are kept, rounded up to a power of two, 16 at least; 0: 16384. */
    uint64_t operations;
} gs_trace_options_t;

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

/** What a thread has current: gs_current_snapshot(). It refers to streams, but holds no reference. */
typedef struct gs_snapshot {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** The current device. */
    gs_device_t device;
    /** The current stream of that device. */
    gs_stream_t stream;
    /** How many other devices have a current stream that is not their default stream. */
    uint32_t others;
    /** 0. */
    uint32_t reserved;
    /** The streams of those, for gs_current_adopt(). */
    uint8_t streams[128];
} gs_snapshot_t;

/** What a partition has. */
typedef struct gs_partition_summary {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** The device. */
    gs_device_t device;
    /** Multiprocessors that the partition has, as the driver counts them; host: worker threads. */
    uint32_t sm_count;
    /** What gs_partition_create() was asked for. */
    uint32_t requested_sm_count;
    /** Multiprocessors that the device has; host: all worker threads of the backend. */
    uint32_t device_sm_count;
    /**
     * What partitions of the device are made of, multiprocessors: sm_count is a multiple of it, or all that the device
     * has (an H200 with 132 gives all of them to one partition of 128).
     */
    uint32_t unit_sm_count;
    /** Streams of the partition that exist now. */
    uint64_t streams;
    /** A CUgreenCtx as a number, which stays the library's; host: 0. */
    uint64_t native;
} gs_partition_summary_t;

/** Reads the stream that another library has current on the calling thread (gs_bridge_t); returns 0 if it did. */
typedef int32_t (*gs_bridge_get_t)(void *arg, int32_t ordinal, uintptr_t *out_native);
/** Makes a stream the one that another library has current on the thread (gs_bridge_t); returns 0 if it did. */
typedef int32_t (*gs_bridge_set_t)(void *arg, int32_t ordinal, uintptr_t native);
/** Makes a device the one that another library has current on the thread (gs_bridge_t); returns 0 if it did. */
typedef int32_t (*gs_bridge_set_device_t)(void *arg, int32_t ordinal);

/** Another library that keeps a current stream of its own, for gs_bridge_register(). */
typedef struct gs_bridge {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Always 0. */
    uint32_t reserved;
    /** Name by which errors and gs_bridge_find() know it: 1 to 63 bytes of UTF-8, NUL-terminated; copied. */
    const char *name;
    /** The backend whose devices and streams it shares; GS_BACKEND_DEFAULT: the default one. */
    gs_backend_t backend;
    /** Reads its current stream on a device of that backend; never NULL. */
    gs_bridge_get_t get;
    /** Changes its current stream on a device of that backend; NULL: it can be followed only. */
    gs_bridge_set_t set;
    /** Changes its current device; NULL: it has none, or goes by the driver's current context. */
    gs_bridge_set_device_t set_device;
    /** Passed to the functions; any value, also NULL. */
    void *arg;
} gs_bridge_t;

/* ---- version, status, errors -------------------------------------------------------------- */

/**
 * Returns the version of the loaded library as one number.
 *
 * The number is 10000 * major + 100 * minor + patch, so versions can be compared as numbers.
 *
 * \return the number; never fails.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API uint32_t gs_version(void);

/**
 * Returns the GS_ABI_VERSION of the loaded library.
 *
 * A program can use the library if this equals the GS_ABI_VERSION it was compiled with.
 *
 * \return the number; never fails.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API uint32_t gs_abi_version(void);

/**
 * Returns the version of the loaded library as text.
 *
 * The form is "major.minor.patch" in decimal, for people and logs.
 *
 * \return the text, never NULL.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends same.
 * \since 0.1
 */
GS_API const char *gs_version_string(void);

/**
 * Counts the copies of the library that are loaded in this process.
 *
 * Each copy has its own current streams and its own handles, so more than one copy is nearly always a packaging error.
 *
 * \return 1 or more; never fails.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API int32_t gs_instance_count(void);

/**
 * Returns the name of a status, such as "GS_ERROR_INVALID_HANDLE".
 *
 * For a number that this version does not know, the name is one that no status has.
 *
 * \param[in] status  any number.
 * \return the text, never NULL.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends same.
 * \since 0.1
 */
GS_API const char *gs_status_name(gs_status_t status);

/**
 * Returns an English phrase that describes a status in general.
 *
 * gs_last_error() describes the particular failure.
 *
 * \param[in] status  any number.
 * \return the text, never NULL.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends same.
 * \since 0.1
 */
GS_API const char *gs_status_message(gs_status_t status);

/**
 * Copies the detail of the calling thread's last failure.
 *
 * Calls that return GS_OK or GS_NOT_READY do not change the record, so it shows why a call failed, not whether one did.
 * If the thread's own record could not be allocated, a static record with GS_ERROR_OUT_OF_MEMORY is copied.
 *
 * \param[in,out] out_error  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_error is NULL or its struct_size out of range).
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child; each thread sees its own failures only.
 * \ownership the texts are copies.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_last_error(gs_error_info_t *out_error);

/**
 * Returns a text for a native error code of a backend.
 *
 * The text comes from a table in the library: no backend is started and no driver is called.
 *
 * \param[in] backend  any number.
 * \param[in] native   the native code.
 * \return the text, never NULL; if the backend or the code is unknown, a text that says so.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends same.
 * \since 0.1
 */
GS_API const char *gs_native_error_text(gs_backend_t backend, int32_t native);

/**
 * Sets the function that receives messages that cannot be returned to a caller: warnings, and failures of destruction.
 *
 * There is one function per process. By default warnings and errors are written to stderr, one write per message. The
 * function may be called on any thread, including the library's own threads, and must not call gpustream.
 *
 * \param[in] fn   the function, or NULL for the default; level is GS_LOG_*, text is NUL-terminated UTF-8.
 * \param[in] arg  passed to fn; any value, also NULL.
 * \return GS_OK, always.
 * \blocking no
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text is valid only during the call of fn; arg stays the caller's and must live while fn is set.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_set_log_callback(void (*fn)(void *arg, int32_t level, const char *text), void *arg);

/* ---- library ------------------------------------------------------------------------------ */

/**
 * Initialises the library: starts the default backend, fixes the choice of backend and calls the functions queued by
 * gs_call_on_init().
 *
 * This call is optional, since calls that need a backend start it; it lets a program take failures and delays at a
 * moment it chooses. It creates no device context and does nothing if the backend is already started.
 *
 * \return GS_OK, or: the start statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; if several threads call at the same time, one starts the backend and the others wait for
 *               it.
 * \ownership none.
 * \backends cuda: opens and initialises the driver; host: nothing to open.
 * \since 0.1
 */
GS_API gs_status_t gs_init(void);

/**
 * Reports whether the library is initialised in this process.
 *
 * The library is initialised when the default backend is started and every function queued by gs_call_on_init() has
 * run. Loading the library, gs_device_count(), gs_is_available(), gs_set_current_device() and creating an event do not
 * initialise.
 *
 * \param[out] out_initialized  not NULL; 1 or 0. 0 in a forked child of a process that had initialised it.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_initialized is NULL); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_is_initialized(int32_t *out_initialized);

/**
 * Reports whether the default backend is an accelerator with a device, or the host backend selected by name.
 *
 * Starts no backend, creates no context and is safe before fork. If the driver is unusable for any reason the result is
 * 0; without NVML an unusable driver may be detected by gs_init() only (see gs_device_count()).
 *
 * \param[out] out_available  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_available is NULL, or GPUSTREAM_BACKEND holds an unknown name); the
 *         common statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends cuda: counts devices without initialising the driver.
 * \since 0.1
 */
GS_API gs_status_t gs_is_available(int32_t *out_available);

/**
 * Calls a function once the library is initialised: now if it already is, else when it becomes initialised.
 *
 * Queued functions run once each, in the order in which they were queued, on the initialising thread and before its
 * call continues. A function that fails is removed from the queue: the initialising call returns its status, with the
 * function's position in the queue in gs_error_info_t.message, and the library does not count as initialised. The next
 * attempt continues with the rest of the queue.
 *
 * \param[in] fn   not NULL; returns GS_OK or an error status. It may call gpustream. Any other number, including
 *                 GS_NOT_READY, is reported as GS_ERROR_INVALID_ARGUMENT with the number in the text.
 * \param[in] arg  passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL); if fn was called immediately, its status; the call
 *         statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership arg stays the caller's and must live until fn has run.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_call_on_init(gs_status_t (*fn)(void *arg), void *arg);

/**
 * Reports whether this process was forked from one that had started a backend or was using CUDA.
 *
 * If only another library used CUDA in the parent, the child reports it from the start provided that this library was
 * asked about devices in the parent after that; otherwise it reports it from its first use of CUDA on, which fails.
 * Apart from that the result changes by fork only.
 *
 * \param[out] out_status  not NULL; GS_FORK_CLEAN or GS_FORK_CHILD_OF_INITIALIZED.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_status is NULL); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_fork_status(int32_t *out_status);

/**
 * Sets how synchronizing calls behave, for the whole process.
 *
 * The mode is checked before the wait, even if the work is known to be done, but not for an event that was never
 * recorded. Queries are not affected.
 *
 * \param[in] mode  GS_SYNC_DEBUG_DEFAULT, GS_SYNC_DEBUG_WARN or GS_SYNC_DEBUG_ERROR.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (another number); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread; other threads see the change at their next synchronizing call.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_set_sync_debug_mode(int32_t mode);

/**
 * Returns the process's sync debug mode.
 *
 * It is GS_SYNC_DEBUG_DEFAULT until it is set.
 *
 * \param[out] out_mode  not NULL; GS_SYNC_DEBUG_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_mode is NULL); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_get_sync_debug_mode(int32_t *out_mode);

/**
 * Sets which calls the sync debug mode applies to, for the whole process.
 *
 * GS_SYNC_SCOPE_TORCH: gs_stream_synchronize(); PyTorch's own mode also covers blocking copies, which this library does
 * not have. GS_SYNC_SCOPE_ALL: every call that waits for device work.
 *
 * \param[in] scope  GS_SYNC_SCOPE_TORCH (the initial value) or GS_SYNC_SCOPE_ALL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (another number); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread; other threads see the change at their next synchronizing call.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_set_sync_debug_scope(int32_t scope);

/**
 * Returns the process's sync debug scope.
 *
 * It is GS_SYNC_SCOPE_TORCH until it is set.
 *
 * \param[out] out_scope  not NULL; GS_SYNC_SCOPE_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_scope is NULL); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_get_sync_debug_scope(int32_t *out_scope);

/**
 * Sets what a wait for an event that was never recorded does, for the process.
 *
 * It concerns gs_event_wait(), gs_stream_wait_event(), gs_event_synchronize() and its forms with a limit. A wait for
 * GS_EVENT_EXTERNAL in a stream capture is not concerned: its record comes with a launch.
 *
 * \param[in] mode  GS_UNRECORDED_IGNORE (default), GS_UNRECORDED_WARN or GS_UNRECORDED_ERROR.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown mode); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_set_unrecorded_mode(int32_t mode);

/**
 * Returns what a wait for an event that was never recorded does.
 *
 * This is what gs_set_unrecorded_mode() set last.
 *
 * \param[out] out_mode  not NULL; GS_UNRECORDED_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_mode is NULL); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_get_unrecorded_mode(int32_t *out_mode);

/**
 * Copies the library's counters, summed over all threads that ever called it.
 *
 * The counters are exact for calls that happened before this one; concurrent calls of other threads may or may not be
 * counted.
 *
 * \param[in,out] out_stats  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stats is NULL or its struct_size out of range); the common
 *         statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends see gs_stats_t.driver_calls.
 * \since 0.1
 */
GS_API gs_status_t gs_get_stats(gs_stats_t *out_stats);

/**
 * Resets the counters of gs_get_stats() to zero.
 *
 * The reset applies to the whole process. It records the present values as a base instead of writing other threads'
 * counters, so no count is lost.
 *
 * \return GS_OK, or: the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_reset_stats(void);

/**
 * Returns pooled streams and events to the driver.
 *
 * Objects that are in use, that have pending work or that take part in a capture are kept. Starts no backend.
 *
 * \return GS_OK, or: the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller's handles are not affected.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_trim(void);

/* ---- devices ------------------------------------------------------------------------------ */

/**
 * Returns the backend that plain device ordinals refer to.
 *
 * GPUSTREAM_BACKEND decides; if it is unset or auto, the backend is cuda if a device is usable, else host. The choice
 * is final once a backend has been started. Starts no backend.
 *
 * \param[out] out_backend  not NULL; GS_BACKEND_HOST or above.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_backend is NULL, or GPUSTREAM_BACKEND holds an unknown name); the
 *         common statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_default_backend(gs_backend_t *out_backend);

/**
 * Combines a backend and an ordinal into a device number, as the macro GS_DEVICE() does.
 *
 * With GS_BACKEND_DEFAULT the result is the plain ordinal. Whether the device exists is not checked.
 *
 * \param[in] backend  one of the GS_BACKEND_* numbers.
 * \param[in] ordinal  0 to 65535.
 * \return the device; GS_DEVICE_NONE if a part is out of its range.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_device_t gs_device_make(gs_backend_t backend, int32_t ordinal);

/**
 * Returns the backend part of a device number.
 *
 * This is arithmetic only: the device need not exist.
 *
 * \param[in] device  any number.
 * \return the backend; GS_BACKEND_DEFAULT for a plain ordinal, GS_DEVICE_CURRENT, GS_DEVICE_NONE and other negatives.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_backend_t gs_device_backend(gs_device_t device);

/**
 * Returns the ordinal part of a device number.
 *
 * This is arithmetic only: the device need not exist.
 *
 * \param[in] device  any number.
 * \return the ordinal within the backend; -1 for GS_DEVICE_CURRENT, GS_DEVICE_NONE and other negatives.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API int32_t gs_device_ordinal(gs_device_t device);

/**
 * Counts the devices of a backend.
 *
 * Starts no backend and creates no context, so it is safe before fork. The count follows the environment
 * (CUDA_VISIBLE_DEVICES, GPUSTREAM_HOST_DEVICES) until the backend is started and is fixed from then on. If the driver
 * is unusable the count is 0, also after a failed start. CUDA is never initialised to count devices: if another library
 * has initialised it, the driver is queried, else NVML; if NVML is not usable, the system's device nodes are counted,
 * which may be too many.
 *
 * \param[in]  backend    GS_BACKEND_DEFAULT or above; a known backend that is not part of this build has 0 devices.
 * \param[out] out_count  not NULL; 0 or more.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, backend is not a known number, or it is
 *         GS_BACKEND_DEFAULT and GPUSTREAM_BACKEND holds an unknown name); the common statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_device_count(gs_backend_t backend, int32_t *out_count);

/**
 * Returns the calling thread's current device.
 *
 * Until the thread first sets one, it is the device of the driver's current context, else device 0 of the default
 * backend. Creates no context.
 *
 * \param[out] out_device  not NULL; a plain ordinal for the default backend, else qualified.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_device is NULL); the start statuses; the getter statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_current_device(gs_device_t *out_device);

/**
 * Makes a device current on the calling thread.
 *
 * The driver's current context changes too, but only if the device's primary context already exists, so that none is
 * created. If it comes to exist later, a call that sets the same device again makes it current: a thread that calls a
 * library which goes by the driver's current context uses the device first (a stream is enough) and sets it once more.
 * Current streams are not affected.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT keeps the current one.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; affects the calling thread only.
 * \ownership none.
 * \backends host: there are no contexts.
 * \since 0.1
 */
GS_API gs_status_t gs_set_current_device(gs_device_t device);

/**
 * Makes a device current on the calling thread and returns the previous one.
 *
 * The device changes as by gs_set_current_device().
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT keeps the current one.
 * \param[out] out_previous  not NULL; the device that was current, never GS_DEVICE_NONE.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; affects the calling thread only.
 * \ownership none.
 * \backends host: there are no contexts.
 * \since 0.1
 */
GS_API gs_status_t gs_exchange_device(gs_device_t device, gs_device_t *out_previous);

/**
 * Makes a device current at the end of a scope and returns the previous one.
 *
 * Works as gs_exchange_device(), which creates no context either, except that a device that has become unusable is made
 * current all the same: its next use reports the failure. The driver's current context changes too, but only if the
 * device's primary context exists. PyTorch's rule "go back only if that creates no context" is therefore always
 * satisfied.
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT keeps the current one.
 * \param[out] out_previous  not NULL; the device that was current.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; affects the calling thread only.
 * \ownership none.
 * \backends host: there are no contexts.
 * \since 0.1
 */
GS_API gs_status_t gs_maybe_exchange_device(gs_device_t device, gs_device_t *out_previous);

/**
 * Waits until all work submitted to a device before the call is done.
 *
 * Covers every stream of the device, including those of other libraries in its primary context. Work submitted during
 * the call is not waited for. Returns at once if the device was never used.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug
 *         mode "error" with scope "all"), GS_ERROR_NOT_PERMITTED (also inside a notification); the start statuses; the
 *         driver statuses; the call statuses.
 * \blocking until all work submitted to the device before the call is done
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: while a stream of the device is captured it returns GS_ERROR_CAPTURING.
 * \since 0.1
 */
GS_API gs_status_t gs_device_synchronize(gs_device_t device);

/**
 * Checks that a device's context is alive and free of sticky errors.
 *
 * Hot calls do not check for a reset by another library. This call does, and later calls then report what it found.
 * Creates no context.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: reports injected faults only.
 * \since 0.1
 */
GS_API gs_status_t gs_device_check(gs_device_t device);

/**
 * Resets a device: destroys its primary context, with all that any code in the process has created in it.
 *
 * Frees what the process holds there: memory, streams, events, modules, graphs. On CUDA that includes pinned host
 * memory that belongs to the device, of gs_malloc_host() and of pools with GS_POOL_HOST. gpustream does not use the
 * device any more in this process: from the beginning of the reset on, each call with the device or an object of it
 * returns GS_ERROR_CONTEXT_LOST, on every thread; handles can still be destroyed, and hold nothing. Other libraries may
 * go on to use the device, in a new context. A device that has no context yet is left as it is.
 *
 * First waits for the device, as gs_device_synchronize() does, then until the calls of other threads on its streams and
 * events have returned. Work that another thread submits during the reset may be lost. Raw handles and memory that
 * other libraries have of the device are dead: they must not use them at the same time or later.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_SYNC_FORBIDDEN (the sync debug mode is error
 *         and its scope includes devices), GS_ERROR_CAPTURING (one of its streams is being captured),
 *         GS_ERROR_NOT_PERMITTED (also inside a notification), GS_ERROR_CONTEXT_LOST (it was reset before, or another
 *         thread is resetting it); the start statuses; the driver statuses (if the driver's reset itself fails, the
 *         device counts as reset); the call statuses.
 * \blocking until all work submitted to the device before the call is done
 * \cost wait
 * \threadsafety any thread; of several at a time one resets the device.
 * \ownership none.
 * \backends cuda: cuDevicePrimaryCtxReset; a thread that had the context current has none afterwards if it is the
 *           calling one. host: the virtual device refuses all work; its memory is not returned to the system.
 * \since 0.2
 */
GS_API gs_status_t gs_device_reset(gs_device_t device);

/**
 * Returns the properties of a device.
 *
 * Creates no context. Properties that the driver does not report are 0. A device number that names its backend needs
 * only that backend, not the default one.
 *
 * \param[in]     device    the device; GS_DEVICE_CURRENT allowed.
 * \param[in,out] out_info  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the texts are copies.
 * \backends host: the machine's values; the compute capability is 0.0.
 * \since 0.1
 */
GS_API gs_status_t gs_device_get_info(gs_device_t device, gs_device_info_t *out_info);

/**
 * Reports whether kernels on one device can access the memory of another directly.
 *
 * Enables no access and creates no context. For a device and itself the result is 0, as the driver reports it.
 *
 * \param[in]  device          the accessing device; GS_DEVICE_CURRENT allowed.
 * \param[in]  peer            the device whose memory is accessed; GS_DEVICE_CURRENT allowed.
 * \param[out] out_can_access  not NULL; 1 or 0. 0 for devices of different backends.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_can_access is NULL), GS_ERROR_INVALID_DEVICE (one of the two does
 *         not exist); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: 1 for two different devices.
 * \since 0.1
 */
GS_API gs_status_t gs_device_can_access_peer(gs_device_t device, gs_device_t peer, int32_t *out_can_access);

/**
 * Lists the devices whose memory kernels on a device can access directly.
 *
 * Enables no access and creates no context. The device itself is not listed.
 *
 * \param[in]  device       the accessing device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_devices  [capacity] the devices, as many as fit; NULL only if capacity is 0.
 * \param[in]  capacity     how many fit.
 * \param[out] out_count    not NULL; how many there are.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_devices is and capacity is not 0),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: all other devices of the backend.
 * \since 0.2
 */
GS_API gs_status_t gs_device_peers(gs_device_t device, gs_device_t *out_devices, size_t capacity, size_t *out_count);

/**
 * Finds a device by its PCI address.
 *
 * Among the devices of the default backend that this process can use; the inventory has all of the machine. A MIG
 * instance has the address of its GPU: the first device that has the address is found.
 *
 * \param[in]  address     not NULL; domain, bus, device and function in hexadecimal, "0000:3b:00.0"; the domain (0) and
 *                         the function may be left out.
 * \param[out] out_device  not NULL; the device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address or out_device is NULL, or address is of another form),
 *         GS_ERROR_INVALID_DEVICE (no device has it); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: its devices have no address.
 * \since 0.2
 */
GS_API gs_status_t gs_device_from_pci(const char *address, gs_device_t *out_device);

/**
 * Returns a limit of a device.
 *
 * It holds for all kernels of the process on the device, and belongs to the device's primary context.
 *
 * \param[in]  device     the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  limit      GS_LIMIT_*.
 * \param[out] out_value  not NULL; the limit, in the unit that its constant names.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_value is NULL, limit is unknown), GS_ERROR_INVALID_DEVICE (no such
 *         device), GS_ERROR_NOT_SUPPORTED (the device has no such limit); the start statuses; the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 * \since 0.2
 */
GS_API gs_status_t gs_device_get_limit(gs_device_t device, int32_t limit, uint64_t *out_value);

/**
 * Sets a limit of a device.
 *
 * Other code in the process that uses the device is affected, too. The driver may round the value, and change some
 * limits only before the first kernel that depends on them; gs_device_get_limit() returns what holds.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \param[in] limit   GS_LIMIT_*.
 * \param[in] value   the limit, in the unit that its constant names.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (limit is unknown, or value impossible), GS_ERROR_INVALID_DEVICE (no
 *         such device), GS_ERROR_NOT_SUPPORTED (the device has no such limit); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking while the driver waits for kernels that use what the limit is about
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 * \since 0.2
 */
GS_API gs_status_t gs_device_set_limit(gs_device_t device, int32_t limit, uint64_t value);

/**
 * Returns the range of stream priorities of a device.
 *
 * A lower number is a higher priority: least >= greatest. Both are 0 if the device has no priorities.
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_least     not NULL; the number of the lowest priority.
 * \param[out] out_greatest  not NULL; the number of the highest priority.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: creates the device's primary context if there is none, because the driver reports the range only
 *           inside one.
 * \since 0.1
 */
GS_API gs_status_t gs_device_priority_range(gs_device_t device, int32_t *out_least, int32_t *out_greatest);

/* ---- inventory and telemetry -------------------------------------------------------------- */

/**
 * Counts the GPUs of the machine and their MIG instances, whether or not this process may use them.
 *
 * Queries NVML, never CUDA: it initialises no driver, creates no context, and a program that makes only such queries
 * may still fork. Entries 0 to out_gpus - 1 of gs_inventory_get() are the GPUs in the order of NVML's index, the rest
 * are MIG instances.
 *
 * \param[out] out_gpus     not NULL; number of GPUs.
 * \param[out] out_entries  not NULL; number of GPUs and MIG instances.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_UNAVAILABLE (NVML is missing or does not
 *         match the kernel module), GS_ERROR_DRIVER (NVML failed; native_code is its code), GS_ERROR_BAD_FORK (forked
 *         while another thread was inside NVML, or see Fork); the common statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends host: its virtual devices are not part of the inventory.
 * \since 0.1
 */
GS_API gs_status_t gs_inventory_count(int32_t *out_gpus, int32_t *out_entries);

/**
 * Describes one GPU or MIG instance of the machine.
 *
 * Queries NVML as gs_inventory_count() does, at each call, because MIG instances come and go. A GPU that cannot be
 * queried is an entry too: its field status says why.
 *
 * \param[in]     index      0 or more, below the out_entries of gs_inventory_count().
 * \param[in,out] out_entry  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_entry is NULL or its struct_size out of range, or there is no such
 *         entry), GS_ERROR_UNAVAILABLE (NVML is missing or does not match the kernel module), GS_ERROR_DRIVER (NVML
 *         failed; native_code is its code), GS_ERROR_BAD_FORK (forked while another thread was inside NVML, or see
 *         Fork); the common statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the texts are copies.
 * \backends as gs_inventory_count().
 * \since 0.1
 */
GS_API gs_status_t gs_inventory_get(int32_t index, gs_inventory_entry_t *out_entry);

/**
 * Returns the index of a CUDA device's inventory entry.
 *
 * The entry is found by UUID, else by PCI address, never by position. Before the backend is started the result follows
 * from CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER: it is known if the list names UUIDs, if the order is PCI_BUS_ID, or
 * if all GPUs are of the same model. Otherwise the driver would put the fastest GPU first, which only the driver can
 * determine, and the result is GS_ERROR_NOT_SUPPORTED rather than a guess. If another library has initialised CUDA, the
 * driver is queried. A forked child cannot query it and uses what the driver reported to the parent, else the variables
 * as the driver read them.
 *
 * \param[in]  device     a device of the cuda backend; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_index  not NULL; the index for gs_inventory_get().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_index is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (a device of another backend, or its entry cannot be determined yet),
 *         GS_ERROR_UNAVAILABLE (NVML is missing or does not match the kernel module), GS_ERROR_DRIVER (NVML failed;
 *         native_code is its code), GS_ERROR_BAD_FORK (forked while another thread was inside NVML, see also Fork, or
 *         GS_DEVICE_CURRENT in a forked child); for GS_DEVICE_CURRENT the start statuses; the common statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 * \since 0.1
 */
GS_API gs_status_t gs_inventory_index(gs_device_t device, int32_t *out_index);

/**
 * Parses a value of CUDA_VISIBLE_DEVICES.
 *
 * A value that begins with "GPU-" or "MIG-" is a list of such names: an element without the same prefix ends it, and
 * elements are not trimmed. Any other value is a list of numbers: blanks around an element, a sign and characters
 * behind the digits are ignored; a negative number or an element without digits ends the list. A repeated element makes
 * the whole list empty. Whether the devices exist is not checked.
 *
 * \param[in]  value     the value, NUL-terminated; NULL means that the variable is not set, which yields 0 to 63.
 * \param[out] out_list  not NULL; the elements in their order, separated by commas; "" if there is none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_list is NULL); the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the list is borrowed until the thread's next gs_parse_visible_devices() or gs_match_uuids().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_parse_visible_devices(const char *value, const char **out_list);

/**
 * Matches a list of UUID prefixes against a list of UUIDs.
 *
 * A candidate that is the prefix of no UUID, or of more than one, ends the list; two candidates for one UUID make it
 * empty. Both lists are used verbatim: "" is a list of one empty element, which is a prefix of every UUID.
 *
 * \param[in]  candidates  not NULL; prefixes of UUIDs, separated by commas, NUL-terminated.
 * \param[in]  uuids       not NULL; complete UUIDs, separated by commas, NUL-terminated.
 * \param[out] out_list    not NULL; positions in uuids, from 0, separated by commas; "" if there is none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL); the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the list is borrowed until the thread's next gs_parse_visible_devices() or gs_match_uuids().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_match_uuids(const char *candidates, const char *uuids, const char **out_list);

/**
 * Returns the utilization of a device.
 *
 * Utilization is the share of the last sample period (a sixth of a second to one second) in which a kernel ran. Starts
 * no backend: like all telemetry it queries NVML, by the UUID of the device.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_percent  not NULL; 0 to 100 %.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_percent is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: the machine's load over the last minute, per processor.
 * \since 0.1
 */
GS_API gs_status_t gs_device_utilization_percent(gs_device_t device, int32_t *out_percent);

/**
 * Returns the utilization of a device's memory.
 *
 * It is the share of the last sample period in which device memory was read or written, not the share that is
 * allocated.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_percent  not NULL; 0 to 100 %.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_percent is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: the share of the memory that is in use.
 * \since 0.1
 */
GS_API gs_status_t gs_device_memory_utilization_percent(gs_device_t device, int32_t *out_percent);

/**
 * Returns the temperature of a device.
 *
 * The value is that of the GPU core's sensor.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_celsius  not NULL; degrees Celsius.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_celsius is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: the warmest thermal zone of the machine, if there is one.
 * \since 0.1
 */
GS_API gs_status_t gs_device_temperature_celsius(gs_device_t device, int32_t *out_celsius);

/**
 * Returns the power that a device draws.
 *
 * The value covers the whole board if the device measures it; most devices average over one second.
 *
 * \param[in]  device          the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_milliwatts  not NULL; milliwatts.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_milliwatts is NULL), GS_ERROR_INVALID_DEVICE (no such device, or
 *         not visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 * \since 0.1
 */
GS_API gs_status_t gs_device_power_milliwatts(gs_device_t device, int32_t *out_milliwatts);

/**
 * Returns the present clock of a device's multiprocessors.
 *
 * Idle devices reduce their clock.
 *
 * \param[in]  device   the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_mhz  not NULL; megahertz.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_mhz is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: the clock of the first processor, if the system reports it.
 * \since 0.1
 */
GS_API gs_status_t gs_device_sm_clock_mhz(gs_device_t device, int32_t *out_mhz);

/**
 * Returns how much of a device's memory is in use by all processes.
 *
 * Creates no context. The three values are of one moment. Memory that the driver reserves is part of total only, or of
 * used if the driver is too old to distinguish them. If NVML is missing or does not measure memory, a cuda backend that
 * is started queries the driver (cuMemGetInfo) for a device that has a context; for a device without one the result is
 * GS_ERROR_NOT_SUPPORTED.
 *
 * \param[in]  device     the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_used   not NULL; bytes.
 * \param[out] out_free   not NULL; bytes.
 * \param[out] out_total  not NULL; bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \blocking no
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends host: the machine's memory; free is what programs can still allocate.
 * \since 0.1
 */
GS_API gs_status_t gs_device_memory_bytes(gs_device_t device, uint64_t *out_used, uint64_t *out_free,
                                          uint64_t *out_total);

/**
 * Lists the architectures that the library contains kernels for.
 *
 * sm_NN is machine code for that capability, compute_NN is PTX, which the driver compiles for every later capability
 * too.
 *
 * \param[in] backend  any number; GS_BACKEND_DEFAULT means the default backend.
 * \return the names separated by blanks, never NULL; "" for host and for a backend that is not part of this build.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends host: "".
 * \since 0.1
 */
GS_API const char *gs_arch_list(gs_backend_t backend);

/**
 * Returns the compiler options that build kernels for the architectures of gs_arch_list().
 *
 * There is one option per architecture, in the form of torch.cuda.get_gencode_flags(); nvcc spells the first part
 * "arch=".
 *
 * \param[in] backend  any number; GS_BACKEND_DEFAULT means the default backend.
 * \return the options separated by blanks, never NULL; "" exactly if gs_arch_list() returns "".
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends host: "".
 * \since 0.1
 */
GS_API const char *gs_gencode_flags(gs_backend_t backend);

/**
 * Returns a cuBLAS handle bound to the calling thread's current stream.
 *
 * There is one handle per thread, device and stream, created at the first call; each call binds it to the stream again.
 * The libcublas that the process has loaded is used, else one is opened; version 13 is preferred to 12. If none is
 * found, the next call searches again. A capture begun by another thread is not disturbed.
 *
 * \param[out] out_handle  not NULL; a cublasHandle_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_handle is NULL), GS_ERROR_NOT_SUPPORTED (libcublas is missing, or
 *         the current device is not a cuda device); the start statuses; the driver statuses; the call statuses.
 * \blocking while cuBLAS loads and makes a handle, which may wait for device work
 * \cost wait
 * \threadsafety any thread; the handle is for the calling thread only.
 * \ownership borrowed: valid until the process ends, and must not be destroyed. The handles of a thread that has ended
 *            are reused by a later one.
 * \backends cuda: creates the device's primary context if there is none; host: GS_ERROR_NOT_SUPPORTED.
 * \since 0.1
 */
GS_API gs_status_t gs_current_blas_handle(uintptr_t *out_handle);

/* ---- streams ------------------------------------------------------------------------------ */

/**
 * Creates a stream.
 *
 * Without GS_STREAM_SHARED the handle names a driver stream that has no other owner, either taken from a pool of idle
 * ones or newly created. With GS_STREAM_SHARED each call returns a new handle, but the 33rd on a device and priority
 * names the same driver stream as the first. A stream taken from the pool has no pending work.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  priority    lower is higher; a value out of range is clamped, gs_stream_priority() returns the effective
 *                         value.
 * \param[in]  flags       0 or GS_STREAM_* combined; GS_STREAM_SHARED and GS_STREAM_DEDICATED exclude each other.
 * \param[out] out_stream  not NULL; the new stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL, unknown or contradictory flags),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \blocking while the driver makes a new stream, which may wait for device work; no when the pool has one
 * \cost wait
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_stream_destroy().
 * \backends cuda: creates the device's primary context if there is none. While unfinished work holds any stream of the
 *           device, the driver creates at most about 33 streams, fewer if many exist, and then waits for that work
 *           (observed on an H200, driver 580). A program that needs more creates them beforehand; destroyed streams are
 *           then reused from the pool.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_create(gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out_stream);

/**
 * Wraps a raw driver stream that the caller continues to own.
 *
 * A handle that is known gives the same stream, retained, without a driver call and whatever the stream's state: one
 * that gpustream created and gave out, or one that is wrapped already. Two wraps of one handle are therefore one
 * stream. 0 and 1 yield the device's default stream, 2 the per-thread stream. Otherwise the driver is queried for
 * device, context, priority and kind. While the stream is being captured nothing is queried, because that would break
 * the capture: device is taken as true (GS_DEVICE_NONE: the device of the driver's current context), priority and flags
 * read 0, and the first call after the capture that uses the stream queries the driver; it then returns
 * GS_ERROR_DEVICE_MISMATCH or GS_ERROR_NOT_SUPPORTED if this call would have. Not every driver can distinguish a
 * destroyed stream from a live one, so the raw stream must be alive, and must stay so as long as its wrap.
 *
 * \param[in]  device      the device it is expected on; GS_DEVICE_CURRENT allowed. GS_DEVICE_NONE: any device of the
 *                         default backend.
 * \param[in]  native      a cudaStream_t as a number.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL), GS_ERROR_INVALID_HANDLE (3 to 4095, misaligned,
 *         not an address, or unknown to the driver), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH
 *         (it belongs to another device), GS_ERROR_NOT_SUPPORTED (it belongs to a context that is not its device's
 *         primary one, a green context for example, or to a device that this process did not enumerate); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller owns one reference to the handle; the driver's stream remains the property of its owner, who
 *            must keep it alive until the last reference is released.
 * \backends host: accepts natives of live host streams.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_from_native(gs_device_t device, uintptr_t native, gs_stream_t *out_stream);

/**
 * Wraps a raw driver stream and calls a function when the stream is no longer needed.
 *
 * Works as gs_stream_from_native(). release is called once, with no library lock held, when the last reference is
 * released; the library never destroys the driver's stream itself. If this call fails, release is not called. A stream
 * that is wrapped already, without a release function, gets this one: its wraps are one stream.
 *
 * \param[in]  device      the device it is expected on; GS_DEVICE_CURRENT allowed. GS_DEVICE_NONE: any device of the
 *                         default backend.
 * \param[in]  native      a cudaStream_t as a number; not 0, 1 or 2, and not a stream of gpustream's own.
 * \param[in]  release     not NULL; may call gpustream.
 * \param[in]  arg         passed to release; any value, also NULL.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream or release is NULL; native is 0, 1 or 2, gpustream's own
 *         stream, or one that has a release function already), GS_ERROR_INVALID_HANDLE (3 to 4095, misaligned, not an
 *         address, or unknown to the driver), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (it
 *         belongs to another device), GS_ERROR_NOT_SUPPORTED (it belongs to a context that is not its device's primary
 *         one, or to a device that this process did not enumerate); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; release runs on the thread that releases the last reference or, if another thread is still
 *               inside a call on the stream, on a thread that creates or destroys a stream later.
 * \ownership the caller owns one reference; the driver's stream stays alive until release is called.
 * \backends host: accepts natives of live host streams.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                               void *arg, gs_stream_t *out_stream);

/**
 * Returns a stream's driver handle to the caller, who owns the driver's stream from then on and destroys it.
 *
 * The caller's reference ends as by gs_stream_destroy(). The library never destroys or reuses the driver's stream any
 * more, and a release function of gs_stream_from_native_owned() is not called. If other references exist, or a thread
 * has the stream current, the handle stays valid as a wrap of a stream that the caller of this function owns. Work
 * already submitted still runs. No driver call is made, so the stream may be in a capture.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_native  not NULL; a cudaStream_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL; stream is a default or per-thread stream, or wraps
 *         one that other code owns), GS_ERROR_INVALID_HANDLE (stream is not a live stream, or no reference is left),
 *         GS_ERROR_NOT_SUPPORTED (it was created with GS_STREAM_SHARED, or in a partition); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller's reference ends, and the caller owns the driver's stream.
 * \backends host: the number stays valid, and useful for gs_stream_from_native() and gs_stream_from_native_owned()
 *           only; nothing outside the library can destroy the stream.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_into_native(gs_stream_t stream, uintptr_t *out_native);

/**
 * Adds one reference to a stream.
 *
 * This turns a borrowed handle into an owned one. It has no effect on default and per-thread streams.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller owns one more reference: gs_stream_destroy().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_retain(gs_stream_t stream);

/**
 * Releases one reference to a stream.
 *
 * Releasing the last reference destroys the stream: the handle becomes invalid at once, and work already submitted
 * still runs. The driver's stream is kept and reused once it is idle, so destroying makes no driver call unless the
 * stream is dedicated. While the stream is current on a thread, it and its handle stay valid for that thread. The call
 * has no effect on default and per-thread streams. In a forked child it returns GS_OK and does nothing.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream, or no reference is left to release),
 *         GS_ERROR_NOT_PERMITTED (inside a host function); the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; may race with any call on the same stream, which then succeeds or returns INVALID_HANDLE.
 * \ownership the caller's reference ends.
 * \backends same; with GS_STREAM_DEDICATED the driver's stream is destroyed, and a failure of that goes to the log.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_destroy(gs_stream_t stream);

/**
 * Returns the default stream of a device.
 *
 * This is the legacy ("null") stream, native number 0. Its work waits for earlier work in the device's blocking
 * streams, whose later work waits for it.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_stream  not NULL; the stream, always the same handle for a device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the getter statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership borrowed and immortal; retain and destroy do nothing.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_default_stream(gs_device_t device, gs_stream_t *out_stream);

/**
 * Returns the handle of a device's per-thread default stream.
 *
 * Its native number is 2. There is one handle for all threads; in each call it refers to the calling thread's own
 * stream. It is blocking with respect to the default stream.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_stream  not NULL; the stream, always the same handle for a device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the getter statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; the same handle names another stream on another thread.
 * \ownership borrowed and immortal; retain and destroy do nothing.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_per_thread_stream(gs_device_t device, gs_stream_t *out_stream);

/**
 * Returns the calling thread's current stream of a device.
 *
 * It is the default stream until the thread sets another one. While another library is followed, it is that library's
 * stream.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the getter statuses. While a library is followed also GS_ERROR_INVALID_HANDLE,
 *         GS_ERROR_DEVICE_MISMATCH, GS_ERROR_NOT_SUPPORTED and the driver statuses (its stream cannot be wrapped, or
 *         its function failed).
 * \blocking no
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership borrowed until this thread next changes that device's current stream; to keep it, use gs_stream_retain().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_current_stream(gs_device_t device, gs_stream_t *out_stream);

/**
 * Returns the raw handle of the calling thread's current stream of a device, in one call.
 *
 * This is gs_current_stream() and gs_stream_native() together. If a library is followed (gs_bridge_follow()) and its
 * stream is unknown here, nothing is wrapped.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_native  not NULL; 0 default stream, 2 per-thread stream, else a cudaStream_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_DRIVER (the followed library's function failed); the start statuses; the getter statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership the driver's stream is borrowed until this thread next changes that device's current stream.
 * \backends host: a number unique among live streams, useful for gs_stream_from_native() only.
 * \since 0.2
 */
GS_API gs_status_t gs_current_native(gs_device_t device, uintptr_t *out_native);

/**
 * Makes a stream the calling thread's current one for its device, and that device current.
 *
 * The current streams of other devices do not change, and work already submitted is not affected. Safe in a capture.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (a followed library
 *         has no set); the driver statuses; the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the library keeps the stream alive while it is current.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_set_current_stream(gs_stream_t stream);

/**
 * Sets the current stream as gs_set_current_stream() does and returns the one it replaces.
 *
 * The replaced stream is the previous current stream of the new stream's device. The previous current device is not
 * returned: use gs_push_current_stream() to restore both.
 *
 * \param[in]  stream        live stream; not GS_STREAM_CURRENT.
 * \param[out] out_previous  not NULL; the stream that was current on that device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream), GS_ERROR_NOT_SUPPORTED (a followed library has no set); the driver statuses; the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the caller owns one reference to out_previous: gs_stream_destroy().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_exchange_current_stream(gs_stream_t stream, gs_stream_t *out_previous);

/**
 * Opens a scope: saves the calling thread's current device and streams, then makes the stream current.
 *
 * The scope saves the current device, its current stream, and the current stream of the pushed stream's device. Scopes
 * nest. Up to a depth of 16 nothing is allocated.
 *
 * \param[in]  stream     live stream; not GS_STREAM_CURRENT.
 * \param[out] out_scope  not NULL; a non-zero number that identifies the scope and is never reused on the thread.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_scope is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream), GS_ERROR_NOT_SUPPORTED (a followed library has no set); the driver statuses; the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the library keeps the stream and the saved streams alive while the scope is open.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_push_current_stream(gs_stream_t stream, uint64_t *out_scope);

/**
 * Ends the calling thread's innermost scope and restores what it saved.
 *
 * The streams of both devices, the current device and the driver's current context are restored. If the driver refuses
 * to restore its context, the rest is still restored and the failure is reported. A scope of another thread, or one
 * that is not the innermost, is refused and nothing changes.
 *
 * \param[in] scope  the number from gs_push_current_stream(); 0 for the innermost scope.
 * \return GS_OK, or: GS_ERROR_SCOPE (no scope is open, or scope is not this thread's innermost), GS_ERROR_NOT_SUPPORTED
 *         (a followed library has no set); the driver statuses; the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety the thread that opened the scope.
 * \ownership the library's references for the scope end.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_pop_current_stream(uint64_t scope);

/**
 * Ends a scope of the calling thread and all scopes inside it, and restores what they saved, from the innermost out.
 *
 * This is meant for error paths in which the inner scopes were not closed in order.
 *
 * \param[in] scope  the number from gs_push_current_stream(); not 0.
 * \return GS_OK, or: GS_ERROR_SCOPE (no open scope of this thread has that number), GS_ERROR_NOT_SUPPORTED (a
 *         followed library has no set); the driver statuses; the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety the thread that opened the scope.
 * \ownership the library's references for the scopes end.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_unwind_current_stream(uint64_t scope);

/**
 * Returns what the calling thread has current: its device, and the streams of all devices.
 *
 * To be carried to another thread, or to a later step of a task, which adopts it (gs_current_adopt()). The streams have
 * to live until then: the snapshot holds no reference.
 *
 * \param[in,out] out_snapshot  not NULL; struct_size set; filled.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_snapshot is NULL or has an invalid struct_size), GS_ERROR_FULL
 *         (more than 16 other devices have a stream that is not their default stream); the start statuses; the getter
 *         statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; returns what the calling thread has.
 * \ownership borrowed: the streams are their owners', and current on this thread until it changes them.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_current_snapshot(gs_snapshot_t *out_snapshot);

/**
 * Makes current on the calling thread what another thread had, or this one earlier.
 *
 * The same as gs_push_current_stream() for each of the snapshot's streams, that of its device last. A stream that has
 * been destroyed since is an error, and nothing changes. Streams of devices that the snapshot does not name stay as
 * they are.
 *
 * \param[in]  snapshot   not NULL; from gs_current_snapshot(), of this process.
 * \param[out] out_scope  not NULL; gs_unwind_current_stream() with it restores what was current before.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (snapshot or out_scope is NULL, snapshot has an invalid struct_size or
 *         names more than 16 other devices), GS_ERROR_INVALID_HANDLE (one of the streams is not a live stream); the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread; the scope belongs to the calling thread.
 * \ownership none; each scope keeps its stream as gs_push_current_stream() does.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_current_adopt(const gs_snapshot_t *snapshot, uint64_t *out_scope);

/**
 * Reports whether all work submitted to a stream is done.
 *
 * Never breaks a capture: for a stream that is being captured the call returns GS_ERROR_CAPTURING.
 *
 * \param[in]  stream    live stream; not GS_STREAM_CURRENT.
 * \param[out] out_done  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_done is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_query(gs_stream_t stream, int32_t *out_done);

/**
 * Waits until all work submitted to a stream before the call is done.
 *
 * Work submitted during the call is not waited for. Never breaks a capture: for a stream that is being captured the
 * call returns GS_ERROR_CAPTURING without waiting.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(),
 *         or sync debug mode "error"), GS_ERROR_NOT_PERMITTED (also inside a notification); the driver statuses; the
 *         call statuses.
 * \blocking until all work submitted to the stream before the call is done
 * \cost wait
 * \threadsafety any thread; the stream may be destroyed during the call.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_synchronize(gs_stream_t stream);

/**
 * Makes a stream wait for an event: gs_event_wait() with the parameters exchanged.
 *
 * Work submitted to the stream later starts after the work that the event's present record covers. Earlier work, the
 * caller and a later record of the event are not affected. If the event was never recorded, the call has no effect,
 * unless gs_set_unrecorded_mode() says otherwise.
 *
 * \param[in] stream  the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \param[in] event   live event, of any device of the same backend.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream or event is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends, or this driver cannot capture an external event, or a condition's body is captured),
 *         GS_ERROR_PEER_LOST (the other process of an interprocess event is gone), GS_ERROR_NOT_RECORDED (it was never
 *         recorded, in mode GS_UNRECORDED_ERROR); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; a concurrent record takes effect either before or after the wait.
 * \ownership the event may be destroyed right after the call.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_wait_event(gs_stream_t stream, gs_event_t event);

/**
 * Makes a stream wait for all work submitted to another stream before the call.
 *
 * Work submitted to stream later starts after that work; later work of other is not waited for. If both are the same
 * stream, the call has no effect.
 *
 * \param[in] stream  the stream that waits; GS_STREAM_CURRENT allowed.
 * \param[in] other   the stream waited for, of any device of the same backend; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (one of the two is not a live handle), GS_ERROR_NOT_SUPPORTED (they belong
 *         to different backends); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_wait_stream(gs_stream_t stream, gs_stream_t other);

/**
 * Records an event in a stream: gs_event_record() with the parameters exchanged.
 *
 * The event's record covers all work submitted to the stream before the call and replaces the previous record; waits
 * already submitted still refer to the old one.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] event   live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream or event is not live), GS_ERROR_DEVICE_MISMATCH (the event is
 *         bound to another device), GS_ERROR_NOT_SUPPORTED (it is bound to a device of another backend; this driver
 *         cannot capture an external event, or a condition's body is captured); the start statuses; the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; of several concurrent records one takes effect last.
 * \ownership the stream may be destroyed right after the call.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event);

/**
 * Returns the driver's handle of a stream.
 *
 * From then on other code may submit work to it, so the library resets the stream's attributes before reusing it. The
 * number is constant for the stream's life.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_native  not NULL; 0 default stream, 2 per-thread stream, else a cudaStream_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership the driver's stream is borrowed: alive while the caller owns a reference to stream, and must not be
 *            destroyed.
 * \backends host: a number unique among live streams, useful for gs_stream_from_native() only.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_native(gs_stream_t stream, uintptr_t *out_native);

/**
 * Reports whether a stream is the default stream of its device.
 *
 * The driver's number 1 is another spelling of it.
 *
 * \param[in]  stream          live stream; not GS_STREAM_CURRENT.
 * \param[out] out_is_default  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_is_default is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_is_default(gs_stream_t stream, int32_t *out_is_default);

/**
 * Reports whether a handle is that of a device's per-thread default stream.
 *
 * It stands for another driver stream on each thread.
 *
 * \param[in]  stream             live stream; not GS_STREAM_CURRENT.
 * \param[out] out_is_per_thread  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_is_per_thread is NULL), GS_ERROR_INVALID_HANDLE (stream is not a
 *         live stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_is_per_thread(gs_stream_t stream, int32_t *out_is_per_thread);

/**
 * Returns a number that identifies a stream within the process.
 *
 * The number is 0 for the default stream and 2 for the per-thread stream of every device; for other streams it is
 * positive, above 2^48, and unique among live streams.
 *
 * \param[in]  stream  live stream; not GS_STREAM_CURRENT.
 * \param[out] out_id  not NULL; the number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_id is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream);
 *         the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_id(gs_stream_t stream, int64_t *out_id);

/**
 * Returns the driver's own number of a stream.
 *
 * Traces and profilers name streams by it. The driver does not use the number again while the process lives, whereas
 * raw handles and the numbers of gs_stream_id() are used again; a leased stream has the number of the driver's stream
 * behind it. The per-thread stream has another number on each thread.
 *
 * \param[in]  stream  live stream; not GS_STREAM_CURRENT.
 * \param[out] out_id  not NULL; the number. 0: a default or per-thread stream of a device that has no context yet.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_id is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_CAPTURING (the stream is being captured, and the query would break the capture); the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: numbers of the host backend's own, from 1; answers for captured streams too.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_driver_id(gs_stream_t stream, uint64_t *out_id);

/**
 * Returns the driver's context that a stream belongs to.
 *
 * Objects of the driver that are used with the stream, such as modules and events, have to be made in this context. It
 * is the primary context of the stream's device and belongs to the driver; the call does not create it and makes no
 * other context current.
 *
 * \param[in]  stream       live stream; not GS_STREAM_CURRENT.
 * \param[out] out_context  not NULL; a CUcontext as a number. 0: a default or per-thread stream of a device that has no
 *                          context yet.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_context is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream), GS_ERROR_CAPTURING (it was wrapped while it was being captured, and the capture lasts),
 *         GS_ERROR_DEVICE_MISMATCH, GS_ERROR_NOT_SUPPORTED (it was wrapped so, and gs_stream_from_native() would return
 *         this); the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: a number of the device, the same for all its streams.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_context(gs_stream_t stream, uintptr_t *out_context);

/**
 * Returns the device of a stream.
 *
 * The device of a stream never changes.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_device  not NULL; a plain ordinal for the default backend, else qualified.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_device is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_device(gs_stream_t stream, gs_device_t *out_device);

/**
 * Returns the effective priority of a stream.
 *
 * This is the priority passed to gs_stream_create(), clamped to the device's range; a lower number is a higher
 * priority.
 *
 * \param[in]  stream        live stream; not GS_STREAM_CURRENT.
 * \param[out] out_priority  not NULL; the priority. 0 for default and per-thread streams.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_priority is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_priority(gs_stream_t stream, int32_t *out_priority);

/**
 * Returns the flags of a stream.
 *
 * GS_STREAM_BLOCKING is set for every stream that synchronizes implicitly with the default stream, including default
 * and per-thread streams and wrapped streams that do so.
 *
 * \param[in]  stream     live stream; not GS_STREAM_CURRENT.
 * \param[out] out_flags  not NULL; GS_STREAM_* combined.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_flags is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_flags(gs_stream_t stream, uint32_t *out_flags);

/**
 * Reports whether a stream is being captured into a graph.
 *
 * The query never breaks the capture.
 *
 * \param[in]  stream         live stream; not GS_STREAM_CURRENT.
 * \param[out] out_capturing  not NULL; 1 or 0. 1 also when the capture has been broken but not ended.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_capturing is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: for the default stream GS_ERROR_CAPTURING while a blocking stream of the device is captured.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_is_capturing(gs_stream_t stream, int32_t *out_capturing);

/**
 * Reports whether two handles name the same driver stream of the same device.
 *
 * It does not matter whether a handle is owned or borrowed, or how it was created: two handles of one driver stream
 * (GS_STREAM_SHARED, wrapped) are equal.
 *
 * \param[in]  stream     live stream; not GS_STREAM_CURRENT.
 * \param[in]  other      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_equal  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_equal is NULL), GS_ERROR_INVALID_HANDLE (one of the two is not a
 *         live handle); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership does not count as exporting the driver's handle.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_equal(gs_stream_t stream, gs_stream_t other, int32_t *out_equal);

/**
 * Returns a hash of a stream.
 *
 * Streams that are equal according to gs_stream_equal() have the same hash. The value has no meaning in another
 * process.
 *
 * \param[in]  stream    live stream; not GS_STREAM_CURRENT.
 * \param[out] out_hash  not NULL; all 64 bits may be used.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_hash is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership does not count as exporting the driver's handle.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_hash(gs_stream_t stream, uint64_t *out_hash);

/**
 * Describes a stream by three plain numbers, for another language or library in the same process.
 *
 * This neither keeps the stream alive nor counts as exporting the driver's handle.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_triple  not NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_triple is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_pack(gs_stream_t stream, gs_stream_triple_t *out_triple);

/**
 * Returns the stream that three plain numbers describe.
 *
 * The stream must still be alive. Ids are not reused, so a stale one is detected.
 *
 * \param[in]  triple      not NULL; as gs_stream_pack() filled it.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL), GS_ERROR_INVALID_HANDLE (no live stream has that
 *         id), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (the stream belongs to another
 *         device); the start statuses; the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_stream_destroy().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_unpack(const gs_stream_triple_t *triple, gs_stream_t *out_stream);

/**
 * Runs a host function in stream order.
 *
 * The function starts when all work submitted to the stream before is done; later work of the stream waits until it has
 * returned. GS_OK means that it runs exactly once, unless the device is unusable because of an earlier error; any other
 * status means that it never runs, not even if the driver accepted it before it failed. It must not wait for work of
 * any stream, directly or through locks: this is undefined and may deadlock.
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
 * \blocking no
 * \cost queue
 * \threadsafety any thread; fn runs on a thread of the backend; on the host backend all signals are blocked there.
 * \ownership arg stays the caller's and must live until fn has run; if captured, until the graph, its executables and
 *            their launches have ended.
 * \backends cuda: cuLaunchHostFunc; fn must not make CUDA calls either.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_launch_host(gs_stream_t stream, void (*fn)(void *arg), void *arg);

/**
 * Calls a function after the work submitted to a stream so far is done, without holding the stream.
 *
 * GS_OK means that the function runs exactly once, any other status that it never runs. It runs on a library thread
 * that also serves other notifications, in an order that agrees with happens-before, across streams too (see
 * gs_queue_create()). It is passed GS_OK, or the status with which the work failed. Later work of the stream does not
 * wait for it. For a stream that is being captured the call returns GS_ERROR_CAPTURING. The number of pending
 * notifications is not limited; each takes some hundred bytes until it has run, so a caller that never waits must not
 * add them faster than they run.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] fn      not NULL; must not throw. It may call gpustream, except the synchronizing calls, and should be
 *                    short.
 * \param[in] arg     passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the
 *         start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; fn runs on the library's dispatcher thread, with all signals blocked.
 * \ownership arg stays the caller's and must live until fn has run.
 * \backends same.
 * \since 0.1
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
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: a spinning kernel, loaded at first use; host: a timer, which keeps no processor busy.
 * \since 0.1
 */
GS_API gs_status_t gs_stream_sleep(gs_stream_t stream, uint64_t cycles);

/* ---- bridges ------------------------------------------------------------------------------ */

/**
 * Registers another library that keeps a current stream of its own, so that it can be led or followed.
 *
 * Registering alone changes nothing: see gs_bridge_lead() and gs_bridge_follow(). The functions of the bridge are
 * called on the thread whose stream changes or is asked for, with no library lock held, at the same time on several
 * threads. A result other than 0 is a failure: the call that needed the function returns GS_ERROR_DRIVER, its text
 * names the bridge and gs_error_info_t.native_code is the result. Inside them the calls on the current stream and
 * device, GS_STREAM_CURRENT and the functions of this section but gs_bridge_find() return GS_ERROR_NOT_PERMITTED; other
 * calls are allowed. They are not called inside host functions, while a thread exits, or in a forked child, where
 * leading and following end.
 *
 * \param[in]  bridge      not NULL; the struct and the name are copied, the functions must stay callable.
 * \param[out] out_bridge  not NULL; a number above 0 that is never used again.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (bridge or out_bridge is NULL, struct_size is wrong, name is NULL,
 *         empty, too long or registered already, get is NULL, or backend is none), GS_ERROR_OUT_OF_MEMORY (8 are
 *         registered); the start statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership the registration lasts until gs_bridge_unregister().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_bridge_register(const gs_bridge_t *bridge, int32_t *out_bridge);

/**
 * Ends a bridge's registration. None of its functions runs any more when the call returns.
 *
 * Leading and following it end first. Scopes that were opened while it was led do not restore its streams.
 *
 * \param[in] bridge  the number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no bridge has this number), GS_ERROR_NOT_PERMITTED (inside a function
 *         of a bridge), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync()); the call statuses.
 * \blocking until threads that are inside a function of the bridge have left it
 * \cost wait
 * \threadsafety any thread.
 * \ownership the registration ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_bridge_unregister(int32_t bridge);

/**
 * Finds a bridge by name: one that is registered, or one that is built in.
 *
 * Built in are "torch", PyTorch's stable C functions, and "tvm_ffi", Apache TVM FFI's. Their libraries are looked for
 * among those that the process has loaded; none is ever loaded by this call. A PyTorch before 2.10 has no function that
 * sets its stream and can be followed only. The first success registers the bridge.
 *
 * \param[in]  name        not NULL; NUL-terminated.
 * \param[out] out_bridge  not NULL; the number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (name or out_bridge is NULL, or no bridge has this name),
 *         GS_ERROR_UNAVAILABLE (the library is not loaded, was built without CUDA, or is too old;
 *         gs_error_info_t.reason is the cause), GS_ERROR_OUT_OF_MEMORY (8 are registered); the start statuses; the call
 *         statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership the registration lasts until gs_bridge_unregister().
 * \backends "torch" is of the CUDA backend; "tvm_ffi" of the default one: kDLCUDA for cuda, kDLCPU for host.
 * \since 0.2
 */
GS_API gs_status_t gs_bridge_find(const char *name, int32_t *out_bridge);

/**
 * Makes another library's current stream go with gpustream's, on every thread of the process, or no longer.
 *
 * While a library is led, every call that sets gpustream's current stream on a device of the bridge's backend also sets
 * the library's there: gs_set_current_stream(), gs_exchange_current_stream(), gs_push_current_stream(),
 * gs_pop_current_stream() and gs_unwind_current_stream(). A push reads the library's stream first, and the end of the
 * scope restores exactly that, also if leading has ended in between. Calls that change the current device tell the
 * library if it has set_device. Turning it on or off changes nothing by itself. gpustream's own state is changed first;
 * if the library refuses, it is changed back, and the call returns GS_ERROR_DRIVER naming the bridge. Only the end of a
 * scope restores the rest nevertheless, and reports the first refusal. PyTorch's stream is set by its raw handle: the
 * driver's stream is the same, but PyTorch's Stream object for it may compare unequal to the one before.
 *
 * \param[in] bridge  the number.
 * \param[in] on      1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no bridge has this number, or on is neither), GS_ERROR_NOT_SUPPORTED
 *         (the bridge has no set), GS_ERROR_NOT_PERMITTED (inside a function of a bridge); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects all threads, those that start later too.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_bridge_lead(int32_t bridge, int32_t on);

/**
 * Makes gpustream's current stream go with another library's, on every thread of the process, or no longer.
 *
 * While a library is followed, gs_current_stream(), gs_current_native(), gs_exchange_current_stream() and
 * GS_STREAM_CURRENT ask it at each call, for devices of the bridge's backend, and a stream that gpustream does not know
 * is wrapped as by gs_stream_from_native(); the thread keeps the wrap until it sees another. Calls that set the current
 * stream set the library's as gs_bridge_lead() describes; if the bridge has no set, they return GS_ERROR_NOT_SUPPORTED.
 * Inside host functions the last known stream is returned. One library can be followed at a time.
 *
 * \param[in] bridge  the number; 0 ends following.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no bridge has this number, or another one is followed),
 *         GS_ERROR_NOT_PERMITTED (inside a function of a bridge); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects all threads, those that start later too.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_bridge_follow(int32_t bridge);

/**
 * Returns the calling thread's current stream as DLPack's current_work_stream wants it.
 *
 * The signature is that of DLPackCurrentWorkStream, for an array library's DLPackExchangeAPI table. That table's -1
 * also demands a Python exception, so a table for Python needs a wrapper that sets one. Starts no backend: before the
 * first use of a device its current stream is the default one.
 *
 * \param[in]  device_type  1 for kDLCPU, 2 for kDLCUDA; 10, kDLROCM, is refused.
 * \param[in]  device_id    ordinal of the device; not looked at for kDLCPU.
 * \param[out] out_stream   not NULL; NULL for kDLCPU and for the default stream, else a cudaStream_t.
 * \return 0, or -1 with the detail in gs_last_error(): INVALID_ARGUMENT (out_stream is NULL), INVALID_DEVICE (no such
 *         device or type), DRIVER (the followed library's function failed), BAD_FORK and the like.
 * \blocking no
 * \cost library
 * \threadsafety any thread; each thread has its own.
 * \ownership the driver's stream is borrowed until this thread next changes that device's current stream.
 * \backends same.
 * \since 0.2
 */
GS_API int32_t gs_dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream);

/* ---- events ------------------------------------------------------------------------------- */

/**
 * Creates an event.
 *
 * Creation is lazy: it uses neither driver nor device and starts no backend. The event is bound to the device of the
 * first stream that records it, or to the current device by gs_event_ipc_export(). Until it is recorded, queries report
 * it as done, and waits and synchronizations do nothing.
 *
 * \param[in]  flags      0 or GS_EVENT_* combined; GS_EVENT_TIMING and GS_EVENT_INTERPROCESS exclude each other.
 * \param[out] out_event  not NULL; the new event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_event is NULL, unknown or contradictory flags); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_event_destroy().
 * \backends same; if a backend does not support interprocess or external events, their first use fails.
 * \since 0.1
 */
GS_API gs_status_t gs_event_create(uint32_t flags, gs_event_t *out_event);

/**
 * Adds one reference to an event.
 *
 * Each reference is released by its own gs_event_destroy().
 *
 * \param[in] event  live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller owns one more reference: gs_event_destroy().
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_retain(gs_event_t event);

/**
 * Releases one reference to an event.
 *
 * Releasing the last reference destroys the event: the handle becomes invalid at once, and records and waits already
 * submitted are still honoured. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] event  live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; may race with any call on the same event, which then succeeds or returns INVALID_HANDLE.
 * \ownership the caller's reference ends.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_destroy(gs_event_t event);

/**
 * Wraps a raw driver event that the caller continues to own.
 *
 * The event counts as recorded, since other code may have recorded it, and no call on it is ever elided. A handle that
 * is known gives the same event, retained, without a driver call: one that gpustream created and gave out, or one that
 * is wrapped already. Two wraps of one handle are therefore one event. A destroyed event cannot be distinguished from a
 * live one, so the raw event must be alive, and must stay so as long as its wrap.
 *
 * \param[in]  device     the device it belongs to; GS_DEVICE_CURRENT allowed.
 * \param[in]  native     a cudaEvent_t as a number.
 * \param[out] out_event  not NULL; the event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_event is NULL), GS_ERROR_INVALID_HANDLE (0 to 4095, misaligned, not
 *         an address, or unknown to the backend), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH
 *         (it belongs to another device, if it is known or the backend can determine it); the start statuses; the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller owns one reference to the handle; the driver's event remains the property of its owner, who
 *            must keep it alive until the last reference is released.
 * \backends host: accepts natives of live host events. cuda: the driver cannot report an event's device, so the caller
 *           is trusted.
 * \since 0.1
 */
GS_API gs_status_t gs_event_from_native(gs_device_t device, uintptr_t native, gs_event_t *out_event);

/**
 * Wraps a raw driver event and calls a function when the event is no longer needed.
 *
 * Works as gs_event_from_native(). release is called once, with no library lock held, when the last reference is
 * released and no call uses the event any more; the library never destroys the driver's event itself. If this call
 * fails, release is not called. An event that is wrapped already, without a release function, gets this one: its wraps
 * are one event.
 *
 * \param[in]  device     the device it belongs to; GS_DEVICE_CURRENT allowed.
 * \param[in]  native     a cudaEvent_t as a number; not an event of gpustream's own.
 * \param[in]  release    not NULL; may call gpustream.
 * \param[in]  arg        passed to release; any value, also NULL.
 * \param[out] out_event  not NULL; the event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_event or release is NULL; native is gpustream's own event, or one
 *         that has a release function already), GS_ERROR_INVALID_HANDLE (0 to 4095, misaligned, not an address, or
 *         unknown to the backend), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (it belongs to
 *         another device, if it is known or the backend can determine it); the start statuses; the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; release runs on the thread that releases the last reference or, if another thread is still
 *               inside a call on the event, on a thread that creates or destroys an event later.
 * \ownership the caller owns one reference; the driver's event stays alive until release is called.
 * \backends as gs_event_from_native().
 * \since 0.2
 */
GS_API gs_status_t gs_event_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                              void *arg, gs_event_t *out_event);

/**
 * Returns an event's driver handle to the caller, who owns the driver's event from then on and destroys it.
 *
 * The caller's reference ends as by gs_event_destroy(). The library never destroys or reuses the driver's event any
 * more, and a release function of gs_event_from_native_owned() is not called. If other references exist, the handle
 * stays valid as a wrap of an event that the caller of this function owns. An event that was never recorded is bound to
 * the current device first, as by gs_event_ipc_export().
 *
 * \param[in]  event       live event.
 * \param[out] out_native  not NULL; a cudaEvent_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL, or event wraps one that other code owns),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller's reference ends, and the caller owns the driver's event.
 * \backends host: the number stays valid, and useful for gs_event_from_native() and gs_event_from_native_owned() only.
 * \since 0.2
 */
GS_API gs_status_t gs_event_into_native(gs_event_t event, uintptr_t *out_native);

/**
 * Records an event in a stream.
 *
 * The event's record covers all work submitted to the stream before the call and replaces the previous record; waits
 * already submitted still refer to the old one. The first record binds the event to the stream's device. In the default
 * stream the record covers all blocking streams of the device as well.
 *
 * \param[in] event   live event.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event or stream is not live), GS_ERROR_DEVICE_MISMATCH (the event is
 *         bound to another device), GS_ERROR_NOT_SUPPORTED (it is bound to a device of another backend; this driver
 *         cannot capture an external event, or a condition's body is captured); the start statuses; the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; of several concurrent records one takes effect last.
 * \ownership the stream may be destroyed right after the call.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_record(gs_event_t event, gs_stream_t stream);

/**
 * Makes a stream wait for an event.
 *
 * Work submitted to the stream later starts after the work that the event's present record covers. Earlier work, the
 * caller and a later record of the event are not affected. If the event was never recorded, the call has no effect,
 * unless gs_set_unrecorded_mode() says otherwise. No driver call is made if the wait is known to be satisfied (the work
 * is known to be done, or the stream is the one that recorded the event); inside a capture such a wait adds no edge.
 * There, a wait for an external event is always a node.
 *
 * \param[in] event   live event, of any device of the same backend.
 * \param[in] stream  the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event or stream is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends, or this driver cannot capture an external event, or a condition's body is captured, or a
 *         graph would wait for an interprocess event of another device), GS_ERROR_PEER_LOST (the other process of an
 *         interprocess event is gone), GS_ERROR_NOT_RECORDED (it was never recorded, in mode GS_UNRECORDED_ERROR); the
 *         start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; a concurrent record takes effect either before or after the wait.
 * \ownership the event may be destroyed right after the call.
 * \backends host: same on all devices. cuda: drivers crash when a stream of another device waits for an interprocess
 *           event (580.159), so such a wait goes through a pooled stream of the event's device, at the price of a few
 *           driver calls; as a node of a graph it is refused. The library does not know which wrapped events are
 *           interprocess ones: let only streams of their device wait for those.
 * \since 0.1
 */
GS_API gs_status_t gs_event_wait(gs_event_t event, gs_stream_t stream);

/**
 * Records an event in a stream, as a node of the graph if the stream is being captured.
 *
 * With GS_EVENT_EXTERNAL, this one record is what every record of an event created with that flag is: in a capture it
 * becomes a node, and each launch of the graph records the event. Outside a capture the flag changes nothing. Without
 * the flag the call is gs_event_record().
 *
 * \param[in] event   live event.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] flags   0 or GS_EVENT_EXTERNAL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown flags), GS_ERROR_INVALID_HANDLE (event or stream is not live),
 *         GS_ERROR_DEVICE_MISMATCH (the event is bound to another device), GS_ERROR_NOT_SUPPORTED (it is bound to a
 *         device of another backend; this driver cannot capture an external event, or a condition's body is captured);
 *         the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; of several concurrent records one takes effect last.
 * \ownership the stream may be destroyed right after the call; a graph keeps the event.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_record_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags);

/**
 * Makes a stream wait for an event, as a node of the graph if the stream is being captured.
 *
 * With GS_EVENT_EXTERNAL, this one wait is what every wait for an event created with that flag is: in a capture it
 * becomes a node, also if the event was never recorded, and each launch of the graph waits for the record that the
 * event has then. Outside a capture the flag changes nothing. Without the flag the call is gs_event_wait().
 *
 * \param[in] event   live event, of any device of the same backend.
 * \param[in] stream  the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \param[in] flags   0 or GS_EVENT_EXTERNAL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown flags), GS_ERROR_INVALID_HANDLE (event or stream is not live),
 *         GS_ERROR_NOT_SUPPORTED (they belong to different backends, or this driver cannot capture an external event,
 *         or a condition's body is captured, or a graph would wait for an interprocess event of another device),
 *         GS_ERROR_PEER_LOST (the other process of an interprocess event is gone), GS_ERROR_NOT_RECORDED (it was never
 *         recorded, in mode GS_UNRECORDED_ERROR, and the wait is no node); the start statuses; the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; a concurrent record takes effect either before or after the wait.
 * \ownership the event may be destroyed right after the call; a graph keeps it.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_wait_with_flags(gs_event_t event, gs_stream_t stream, uint32_t flags);

/**
 * Returns the number of an event's present record, for gs_stream_wait_generation().
 *
 * The first record has number 1, and each later one the next number. Records by other code, by other processes and by
 * launches of a graph are not counted; a record that failed, and making the event known to such other code, may count
 * as one. The first call for an event must not run at the same time as a record of it.
 *
 * \param[in]  event           live event.
 * \param[out] out_generation  not NULL; the number, below 2^40; 0 if the event was never recorded.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_generation is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_generation(gs_event_t event, uint64_t *out_generation);

/**
 * Makes a stream wait for one record of an event, which must still be its present one.
 *
 * As gs_stream_wait_event() if the event's present record has this number. If it has another one, the call fails, and
 * the stream does not wait; if the event is recorded by another thread during the call, it fails too, and the stream
 * may wait for the new record.
 *
 * \param[in] stream      the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \param[in] event       live event, of any device of the same backend.
 * \param[in] generation  the number, as gs_event_generation() returned it; at least 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (generation is 0), GS_ERROR_INVALID_HANDLE (stream or event is not
 *         live), GS_ERROR_NOT_RECORDED (the record was not made yet, or a later one has taken its place),
 *         GS_ERROR_NOT_SUPPORTED (other code, another process or a graph may record the event without the library's
 *         knowledge; or they belong to different backends); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the event may be destroyed right after the call.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_wait_generation(gs_stream_t stream, gs_event_t event, uint64_t generation);

/**
 * Reports whether the work that an event's present record covers is done.
 *
 * Once done, the event stays done until its next record. An event that was never recorded is done. Never breaks a
 * capture that the event is not part of; for an event recorded in a capture the call returns GS_ERROR_CAPTURING.
 *
 * \param[in]  event     live event.
 * \param[out] out_done  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_done is NULL), GS_ERROR_INVALID_HANDLE (event is not a live event),
 *         GS_ERROR_PEER_LOST (the other process of an interprocess event is gone); the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: querying an event that was recorded in a capture in progress also breaks that capture; the driver
 *           offers no way to detect this beforehand.
 * \since 0.1
 */
GS_API gs_status_t gs_event_query(gs_event_t event, int32_t *out_done);

/**
 * Waits until the work that an event's present record covers is done.
 *
 * A record made during the call is not waited for. If the event was never recorded, the call returns at once, with
 * GS_OK unless gs_set_unrecorded_mode() says otherwise. Never breaks a capture that the event is not part of; for an
 * event recorded in a capture the call returns GS_ERROR_CAPTURING without waiting. Spins unless the event has
 * GS_EVENT_BLOCKING.
 *
 * \param[in] event  live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or
 *         sync debug mode "error" with scope "all"), GS_ERROR_PEER_LOST (the other process of an interprocess event is
 *         gone), GS_ERROR_NOT_RECORDED (it was never recorded, in mode GS_UNRECORDED_ERROR), GS_ERROR_NOT_PERMITTED
 *         (also inside a notification); the driver statuses; the call statuses.
 * \blocking until the work that the event's present record covers is done
 * \cost wait
 * \threadsafety any thread; the event may be destroyed during the call.
 * \ownership none.
 * \backends cuda: a capture in progress that contains the event's record is broken, as by gs_event_query().
 * \since 0.1
 */
GS_API gs_status_t gs_event_synchronize(gs_event_t event);

/**
 * Returns the time between the records of two events.
 *
 * The call checks in this order that both events are timed, recorded, on one device and done, and then queries the
 * driver. It does not wait. The time is negative if end was recorded before start.
 *
 * \param[in]  start   live event with GS_EVENT_TIMING.
 * \param[in]  end     live event with GS_EVENT_TIMING; may be start.
 * \param[out] out_ms  not NULL; milliseconds.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_ms is NULL), GS_ERROR_INVALID_HANDLE (one of the two is not a live
 *         handle), GS_ERROR_TIMING_DISABLED (one was created without GS_EVENT_TIMING), GS_ERROR_NOT_RECORDED (one was
 *         never recorded), GS_ERROR_DEVICE_MISMATCH (they are bound to different devices), GS_ERROR_NOT_SUPPORTED (they
 *         are bound to different backends), GS_NOT_READY (the work of one is not done yet); the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: the driver's value is a float with a resolution of about 0.5 us; a wrapped event that is not timed is
 *           GS_ERROR_NOT_RECORDED; host: 1 ns of a monotonic clock.
 * \since 0.1
 */
GS_API gs_status_t gs_event_elapsed_ms(gs_event_t start, gs_event_t end, double *out_ms);

/**
 * Returns the time between the records of two events, in nanoseconds.
 *
 * As gs_event_elapsed_ms(). To get the time without waiting or asking repeatedly, add the event that is recorded last
 * to a queue (gs_queue_add_event()): once its entry has come, this call does not return GS_NOT_READY for it.
 *
 * \param[in]  start   live event with GS_EVENT_TIMING.
 * \param[in]  end     live event with GS_EVENT_TIMING; may be start.
 * \param[out] out_ns  not NULL; nanoseconds; negative if end was recorded before start.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_ns is NULL), GS_ERROR_INVALID_HANDLE (one of the two is not a live
 *         handle), GS_ERROR_TIMING_DISABLED (one was created without GS_EVENT_TIMING), GS_ERROR_NOT_RECORDED (one was
 *         never recorded), GS_ERROR_DEVICE_MISMATCH (they are bound to different devices), GS_ERROR_NOT_SUPPORTED (they
 *         are bound to different backends), GS_NOT_READY (the work of one is not done yet); the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: the driver's value is a float of milliseconds, so long times are known less exactly; a wrapped event
 *           that is not timed is GS_ERROR_NOT_RECORDED; host: 1 ns of a monotonic clock.
 * \since 0.2
 */
GS_API gs_status_t gs_event_elapsed_ns(gs_event_t start, gs_event_t end, int64_t *out_ns);

/**
 * Compares a device's clock with the host's, for gs_event_time_ns().
 *
 * The call records events in an idle stream of its own and notes the host's time around each record; the closest of
 * several tries counts. The library keeps the last 8 comparisons of each device. Clocks drift: a program that wants
 * close times compares now and then.
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_error_ns  not NULL; the comparison is exact to this many nanoseconds, in both directions.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_error_ns is NULL), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_NOT_PERMITTED (also inside a notification), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync()); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking until the device has passed the records: some ten microseconds, longer while it is busy
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_device_calibrate(gs_device_t device, int64_t *out_error_ns);

/**
 * Returns when an event's record was done, by the host's clock, and how exact that is.
 *
 * The time is reckoned from the nearest comparison of gs_device_calibrate(). The error covers that comparison, the
 * resolution of the driver's times, and drift of the two clocks of 600 parts per million: what the kernel may slew its
 * clock by, and what oscillators differ by. The true time lies within out_ns - out_error_ns and out_ns + out_error_ns.
 *
 * \param[in]  event         live event with GS_EVENT_TIMING.
 * \param[out] out_ns        not NULL; CLOCK_MONOTONIC, nanoseconds.
 * \param[out] out_error_ns  not NULL; nanoseconds.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, or the event's device was never calibrated),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_TIMING_DISABLED (it was created without
 *         GS_EVENT_TIMING), GS_ERROR_NOT_RECORDED (it was never recorded), GS_NOT_READY (its work is not done yet); the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: a wrapped event that is not timed is GS_ERROR_NOT_RECORDED.
 * \since 0.2
 */
GS_API gs_status_t gs_event_time_ns(gs_event_t event, int64_t *out_ns, int64_t *out_error_ns);

/**
 * Returns the driver's handle of an event.
 *
 * From then on other code may record it, so calls on this event are no longer elided and its driver event is never
 * reused. The call creates nothing: before the first record or export the number is 0; after that it never changes.
 *
 * \param[in]  event       live event.
 * \param[out] out_native  not NULL; a cudaEvent_t as a number, or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership the driver's event is borrowed: alive while the caller owns a reference to event, and must not be
 *            destroyed.
 * \backends host: a number unique among live events, useful for gs_event_from_native() only.
 * \since 0.1
 */
GS_API gs_status_t gs_event_native(gs_event_t event, uintptr_t *out_native);

/**
 * Returns a number that identifies an event, without marking it as exported.
 *
 * This is the driver's handle, as in torch.Event.event_id: 0 before the first record or export.
 *
 * \param[in]  event   live event.
 * \param[out] out_id  not NULL; the number. Use gs_event_native() to pass it to another library.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_id is NULL), GS_ERROR_INVALID_HANDLE (event is not a live event);
 *         the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_id(gs_event_t event, uint64_t *out_id);

/**
 * Returns the device that an event is bound to.
 *
 * An event is bound by its first record, by gs_event_ipc_export() or when it is wrapped or opened, and stays bound to
 * that device.
 *
 * \param[in]  event       live event.
 * \param[out] out_device  not NULL; GS_DEVICE_NONE while unbound, else a plain ordinal for the default backend or a
 *                         qualified number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_device is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_device(gs_event_t event, gs_device_t *out_device);

/**
 * Returns the flags of an event.
 *
 * They are those passed to gs_event_create(). A wrapped event has GS_EVENT_TIMING, because only the driver knows
 * whether it is timed; an opened event has GS_EVENT_INTERPROCESS.
 *
 * \param[in]  event      live event.
 * \param[out] out_flags  not NULL; GS_EVENT_* combined.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_flags is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_event_flags(gs_event_t event, uint32_t *out_flags);

/**
 * Exports an event as 64 bytes with which another process on the machine can open it.
 *
 * An event that is not bound yet is bound to the calling thread's current device. The exporter must keep the event
 * alive while other processes use it. An event opened from another process cannot be exported again.
 *
 * \param[in]  event       live event with GS_EVENT_INTERPROCESS.
 * \param[out] out_handle  not NULL; the bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_handle is NULL, or the event lacks GS_EVENT_INTERPROCESS),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_NOT_SUPPORTED (the device does not support
 *         interprocess events, or the event was opened from another process); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership out_handle is a copy; it owns nothing.
 * \backends host: through files of the same user in GPUSTREAM_SHM_DIR, one for every 128 events. A process of that
 *           user that truncates such a file ends the processes that use it (SIGBUS); removing it is harmless.
 * \since 0.1
 */
GS_API gs_status_t gs_event_ipc_export(gs_event_t event, gs_ipc_handle_t *out_handle);

/**
 * Opens an event that another process exported.
 *
 * Queries, waits and synchronizations refer to the record that is current at the call, whichever process made it.
 *
 * \param[in]  device     the device, which must be the exporter's physical device; GS_DEVICE_CURRENT allowed.
 * \param[in]  handle     not NULL; the 64 bytes.
 * \param[out] out_event  not NULL; the event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, or the bytes are not an exported event),
 *         GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (exported from another device),
 *         GS_ERROR_NOT_SUPPORTED (exported by this process, or the device does not support interprocess events),
 *         GS_ERROR_PEER_LOST (the exporter is gone); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_event_destroy(). The exporter's event is not kept alive.
 * \backends cuda: creates the device's primary context if there is none. The driver does not report that an exporter is
 *           gone (observed on an H200, driver 580): its events then count as done, and GS_ERROR_PEER_LOST is never
 *           returned.
 * \since 0.1
 */
GS_API gs_status_t gs_event_ipc_open(gs_device_t device, const gs_ipc_handle_t *handle, gs_event_t *out_event);

/* ---- completion --------------------------------------------------------------------------- */

/**
 * Creates a queue that reports when points of streams are reached.
 *
 * gs_queue_add_stream() and gs_queue_add_event() add points, each with a token; exactly one entry is delivered for
 * each, also if the work fails, the device is lost, or the stream or event is destroyed. An entry has the token and the
 * status of the work. Entries are taken by gs_queue_poll() and gs_queue_wait(), by any number of threads; each entry
 * goes to one of them. The order of delivery agrees with happens-before: if point b cannot be reached before point a,
 * and the call that added a had returned when the call that added b began, then a's entry comes before b's. No function
 * of the caller runs on a thread of the library.
 *
 * \param[in]  capacity   how many entries may be undelivered at a time: added, and not yet taken; at least 1. Memory is
 *                        allocated as entries are added.
 * \param[in]  flags      0.
 * \param[out] out_queue  not NULL; the queue.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_queue is NULL, capacity is 0, or flags is not 0); the getter
 *         statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_queue_destroy().
 * \backends same; the queue serves streams and events of all backends at once.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_create(uint32_t capacity, uint32_t flags, gs_queue_t *out_queue);

/**
 * Adds a reference to a queue.
 *
 * The queue lives until each reference has been released with gs_queue_destroy().
 *
 * \param[in] queue  live queue.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue is not a live queue); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_queue_destroy().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_retain(gs_queue_t queue);

/**
 * Releases a reference to a queue; the last one ends it.
 *
 * Entries that were not taken are dropped, and threads that wait in gs_queue_wait() return GS_ERROR_INVALID_HANDLE. The
 * file descriptor is closed. The work itself is not affected.
 *
 * \param[in] queue  live queue.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue is not a live queue), GS_ERROR_OUT_OF_MEMORY and GS_ERROR_INTERNAL
 *         (see common statuses). In a forked child GS_OK, and nothing happens.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; in a forked child too.
 * \ownership the caller's reference ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_destroy(gs_queue_t queue);

/**
 * Returns a file descriptor that is readable while entries wait in the queue.
 *
 * It is for poll(), select(), epoll and whatever is built on them: asyncio, tokio, Netty, libuv. It stays readable
 * until the last waiting entry has been taken by gs_queue_poll() or gs_queue_wait(), or, after gs_queue_wake(), until
 * the next of these calls. The first call makes it; later calls return the same number. It must only be polled, never
 * read, written or closed. If it is closed nevertheless, the queue still works, but the number may name another file by
 * then.
 *
 * \param[in]  queue   live queue.
 * \param[out] out_fd  not NULL; the descriptor, with close-on-exec set.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_fd is NULL), GS_ERROR_INVALID_HANDLE (queue is not a live queue),
 *         GS_ERROR_SYSTEM (no descriptor can be made); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the descriptor stays the queue's, which closes it at its end.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_fd(gs_queue_t queue, int32_t *out_fd);

/**
 * Adds the work submitted to a stream so far: an entry is delivered when it is done.
 *
 * Later work of the stream does not matter. The stream may be destroyed at once. While the stream is being captured the
 * call returns GS_ERROR_CAPTURING, adds nothing and leaves the capture intact.
 *
 * \param[in] queue   live queue.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] token   returned in the entry; any value, not necessarily unique.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue or stream is not live), GS_ERROR_FULL (as many entries are
 *         undelivered as the queue's capacity allows; nothing was added); the start statuses; the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the entry does not keep the stream alive.
 * \backends cuda: a record of an internal event, which a library thread asks about; host: the engine signals it.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_add_stream(gs_queue_t queue, gs_stream_t stream, uint64_t token);

/**
 * Adds the record that an event has now: an entry is delivered when it is complete.
 *
 * For an event that was never recorded, or whose record is complete, the entry is delivered at once. Later records of
 * the event do not matter, and it may be destroyed at once. An event recorded in a capture that has not ended is
 * refused with GS_ERROR_CAPTURING; as with gs_event_query(), asking about it breaks the capture on CUDA.
 *
 * \param[in] queue  live queue.
 * \param[in] event  live event.
 * \param[in] token  returned in the entry; any value, not necessarily unique.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue or event is not live), GS_ERROR_FULL (as many entries are
 *         undelivered as the queue's capacity allows; nothing was added); the start statuses; the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the entry does not keep the event alive.
 * \backends same. An event that other code may record (adopted, exported, interprocess or external ones) is waited for
 *           by an internal stream.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_add_event(gs_queue_t queue, gs_event_t event, uint64_t token);

/**
 * Delivers the entries with a token now, with the status GS_ERROR_CANCELLED, although their work is not done.
 *
 * Entries that have been delivered already are not affected, nor is the work. No second entry follows.
 *
 * \param[in]  queue      live queue.
 * \param[in]  token      as it was added.
 * \param[out] out_count  not NULL; how many entries were cancelled.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL), GS_ERROR_INVALID_HANDLE (queue is not a live
 *         queue); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_cancel(gs_queue_t queue, uint64_t token, size_t *out_count);

/**
 * Makes threads that wait for entries of a queue return without one.
 *
 * Every thread that is inside gs_queue_wait() returns GS_OK and no entries, unless there are some. If no thread is, the
 * next call of gs_queue_wait() does so, and the file descriptor is readable until the next gs_queue_poll() or
 * gs_queue_wait(). Several calls before that count as one. It is how another thread, or a handler of interrupts that a
 * language runs outside of signal handlers, ends a wait.
 *
 * \param[in] queue  live queue.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue is not a live queue); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; not in a signal handler.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_wake(gs_queue_t queue);

/**
 * Takes entries that wait in a queue, without waiting for any.
 *
 * Each entry goes to one caller, in the order of delivery.
 *
 * \param[in]  queue        live queue.
 * \param[out] out_entries  [capacity] not NULL; the entries, in the order of their delivery; only the first out_count
 *                          are written.
 * \param[in]  capacity     how many entries the caller has room for; at least 1.
 * \param[out] out_count    not NULL; how many were taken; 0 if none waits.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL or capacity is 0), GS_ERROR_INVALID_HANDLE (queue is
 *         not a live queue); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_poll(gs_queue_t queue, gs_completion_t *out_entries, size_t capacity, size_t *out_count);

/**
 * Takes entries from a queue, after waiting for the first one.
 *
 * Returns as soon as there is an entry, when gs_queue_wake() was called, or when the time is over. A queue without
 * entries to come waits too, for one that another thread adds.
 *
 * \param[in]  queue        live queue.
 * \param[out] out_entries  [capacity] not NULL; the entries, in the order of their delivery; only the first out_count
 *                          are written.
 * \param[in]  capacity     how many entries the caller has room for; at least 1.
 * \param[in]  timeout_ns   the longest wait, nanoseconds; 0 does not wait; negative: no limit.
 * \param[out] out_count    not NULL; how many were taken; 0 after gs_queue_wake() and after a failure.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL or capacity is 0), GS_ERROR_INVALID_HANDLE (queue is
 *         not a live queue, or was destroyed during the wait), GS_ERROR_TIMEOUT (no entry came in that time;
 *         gs_last_error() is not changed), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync()); the call statuses, where
 *         GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until an entry comes, the queue is woken or destroyed, or the time is over
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_queue_wait(gs_queue_t queue, gs_completion_t *out_entries, size_t capacity, int64_t timeout_ns,
                                 size_t *out_count);

/**
 * Waits until all work submitted to a stream before the call is done, or a time is over.
 *
 * With a negative time limit it is gs_stream_synchronize() in the process's wait mode. Else it sleeps and asks from
 * time to time as GS_WAIT_ADAPTIVE does, except in GS_WAIT_SPIN. A limit that passes changes nothing: the work goes on,
 * and the call may be repeated. A signal handler runs during the wait but does not end it; a language that must react
 * to signals waits in slices.
 *
 * \param[in] stream      live stream; not GS_STREAM_CURRENT.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_TIMEOUT (the work was not done in
 *         that time; gs_last_error() is not changed), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode
 *         "error"); the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a
 *         notification.
 * \blocking until the stream's work is done, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_synchronize_for(gs_stream_t stream, int64_t timeout_ns);

/**
 * Waits until an event's current record is complete, or a time is over.
 *
 * As gs_stream_synchronize_for(), for the record that is current at the call. Does nothing if the event was never
 * recorded, unless gs_set_unrecorded_mode() says otherwise.
 *
 * \param[in] event       live event.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_TIMEOUT (the record was not complete
 *         in that time; gs_last_error() is not changed), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode
 *         "error" with scope GS_SYNC_SCOPE_ALL), GS_ERROR_NOT_RECORDED (it was never recorded, in mode
 *         GS_UNRECORDED_ERROR); the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned
 *         in a notification.
 * \blocking until the record is complete, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_synchronize_for(gs_event_t event, int64_t timeout_ns);

/**
 * Waits until all work submitted to a device before the call is done, or a time is over.
 *
 * As gs_device_synchronize(), with a limit. A limit that passes changes nothing.
 *
 * \param[in] device      the device; GS_DEVICE_CURRENT allowed.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_TIMEOUT (the work was not done in that time;
 *         gs_last_error() is not changed), GS_ERROR_NOT_SUPPORTED (there is a limit, and the driver is older than
 *         12.5), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with scope GS_SYNC_SCOPE_ALL);
 *         the start statuses; the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in
 *         a notification.
 * \blocking until the device's work is done, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: cuCtxRecordEvent; without a context there is nothing to wait for.
 * \since 0.2
 */
GS_API gs_status_t gs_device_synchronize_for(gs_device_t device, int64_t timeout_ns);

/**
 * Waits until the current record of one of several events is complete, or a time is over.
 *
 * The events may belong to different devices and backends. The records are those that are current at the call; an event
 * that was never recorded counts as complete, unless gs_set_unrecorded_mode() says otherwise. If one fails, the call
 * returns its status.
 *
 * \param[in]  events      [count] not NULL; live events; one may be named several times.
 * \param[in]  count       how many; at least 1.
 * \param[in]  timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \param[out] out_index   not NULL; the first event in the list that is complete.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL or count is 0), GS_ERROR_INVALID_HANDLE (one of the
 *         events is not live; nothing was waited for), GS_ERROR_TIMEOUT (none was complete in that time;
 *         gs_last_error() is not changed), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with
 *         scope GS_SYNC_SCOPE_ALL), GS_ERROR_NOT_RECORDED (one was never recorded, in mode GS_UNRECORDED_ERROR; nothing
 *         was waited for); the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a
 *         notification.
 * \blocking until one of the records is complete, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_synchronize_any(const gs_event_t *events, size_t count, int64_t timeout_ns,
                                            size_t *out_index);

/**
 * Waits until the current records of all of several events are complete, or a time is over.
 *
 * As gs_event_synchronize_any(), for all of them. The first failure ends the wait.
 *
 * \param[in] events      [count] not NULL unless count is 0; live events; one may be named several times.
 * \param[in] count       how many; 0 allowed.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (events is NULL), GS_ERROR_INVALID_HANDLE (one of the events is not
 *         live; nothing was waited for), GS_ERROR_TIMEOUT (not all were complete in that time; gs_last_error() is not
 *         changed), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with scope
 *         GS_SYNC_SCOPE_ALL), GS_ERROR_NOT_RECORDED (one was never recorded, in mode GS_UNRECORDED_ERROR; nothing was
 *         waited for); the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a
 *         notification.
 * \blocking until all the records are complete, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_synchronize_all(const gs_event_t *events, size_t count, int64_t timeout_ns);

/**
 * Sets how threads of the process wait in the library's blocking calls.
 *
 * It concerns gs_stream_synchronize(), gs_event_synchronize(), gs_device_synchronize() and the calls of this section
 * that wait for work. The initial value is that of the environment variable GPUSTREAM_WAIT: driver, spin, block or
 * adaptive. Waits that have begun are not affected.
 *
 * \param[in] mode  GS_WAIT_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no such mode); the getter statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function; affects all threads.
 * \ownership none.
 * \backends host: waiting threads sleep in every mode but GS_WAIT_SPIN, and the engine wakes them.
 * \since 0.2
 */
GS_API gs_status_t gs_set_wait_mode(int32_t mode);

/**
 * Returns how threads of the process wait in the library's blocking calls.
 *
 * It is what gs_set_wait_mode() set last, or the initial value, which the first use reads and warns of if it is none.
 *
 * \param[out] out_mode  not NULL; GS_WAIT_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_mode is NULL); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_get_wait_mode(int32_t *out_mode);

/**
 * Calls a function some time after the work submitted to a stream so far is done: for the release of what it uses.
 *
 * GS_OK means that the function runs exactly once, unless the process ends or is a forked child; any other status that
 * it never runs. It runs on a library thread that also serves notifications, also after the work has failed. Functions
 * are collected: the stream is marked when gpustream next submits something to it, when some dozens have come together,
 * or in gs_trim(), whichever comes first, and the functions run when that mark is reached. Those of a stream that has
 * ended run when its driver stream is found to be idle, by a later create or by gs_trim(). If its end cannot be marked
 * (the driver refuses, or other code captures the stream) and the driver stream is not asked any more, they run when
 * all work of the device is done, as gs_trim() or a synchronization of the device finds; the log says so. A per-thread
 * stream is marked at once. Later work of the stream does not wait.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed. While it is being captured the function is kept by the
 *                    graph instead, and runs when the graph, its executables and their launches have ended.
 * \param[in] fn      not NULL; must not throw. It may call gpustream, except the synchronizing calls.
 * \param[in] arg     passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_NOT_SUPPORTED (the stream is being captured and the driver cannot keep objects for graphs); the
 *         start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; fn runs on the library's dispatcher thread, with all signals blocked.
 * \ownership arg stays the caller's and must live until fn has run.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_defer(gs_stream_t stream, void (*fn)(void *arg), void *arg);

/* ---- timelines ---------------------------------------------------------------------------- */

/**
 * Creates a timeline: a 64-bit number that only grows.
 *
 * Streams and threads signal it, which raises it to a value, and wait until it has reached a value. Unlike a wait for
 * an event, a wait may come before the signal is submitted, or known. Streams of all devices of the timeline's backend
 * may use it. With GS_TIMELINE_INTERPROCESS other processes may use it as well: see gs_timeline_ipc_export().
 *
 * \param[in]  device        the device in whose name the timeline's memory is registered; GS_DEVICE_CURRENT allowed.
 * \param[in]  initial       its first value, below 2^63 - 1.
 * \param[in]  flags         0 or GS_TIMELINE_INTERPROCESS.
 * \param[out] out_timeline  not NULL; the timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_timeline is NULL, initial is 2^63 - 1 or above, flags has an
 *         unknown bit, or GPUSTREAM_SHM_DIR is too long), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_NOT_SUPPORTED (the driver cannot register host memory; GS_TIMELINE_INTERPROCESS, and the device has
 *         no stream memory operations of 64 bits), GS_ERROR_SYSTEM (GS_TIMELINE_INTERPROCESS, and a file cannot be
 *         made in GPUSTREAM_SHM_DIR), GS_ERROR_OUT_OF_MEMORY (also when the shared memory is full); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_timeline_destroy().
 * \backends cuda: a word in host memory that is registered with the driver, a page of them at a time. Creates the
 *           device's primary context if there is none. On devices without 64-bit stream memory operations the word has
 *           32 bits: see gs_stream_wait_timeline(). With GS_TIMELINE_INTERPROCESS the word lies in a file of 36 KiB in
 *           GPUSTREAM_SHM_DIR, which every process of the timeline maps and registers.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_create(gs_device_t device, uint64_t initial, uint32_t flags,
                                      gs_timeline_t *out_timeline);

/**
 * Adds a reference to a timeline.
 *
 * The timeline lives until each reference has been released with gs_timeline_destroy().
 *
 * \param[in] timeline  live timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (timeline is not a live timeline); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_timeline_destroy().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_retain(gs_timeline_t timeline);

/**
 * Releases a reference to a timeline; the last one ends it.
 *
 * Signals that were submitted still happen. Waits in streams that have not been met count as met from now on, as if
 * the timeline were aborted, so that no stream waits for what can no longer come. Threads that wait in
 * gs_timeline_synchronize() return GS_ERROR_INVALID_HANDLE. The last reference in one process leaves an interprocess
 * timeline to the others: it ends when all have given it up.
 *
 * \param[in] timeline  live timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (timeline is not a live timeline), GS_ERROR_OUT_OF_MEMORY and
 *         GS_ERROR_INTERNAL (see common statuses). In a forked child GS_OK, and nothing happens.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; in a forked child too.
 * \ownership the caller's reference ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_destroy(gs_timeline_t timeline);

/**
 * Submits a signal to a stream: when its work so far is done, the timeline is raised to a value.
 *
 * Signals of a timeline happen in the order of their values. If another stream has a signal of a smaller value that has
 * not happened yet, this one waits for it. A signal of a smaller value than one that is already submitted to a stream
 * is accepted only if that one's stream waits for this value, or a later one, before it signals; else the order could
 * not be kept.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream    the stream; GS_STREAM_CURRENT allowed.
 * \param[in] timeline  live timeline of the same backend.
 * \param[in] value     above the timeline's value and below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is not above the timeline's, or has been submitted already, or is
 *         2^63 - 1 or above, or a larger one is submitted that could happen first, or, of gs_timeline_from_fd(), any
 *         larger one), GS_ERROR_INVALID_HANDLE (stream or timeline is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends or, of gs_timeline_from_fd(), to different devices, or the device has no stream memory
 *         operations), GS_ERROR_DEADLOCK (a circle of waits, which only this signal could end, would become one of the
 *         stream's own: the text names it), GS_ERROR_FULL (interprocess, and 48 signals have not happened, or 62 of
 *         which some are larger), GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: a record of an internal event, and a stream memory operation once a stream has waited for the
 *           timeline before its signal was submitted; host: the engine wakes those that wait.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_signal_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value);

/**
 * Makes a stream wait until a timeline has reached a value.
 *
 * Work submitted to the stream later runs after that. Nothing is submitted if the value has been reached. The signal
 * may come later, from a stream or from a thread: until then the stream waits. If the timeline is aborted or destroyed
 * before it, the stream goes on although the wait was not met, so a program that aborts must not rely on what its
 * streams compute afterwards. A wait without a signal keeps every synchronization with the stream from returning.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream    the stream; GS_STREAM_CURRENT allowed.
 * \param[in] timeline  live timeline of the same backend.
 * \param[in] value     below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is 2^63 - 1 or above), GS_ERROR_INVALID_HANDLE (stream or
 *         timeline is not live), GS_ERROR_NOT_SUPPORTED (they belong to different backends or, of
 *         gs_timeline_from_fd(), to different devices, the device has no stream memory operations, or has none of 64
 *         bits and value is 2^31 or more above the timeline's), GS_ERROR_ABORTED or the status that gs_timeline_abort()
 *         was given; the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: a wait for an event if the signal is submitted already, else a stream memory operation, which may
 *           hold up other streams that share its hardware queue; host: the stream costs no thread while it waits.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_wait_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value);

/**
 * Raises a timeline to a value at once, on the calling thread.
 *
 * Streams and threads that wait for this value or a smaller one go on. Whether signals of streams have happened is
 * asked as by gs_timeline_value().
 *
 * \param[in] timeline  live timeline.
 * \param[in] value     above the timeline's value, below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is not above the timeline's, or is 2^63 - 1 or above, or this or
 *         a smaller value is submitted to a stream and has not been reached), GS_ERROR_INVALID_HANDLE (timeline is not
 *         live), GS_ERROR_NOT_SUPPORTED (it is of gs_timeline_from_fd()), GS_ERROR_ABORTED or the status that
 *         gs_timeline_abort() was given; the driver statuses; the getter statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_signal(gs_timeline_t timeline, uint64_t value);

/**
 * Returns a timeline's value.
 *
 * What was done before the signal of that value is visible to the caller.
 *
 * Signals of streams that are not known to have happened are asked about: one question to the driver if all have, two
 * if none has, and none if a stream has waited for the timeline before its signal was submitted, since signals then
 * write the value. A timeline whose value is asked for about as often as it is signalled writes it, too. In a host
 * function the call waits until a thread of the library has asked.
 *
 * \param[in]  timeline   live timeline.
 * \param[out] out_value  not NULL; the value.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_value is NULL), GS_ERROR_INVALID_HANDLE (timeline is not live),
 *         GS_ERROR_NOT_SUPPORTED (it is of gs_timeline_from_fd()), GS_ERROR_ABORTED or the status that
 *         gs_timeline_abort() was given; the driver statuses; the getter statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_value(gs_timeline_t timeline, uint64_t *out_value);

/**
 * Waits until a timeline has reached a value, or a time is over.
 *
 * The thread waits as gs_set_wait_mode() says, and sleeps while no signal of the value is submitted.
 *
 * \param[in] timeline    live timeline.
 * \param[in] value       below 2^63 - 1.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is 2^63 - 1 or above), GS_ERROR_INVALID_HANDLE (timeline is not
 *         live, or ended in between), GS_ERROR_TIMEOUT (the value was not reached in that time; gs_last_error() is not
 *         changed), GS_ERROR_NOT_SUPPORTED (it is of gs_timeline_from_fd()), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(),
 *         or sync debug mode "error" with scope GS_SYNC_SCOPE_ALL), GS_ERROR_ABORTED or the status that
 *         gs_timeline_abort() was given; the driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also
 *         returned in a notification.
 * \blocking until the value is reached, at most for the given time
 * \cost wait
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_synchronize(gs_timeline_t timeline, uint64_t value, int64_t timeout_ns);

/**
 * Ends a timeline with a failure: streams and threads that wait for it go on.
 *
 * Streams that wait go on although their waits were not met. Threads that wait, and all later calls with the timeline,
 * return the status. An aborted timeline stays so; the first status stays.
 *
 * \param[in] timeline  live timeline.
 * \param[in] status    what the calls return: a GS_ERROR_* number but GS_ERROR_TIMEOUT, as a rule GS_ERROR_ABORTED.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (status is not such a number), GS_ERROR_INVALID_HANDLE (timeline is not
 *         live); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_abort(gs_timeline_t timeline, gs_status_t status);

/**
 * Exports a timeline as 64 bytes with which another process on the machine can open it.
 *
 * Every process that opens it signals and waits as the one that made it: in any order, on any device. What is said of
 * streams of one process holds for those of all, but for circles of waits, which are found within a process only.
 * A process that ends while it has the timeline open, or while a signal that it has submitted has not happened, aborts
 * it for the others with GS_ERROR_PEER_LOST, within 100 ms; so gs_timeline_destroy() before a process ends. A process
 * that is only stopped counts as alive. gs_timeline_abort() aborts it for all processes.
 *
 * \param[in]  timeline    live timeline with GS_TIMELINE_INTERPROCESS, made or opened by this process.
 * \param[out] out_handle  not NULL; the bytes. They may be sent to any number of processes, and are no reference.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_handle is NULL, or the timeline lacks GS_TIMELINE_INTERPROCESS),
 *         GS_ERROR_INVALID_HANDLE (timeline is not live), GS_ERROR_PEER_LOST (a process has ended that had it open),
 *         GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership out_handle is a copy; it owns nothing.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_ipc_export(gs_timeline_t timeline, gs_ipc_handle_t *out_handle);

/**
 * Opens a timeline that a process on the machine has exported.
 *
 * The processes need not use the same device, nor the same backend. A process that has the timeline open on the
 * device's backend gets that timeline, with another reference; so does the one that made it.
 *
 * \param[in]  device        the device in whose name the timeline's memory is registered; GS_DEVICE_CURRENT allowed.
 * \param[in]  handle        not NULL; the 64 bytes.
 * \param[out] out_timeline  not NULL; the timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, the bytes are not an exported timeline of this
 *         version, or GPUSTREAM_SHM_DIR is too long), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_INVALID_HANDLE (all processes have given the timeline up), GS_ERROR_PEER_LOST (the process that made
 *         it has ended, or another one that had it open), GS_ERROR_ABORTED or the status that gs_timeline_abort() was
 *         given, GS_ERROR_FULL (16 processes have it open), GS_ERROR_NOT_SUPPORTED (it comes from another pid
 *         namespace; the driver cannot register host memory, or the device has no stream memory operations of 64
 *         bits), GS_ERROR_SYSTEM (a file in GPUSTREAM_SHM_DIR cannot be opened); the start statuses; the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_timeline_destroy().
 * \backends cuda: creates the device's primary context if there is none.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_ipc_open(gs_device_t device, const gs_ipc_handle_t *handle, gs_timeline_t *out_timeline);

/**
 * Makes a timeline of a semaphore that another API has exported as a file descriptor.
 *
 * Streams of the device signal it and wait for it, gs_stream_signal_timeline() and gs_stream_wait_timeline(), and so
 * does the other API: a wait may come before the signal, on either side. Signals of this process happen in the order of
 * their values, which must also be the order of the calls. The library does not see what the other side signals: values
 * must be above those too, or the other API's rules are broken.
 *
 * The driver has no call with which a thread could look at such a semaphore: gs_timeline_value(), gs_timeline_signal()
 * and gs_timeline_synchronize() return GS_ERROR_NOT_SUPPORTED. Let a stream wait, and use gs_stream_synchronize_for().
 * gs_timeline_abort() makes later calls of this process fail. Neither it nor gs_timeline_destroy() releases streams
 * that wait, which only a signal can do. After the last gs_timeline_destroy() the semaphore is given back to the driver
 * once no stream uses it, by gs_trim() or by a call that makes a timeline of the device. Circles of waits are not
 * found.
 *
 * \param[in]  device        the device on which the other API has made it; GS_DEVICE_CURRENT allowed.
 * \param[in]  type          GS_FD_VULKAN_TIMELINE or GS_FD_D3D12_FENCE.
 * \param[in]  fd            the file descriptor.
 * \param[out] out_timeline  not NULL; the timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_timeline is NULL, type is unknown, fd is negative, or the driver
 *         cannot read the file descriptor as this type), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_NOT_SUPPORTED (the backend, its driver or the device has no such semaphores, or not of this type);
 *         the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_timeline_destroy(). After GS_OK the file descriptor is the driver's: it
 *            must not be used or closed. After a failure it is still the caller's.
 * \backends host: GS_ERROR_NOT_SUPPORTED. cuda: cuImportExternalSemaphore; creates the device's primary context if
 *           there is none. Signals and waits are cuSignalExternalSemaphoresAsync and cuWaitExternalSemaphoresAsync.
 * \since 0.2
 */
GS_API gs_status_t gs_timeline_from_fd(gs_device_t device, int32_t type, int32_t fd, gs_timeline_t *out_timeline);

/**
 * Writes a word of memory when a stream's work so far is done.
 *
 * For flags of the program's own, which other streams, devices or threads watch. Timelines are the safer tool: they
 * keep their order, can be aborted, and their circles are found.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \param[in] address  not NULL, a multiple of the word's width: memory from gs_malloc_host() or of a device.
 * \param[in] value    what is written; below 2^32 with GS_VALUE_32.
 * \param[in] flags    0, or GS_VALUE_32 and GS_VALUE_NO_BARRIER.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address is NULL or misaligned, value is too large, other flags, or the
 *         driver does not know the memory), GS_ERROR_INVALID_HANDLE (stream is not live), GS_ERROR_NOT_SUPPORTED (the
 *         device has no stream memory operations of that width); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the word stays the caller's and must live until the write is done.
 * \backends cuda: cuStreamWriteValue64 or cuStreamWriteValue32.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_write_value(gs_stream_t stream, void *address, uint64_t value, uint32_t flags);

/**
 * Makes a stream wait until a word of memory meets a condition.
 *
 * The library does not know what may write the word: a wait that is never met is not found, and keeps every
 * synchronization with the stream from returning.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \param[in] address  not NULL, a multiple of the word's width: memory from gs_malloc_host() or of a device.
 * \param[in] value    what the word is compared with; below 2^32 with GS_VALUE_32.
 * \param[in] flags    GS_VALUE_GEQ, _EQ, _AND or _NOR, with GS_VALUE_32 and GS_VALUE_FLUSH added if wanted.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address is NULL or misaligned, value is too large, other flags, or the
 *         driver does not know the memory), GS_ERROR_INVALID_HANDLE (stream is not live), GS_ERROR_NOT_SUPPORTED (the
 *         device has no stream memory operations of that width, or not this condition or flag); the start statuses; the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the word stays the caller's and must live until the wait is met.
 * \backends cuda: cuStreamWaitValue64 or cuStreamWaitValue32; host: stores of the program itself are seen within about
 *           a millisecond, writes of streams at once.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_wait_value(gs_stream_t stream, void *address, uint64_t value, uint32_t flags);

/**
 * Submits several writes and waits of words to a stream, in their order.
 *
 * The same as a gs_stream_write_value() or gs_stream_wait_value() for each, in one call of the driver.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] ops     [count] the operations; NULL is allowed if count is 0.
 * \param[in] count   how many, at most 255; 0 does nothing.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (ops is NULL, count is above 255, reserved is not 0, or an operation has
 *         an argument that gs_stream_write_value() or gs_stream_wait_value() refuses; then nothing is submitted),
 *         GS_ERROR_INVALID_HANDLE (stream is not live), GS_ERROR_NOT_SUPPORTED (the driver has no batches, or the
 *         device not such operations); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the words stay the caller's and must live until the last operation is done; ops is read during the call.
 * \backends cuda: cuStreamBatchMemOp. After a failure of the driver it is not known which operations were submitted;
 *           nor on the host backend, if memory runs out.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_batch_values(gs_stream_t stream, const gs_value_op_t *ops, size_t count);

/* ---- tokens -------------------------------------------------------------------------------- */

/**
 * Makes a token of a stream's present end: 128 bytes by which any process on the machine can wait for that point.
 *
 * The point is reached when the work submitted to the stream before the call is done. A copy of the bytes is as good as
 * the token. It names the device by its UUID, and an internal event that stands for this point only while the token is
 * leased. The lease lasts until the point is reached and either
 * - one process has waited (gs_token_wait(), or a gs_token_status() that saw the point reached), and each other one
 *   that saw it pending by gs_token_status() has waited or ended, or
 * - GPUSTREAM_TOKEN_LEASE_MS milliseconds (default 60000) have passed since the call.
 *
 * No call in progress loses its token. After the lease the event may be given to another token. The old one is then
 * refused with GS_ERROR_INVALID_HANDLE, by this and every other process: it never stands for another point. So make a
 * token for each process that is to wait. A process that has got one need not wait, or live: the lease ends all the
 * same. While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in]  stream     the stream; GS_STREAM_CURRENT allowed.
 * \param[out] out_token  not NULL; the token.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_token is NULL, or GPUSTREAM_SHM_DIR is too long),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device has no interprocess
 *         events or no UUID); the start statuses; the driver statuses, where GS_ERROR_OUT_OF_MEMORY also means that the
 *         shared memory is full, and GS_ERROR_SYSTEM that GPUSTREAM_SHM_DIR cannot be used; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the bytes own nothing: there is no call that ends a token. gs_trim() gives back what ended leases kept.
 * \backends same: an interprocess event for each token that is leased, and a file of 16 KiB in GPUSTREAM_SHM_DIR for
 *           123 of them, which only processes of the same user can open.
 * \since 0.2
 */
GS_API gs_status_t gs_token_create(gs_stream_t stream, gs_token_t *out_token);

/**
 * Makes a stream wait for the point that a token names.
 *
 * Work submitted to the stream later runs after that. The token may come from this process or another one; the stream
 * may belong to any device of the token's backend. A point that is known to be reached costs no driver call.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * If the other process ends before the point is reached, all calls with the token return GS_ERROR_PEER_LOST after 100
 * ms at most. A process that is stopped has not ended. Whether the point was reached is known if any process had asked;
 * if none had, the backend may not know either (cuda), and the token counts as lost.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] token   not NULL; the bytes of gs_token_create().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (token is NULL, or the bytes are not a token of this version),
 *         GS_ERROR_INVALID_HANDLE (stream is not live, or the lease has ended), GS_ERROR_DEVICE_MISMATCH (no device of
 *         this process has the token's UUID), GS_ERROR_NOT_SUPPORTED (the stream belongs to another backend, or the
 *         token comes from another pid namespace), GS_ERROR_FULL (64 other processes use tokens of the same file),
 *         GS_ERROR_PEER_LOST (its process has ended); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: a stream that already waits when the other process ends fails with GS_ERROR_PEER_LOST, and its later
 *           work never runs. cuda: the driver lets such a stream go on, so ask gs_token_status() before relying on what
 *           it computes.
 * \since 0.2
 */
GS_API gs_status_t gs_token_wait(gs_stream_t stream, const gs_token_t *token);

/**
 * Returns whether the point that a token names is reached.
 *
 * A process that gets GS_NOT_READY takes part in the lease until it waits, sees the point reached, or ends.
 *
 * \param[in]  token       not NULL; the bytes of gs_token_create().
 * \param[out] out_status  not NULL; GS_OK (reached: what was done before is visible to the caller), GS_NOT_READY, or
 *                         GS_ERROR_PEER_LOST (its process ended before, or its device failed).
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, or the bytes are not a token of this version),
 *         GS_ERROR_INVALID_HANDLE (the lease has ended), GS_ERROR_DEVICE_MISMATCH (no device of this process has the
 *         token's UUID), GS_ERROR_NOT_SUPPORTED (the token comes from another pid namespace), GS_ERROR_FULL (64 other
 *         processes use tokens of the same file); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_token_status(const gs_token_t *token, gs_status_t *out_status);

/* ---- work --------------------------------------------------------------------------------- */

/**
 * Allocates device memory in stream order, from the calling thread's current pool of the stream's device.
 *
 * Work submitted to the stream later may use the memory; other streams must first wait for an event recorded after the
 * call. Memory that was freed in the same stream shortly before is given out again without a driver call: see
 * gs_pool_malloc().
 *
 * \param[in]  bytes        size, at least 1.
 * \param[in]  stream       the stream; GS_STREAM_CURRENT allowed.
 * \param[out] out_pointer  not NULL; device address of the memory, uninitialised, aligned to at least 256 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is 0 or above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device does not support
 *         stream-ordered allocation), GS_ERROR_OUT_OF_MEMORY (also: the pool's limit would be exceeded); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller's, until gs_free_async() or gs_free_after().
 * \backends host: memory of the process, readable by host code as well.
 * \since 0.1
 */
GS_API gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer);

/**
 * Frees device memory in stream order.
 *
 * Work submitted to the stream before the call may still use the memory. The stream must wait for the use of it by
 * other streams first; gs_free_after() is for memory that several streams use. If native_function of gs_last_error()
 * names the driver's call that frees (cuMemFreeAsync, cuMemFree), the memory may have been freed in spite of the
 * failure: it must not be used or freed again. After any other failure it is still allocated.
 *
 * \param[in] pointer  from gs_malloc_async() or gs_pool_malloc() on the same device, or from the driver's own
 *                     stream-ordered allocation; NULL does nothing.
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is freed already, or not allocated as far as the backend can
 *         determine it), GS_ERROR_DEVICE_MISMATCH (the memory belongs to another device than the stream),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device does not support
 *         stream-ordered allocation); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller's ownership ends.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_free_async(void *pointer, gs_stream_t stream);

/**
 * Allocates host memory that devices can copy from and to asynchronously.
 *
 * On CUDA the memory is page-locked, which is a scarce resource, meant for long-lived buffers. It belongs to the
 * calling thread's current device, although all devices of the backend may use it: where that device is reset
 * (gs_device_reset(), or by other code), the memory ends, and its address must not be used any more.
 *
 * \param[in]  bytes        size, at least 1.
 * \param[out] out_pointer  not NULL; host address, uninitialised, aligned to at least 64 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is 0 or above PTRDIFF_MAX); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking while the driver maps the memory, which may wait for device work
 * \cost wait
 * \threadsafety any thread.
 * \ownership the caller's, until gs_free_host().
 * \backends host: ordinary memory, which no reset ends.
 * \since 0.1
 */
GS_API gs_status_t gs_malloc_host(size_t bytes, void **out_pointer);

/**
 * Frees memory allocated by gs_malloc_host().
 *
 * No work that uses the memory may be pending. In a forked child the call returns GS_OK and does nothing. Where the
 * memory has ended with the reset of its device, the call returns GS_OK without asking the driver. If the driver fails
 * to free the memory, it counts as freed: a second call returns GS_ERROR_INVALID_ARGUMENT.
 *
 * \param[in] pointer  from gs_malloc_host(); NULL does nothing.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is not from gs_malloc_host() or is already freed),
 *         GS_ERROR_NOT_PERMITTED (inside a host function); the driver statuses; the common statuses.
 * \blocking while the driver unmaps the memory, which may wait for device work
 * \cost wait
 * \threadsafety any thread.
 * \ownership the caller's ownership ends.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_free_host(void *pointer);

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
 * \threadsafety any thread.
 * \ownership both ranges stay the caller's.
 * \backends cuda: copies of pageable memory may be partly synchronous (CUDA, "API synchronization behavior").
 * \since 0.1
 */
GS_API gs_status_t gs_memcpy_async(void *dst, const void *src, size_t bytes, gs_stream_t stream);

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
 *         PTRDIFF_MAX), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the range stays the caller's.
 * \backends same.
 * \since 0.1
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
 * \threadsafety any thread.
 * \ownership the caller's, until gs_module_destroy(); the image is not needed after the call.
 * \backends cuda: creates the device's primary context if there is none; host: loading runs the object's initialisers.
 * \since 0.1
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
 * \threadsafety any thread; a concurrent launch finishes first or returns INVALID_HANDLE.
 * \ownership the caller's ownership ends; a failure of the driver goes to the log.
 * \backends host: pending launches still run; the shared object is closed after them.
 * \since 0.1
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership borrowed from the module: it ends with the module and is never destroyed separately.
 * \backends same.
 * \since 0.1
 */
GS_API gs_status_t gs_module_get_kernel(gs_module_t module, const char *name, gs_kernel_t *out_kernel);

/**
 * Submits a kernel to a stream.
 *
 * The kernel starts when all work submitted to the stream before is done.
 *
 * \param[in] kernel     live kernel, of the stream's device.
 * \param[in] config     not NULL; struct_size set by the caller. Blocks and threads are at least 1 along each axis.
 * \param[in] arguments  one pointer per kernel argument, to its value; NULL for a kernel without arguments.
 * \param[in] stream     the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (config is NULL, its struct_size or a dimension out of range, a later
 *         version's field set), GS_ERROR_INVALID_HANDLE (kernel or stream is not live), GS_ERROR_DEVICE_MISMATCH (they
 *         belong to different devices); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership arguments and values stay the caller's. cuda copies the values during the call, and so does host for a
 *            kernel that exports its argument sizes; otherwise they must stay alive on host until the kernel has run.
 * \backends host: a kernel is `void k(const gs_kernel_context_t *context, void **arguments)`, called once per block,
 *           with C linkage. If the shared object exports `const size_t k_argument_sizes[]` (the sizes of the arguments
 *           in bytes, then 0), argument values are copied at launch.
 * \since 0.1
 */
GS_API gs_status_t gs_kernel_launch(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments,
                                    gs_stream_t stream);

/* ---- memory ------------------------------------------------------------------------------- */

/**
 * Creates a pool: memory of its own, with a limit and statistics.
 *
 * Memory is allocated and freed in stream order. What is freed stays with the pool, which gives it out again to work
 * that comes later in the same stream, to streams that have waited for an event recorded after the free, and to all
 * once the work before the free is done. No stream is ever made to wait for memory of another one.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  options   may be NULL: no flags, no limit, everything is kept.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL, options has an invalid struct_size or an unknown
 *         flag), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the device or its driver has no
 *         pools, or none of page-locked memory for GS_POOL_HOST); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_pool_destroy().
 * \backends cuda: a cuMemPool_t. host: memory of the process.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_create(gs_device_t device, const gs_pool_options_t *options, gs_pool_t *out_pool);

/**
 * Returns the pool of a device that gs_malloc_async() uses unless the thread has another one current.
 *
 * It has no limit until gs_pool_set_limit(), and works on devices without pools, too.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership borrowed, and never ends: gs_pool_retain() and gs_pool_destroy() do nothing with it.
 * \backends cuda: the pool that cuMemAllocAsync uses, which other code may use as well: reserved_bytes has its memory,
 *           too. Unless other code has set its release threshold, the first allocation raises that to keep everything.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_default(gs_device_t device, gs_pool_t *out_pool);

/**
 * Adds a reference to a pool.
 *
 * Each reference needs a gs_pool_destroy().
 *
 * \param[in] pool  live pool.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_pool_destroy().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_retain(gs_pool_t pool);

/**
 * Releases a reference to a pool; the last one ends it.
 *
 * Memory that was allocated from it stays valid until it is freed; the driver's pool ends with the last of it. A thread
 * that has the pool current owns a reference of its own. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] pool  live pool that the caller owns a reference of.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread; a call on the pool that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_destroy(gs_pool_t pool);

/**
 * Allocates memory of a pool in stream order.
 *
 * As gs_malloc_async(), from this pool. A block that was freed in the same stream, with the same rounded size, is given
 * out again without a driver call if it is one of the 16 that were freed there last, 256 MiB together. If the pool has
 * to grow beyond what it ever had, the stream's go back first, unless all streams keep a 32nd of the pool or less. In a
 * stream that is being captured, in a per-thread stream and in one that the library does not own, every call goes to
 * the driver; in a capture the memory becomes the graph's.
 *
 * \param[in]  pool         live pool.
 * \param[in]  bytes        size, at least 1.
 * \param[in]  stream       a stream of the pool's device; GS_STREAM_CURRENT allowed.
 * \param[out] out_pointer  not NULL; address of the memory, uninitialised, aligned to at least 256 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is 0 or above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (pool is not a live pool, or stream not a live stream), GS_ERROR_DEVICE_MISMATCH (the
 *         stream is of another device), GS_ERROR_NOT_SUPPORTED (the device does not support stream-ordered allocation),
 *         GS_ERROR_OUT_OF_MEMORY (also: the pool's limit would be exceeded); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller's, until gs_free_async() or gs_free_after().
 * \backends host: memory of the process, readable by host code as well.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_malloc(gs_pool_t pool, size_t bytes, gs_stream_t stream, void **out_pointer);

/**
 * Returns freed memory of a pool to the driver, and from there to the system.
 *
 * First what the library keeps for streams, then what the driver has reserved beyond keep_bytes and no pending work may
 * still use. Of a stream that has nothing else to do the library's own frees are waited for, which takes microseconds;
 * streams that are busy keep their memory until a later call.
 *
 * \param[in] pool        live pool.
 * \param[in] keep_bytes  what the driver keeps reserved at least, bytes; 0: as little as possible.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_trim(gs_pool_t pool, uint64_t keep_bytes);

/**
 * Returns what a pool has and has had.
 *
 * The numbers belong together, but for those of the driver (reserved_bytes, reserved_peak_bytes), which are asked for
 * beside them, and only if struct_size has room for them: a caller whose struct ends before makes no driver call.
 * Memory that other code has freed with the driver's own call counts until its address is allocated again.
 *
 * \param[in]     pool       live pool.
 * \param[in,out] out_stats  not NULL; struct_size set; filled as far as that reaches.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stats is NULL or has an invalid struct_size),
 *         GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: reserved_bytes is what is allocated and cached.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_get_stats(gs_pool_t pool, gs_pool_stats_t *out_stats);

/**
 * Lowers the peaks of a pool's statistics to the present values.
 *
 * Of a default pool on CUDA, the driver's peak is lowered for other code as well.
 *
 * \param[in] pool  live pool.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_reset_peak(gs_pool_t pool);

/**
 * Limits what a pool takes from the driver.
 *
 * An allocation that would exceed the limit first gives back what the library keeps for streams, waits about a tenth of
 * a second at most if other threads are giving memory back, and then fails with GS_ERROR_OUT_OF_MEMORY. What is
 * allocated already is not affected.
 *
 * \param[in] pool   live pool.
 * \param[in] bytes  the most that is allocated and kept, bytes; 0: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_pool_set_limit(gs_pool_t pool, uint64_t bytes);

/**
 * Makes a pool the one that the calling thread's gs_malloc_async() uses on the pool's device.
 *
 * Memory that is allocated already is not affected. The current device and streams do not change.
 *
 * \param[in] pool  live pool; the default pool of its device to end it.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the call statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the thread owns a reference until it makes another pool of the device current, or ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_set_current_pool(gs_pool_t pool);

/**
 * Returns the pool that the calling thread's gs_malloc_async() uses on a device.
 *
 * The device's default pool, unless gs_set_current_pool() made another one current.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership borrowed until this thread next makes another pool of the device current; to keep it, use
 *            gs_pool_retain().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_current_pool(gs_device_t device, gs_pool_t *out_pool);

/**
 * Frees device memory once several streams have finished what they have been given so far.
 *
 * For memory that more than one stream uses. None of the streams waits: the memory is freed in a stream of the
 * library's own, one for each device, which waits for all of them. Frees of this kind take effect in the order of the
 * calls. After a failure the memory is still allocated, unless gs_free_async() describes it otherwise.
 *
 * \param[in] pointer  from gs_malloc_async() or gs_pool_malloc(); NULL does nothing.
 * \param[in] streams  [count] not NULL; live streams of the memory's backend; GS_STREAM_CURRENT allowed.
 * \param[in] count    number of streams, at least 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (streams is NULL, count is 0, or pointer is not allocated by the library
 *         or is freed already), GS_ERROR_INVALID_HANDLE (one of the streams is not a live stream),
 *         GS_ERROR_DEVICE_MISMATCH (one is of another backend than the memory), GS_ERROR_CAPTURING (one is being
 *         captured); the start statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the caller's ownership ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_free_after(void *pointer, const gs_stream_t *streams, size_t count);

/* ---- captures ----------------------------------------------------------------------------- */

/**
 * Begins to capture a stream: work put into it becomes nodes of a graph instead of being executed.
 *
 * The capture spreads to every stream that waits for an event recorded in it, and each of them must be waited for in
 * the same way by this stream before the end. What each function does in a capture, and what other threads may do
 * during it, is in docs/guide/graphs.md. The stream must not be destroyed before the capture has ended; if it is, the
 * capture is given up when the stream's place is needed again.
 *
 * \param[in] stream  live stream, not the default stream of a device; not GS_STREAM_CURRENT.
 * \param[in] mode    GS_CAPTURE_*.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (mode is none), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_NOT_SUPPORTED (it is the default stream, or the backend or driver cannot capture); the driver
 *         statuses, GS_ERROR_CAPTURING also if the stream takes part in a capture; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread; a capture of another mode than GS_CAPTURE_RELAXED must be ended by the thread that began
 *         it.
 * \ownership the capture lasts until gs_stream_end_capture() or gs_stream_abort_capture().
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety as gs_stream_begin_capture().
 * \ownership as gs_stream_begin_capture(); the capture keeps the graph.
 * \backends cuda: a driver for CUDA 12.3 or later.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_begin_capture_to(gs_stream_t stream, gs_graph_t graph, const gs_node_t *after,
                                              size_t count, int32_t mode);

/**
 * Ends a capture and returns its graph.
 *
 * If the capture was broken, or a stream that joined it was not joined back, the call returns GS_ERROR_CAPTURING; the
 * capture is over then, too, and there is no graph. If a call of gpustream broke it, the error's text names the call,
 * its thread and its stream. A call that is refused because it comes from the wrong stream or thread, or before the
 * capture into a body of the graph has ended, leaves the capture as it is.
 *
 * \param[in]  stream     the stream that began the capture; not GS_STREAM_CURRENT.
 * \param[out] out_graph  not NULL; the graph, or the one of gs_stream_begin_capture_to().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_graph is NULL), GS_ERROR_INVALID_HANDLE (stream is not live, or the
 *         graph around a body was destroyed), GS_ERROR_NOT_PERMITTED (the stream is not being captured); the driver
 *         statuses, GS_ERROR_CAPTURING also as said above; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety unless the mode is GS_CAPTURE_RELAXED, the thread that began the capture.
 * \ownership the caller owns one reference: gs_graph_destroy(). A body stays borrowed from the graph around it.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread, whatever the mode of the capture.
 * \ownership none.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership borrowed: the graph until the capture ends, and the streams.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership the nodes belong to the graph.
 * \backends same.
 * \since 0.2
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
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (nodes is NULL and count is not 0, or a node is none of the graph's),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_PERMITTED (the stream takes part in no
 *         capture, or in one that began outside gpustream), GS_ERROR_NOT_SUPPORTED (the driver cannot do this); the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_set_capture_nodes(gs_stream_t stream, const gs_node_t *nodes, size_t count, int32_t add);

/* ---- graphs ------------------------------------------------------------------------------- */

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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_graph_destroy().
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread; other code must not use the graph during a call on it.
 * \ownership the caller owns one reference: gs_graph_destroy(), which leaves the driver's graph to its owner. That
 *            must live as long.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread; a call on the graph that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_destroy(gs_graph_t graph);

/**
 * Returns the driver's graph.
 *
 * For other libraries (`cudaGraph_t`). They must not destroy it, and not use it during a call on the graph.
 *
 * \param[in]  graph       live graph.
 * \param[out] out_native  not NULL; the driver's graph.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph); the getter statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread, also in a host function.
 * \ownership borrowed: valid until the graph ends.
 * \backends same.
 * \since 0.2
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
 * \param[in] release  not NULL; must not throw. It may call gpustream, except the synchronizing calls.
 * \param[in] arg      passed to release; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (release is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph), GS_ERROR_NOT_SUPPORTED (the driver cannot), GS_ERROR_SYSTEM (the library's thread could not be
 *         started); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread; release runs on the library's dispatcher thread, never on one of the driver.
 * \ownership arg stays the caller's and must live until release has been called.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_keep(gs_graph_t graph, void (*release)(void *arg), void *arg);

/**
 * Makes a graph executable.
 *
 * The executable is a copy: later changes of the graph do not affect it, and it lives on when the graph is destroyed.
 *
 * \param[in]  graph     live graph that is neither a body nor being captured.
 * \param[in]  flags     GS_INSTANTIATE_* combined; 0 allowed.
 * \param[out] out_exec  not NULL; the executable.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown flags, out_exec is NULL, or the driver refuses the graph; the
 * text says why), GS_ERROR_INVALID_HANDLE (graph is not a live graph), GS_ERROR_NOT_PERMITTED (it is a body),
 * GS_ERROR_NOT_SUPPORTED (the driver cannot); the driver statuses, GS_ERROR_CAPTURING also if the graph is being
 * captured; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_graph_exec_destroy().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_instantiate(gs_graph_t graph, uint32_t flags, gs_graph_exec_t *out_exec);

/**
 * Submits the work of an executable to a stream.
 *
 * The work starts when all earlier work of the stream and the previous launch of this executable are done; branches
 * that do not depend on each other may overlap. The launch of a graph without nodes orders nothing: drivers leave it
 * out (seen with CUDA 13.0, driver 580.159), so that streams do not wait for each other through it. It cannot be
 * captured: gs_graph_add_graph() puts a graph into another.
 *
 * \param[in] exec    live executable, of the stream's device.
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec or stream is not live), GS_ERROR_DEVICE_MISMATCH (they belong to
 *         different devices), GS_ERROR_NOT_SUPPORTED (the driver cannot); the start statuses; the driver statuses,
 *         GS_ERROR_CAPTURING also if the stream is being captured; the call statuses.
 * \blocking no
 * \cost queue
 * \threadsafety any thread; launches of one executable by several threads take effect one after the other.
 * \ownership none.
 * \backends cuda: in a capture that other code began the driver refuses the launch and breaks that capture.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_launch(gs_graph_exec_t exec, gs_stream_t stream);

/**
 * Moves what an executable needs to its device, so that its first launch is as fast as the later ones.
 *
 * This happens in stream order.
 *
 * \param[in] exec    live executable, of the stream's device.
 * \param[in] stream  the stream, which is not being captured; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec or stream is not live), GS_ERROR_DEVICE_MISMATCH (they belong to
 *         different devices), GS_ERROR_NOT_SUPPORTED (the driver cannot); the start statuses; the driver statuses,
 *         GS_ERROR_CAPTURING also if the stream is being captured; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends host: does nothing.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_upload(gs_graph_exec_t exec, gs_stream_t stream);

/**
 * Adds a reference to an executable.
 *
 * Each reference needs a gs_graph_exec_destroy().
 *
 * \param[in] exec  live executable.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (exec is not a live executable); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread; a call on the executable that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_destroy(gs_graph_exec_t exec);

/**
 * Returns the driver's executable graph.
 *
 * For other libraries (`cudaGraphExec_t`). They must not destroy it, and not use it during a call on the executable.
 *
 * \param[in]  exec        live executable.
 * \param[out] out_native  not NULL; the driver's executable.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (exec is not a live
 *         executable); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership borrowed: valid until the executable ends.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_native(gs_graph_exec_t exec, uintptr_t *out_native);

/* ---- graph nodes -------------------------------------------------------------------------- */

/**
 * Adds a node that does nothing to a graph.
 *
 * It waits for the nodes of after, so that others can wait for all of them through one. This and the other functions
 * that add nodes may be used on a graph that a stream is being captured into; a node without predecessors then begins
 * with the graph, not with the capture.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the node belongs to the graph.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_empty(gs_graph_t graph, const gs_node_t *after, size_t count, gs_node_t *out_node);

/**
 * Adds a node that calls a function to a graph.
 *
 * At each launch the function runs once, on a thread of the backend, when the node's predecessors are done. It is bound
 * by the rules of gs_stream_launch_host(): calls on devices return GS_ERROR_NOT_PERMITTED in it, and it must not wait
 * for work of any stream.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  fn        not NULL; native code that does not throw.
 * \param[in]  arg       passed to fn; any value, also NULL.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, fn is NULL),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph), GS_ERROR_NOT_SUPPORTED (graph is a body of a conditional
 *         node, which cannot have such nodes); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership arg stays the caller's and must live until the graph, its executables and their launches have ended
 *            (gs_graph_keep()).
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_host(gs_graph_t graph, const gs_node_t *after, size_t count, void (*fn)(void *arg),
                                     void *arg, gs_node_t *out_node);

/**
 * Adds a node that runs a kernel to a graph.
 *
 * The geometry and the values of the arguments are those of the call. The module of the kernel stays loaded until the
 * graph, its executables and their launches have ended, also if gs_module_destroy() is called before.
 *
 * \param[in]  graph      live graph.
 * \param[in]  after      [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count      number of nodes in after, each at most once.
 * \param[in]  kernel     live kernel, of the graph's device.
 * \param[in]  config     not NULL; struct_size set by the caller. Blocks and threads are at least 1 along each axis.
 * \param[in]  arguments  one pointer per kernel argument, to its value; NULL for a kernel without arguments.
 * \param[out] out_node   not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, config is NULL,
 *         its struct_size or a dimension is out of range, a later version's field is set), GS_ERROR_INVALID_HANDLE
 *         (graph is not a live graph, kernel is not live), GS_ERROR_DEVICE_MISMATCH (kernel belongs to another device);
 *         the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership arguments and values stay the caller's. cuda copies the values during the call, and so does host for a
 *            kernel that exports its argument sizes; otherwise they must live as long as the graph on host.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_kernel(gs_graph_t graph, const gs_node_t *after, size_t count, gs_kernel_t kernel,
                                       const gs_launch_config_t *config, void **arguments, gs_node_t *out_node);

/**
 * Adds a node that copies memory to a graph.
 *
 * At each launch the bytes that src holds then are copied. Both sides may be host or device memory, in any combination;
 * the ranges must not overlap.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  dst       [bytes] destination, not NULL.
 * \param[in]  src       [bytes] source, not NULL.
 * \param[in]  bytes     size, at least 1.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, dst or src is
 *         NULL, bytes is 0 or above PTRDIFF_MAX), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership both ranges stay the caller's and must live until the graph, its executables and their launches have ended
 *            (gs_graph_keep()).
 * \backends cuda: in a body of a conditional node only device memory and memory of gs_malloc_host() can be copied.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_memcpy(gs_graph_t graph, const gs_node_t *after, size_t count, void *dst,
                                       const void *src, size_t bytes, gs_node_t *out_node);

/**
 * Adds a node that fills memory with a byte to a graph.
 *
 * At each launch the range is filled when the node's predecessors are done.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  dst       [bytes] device memory, or memory from gs_malloc_host(); not NULL.
 * \param[in]  value     the byte, 0 to 255.
 * \param[in]  bytes     size, at least 1.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, dst is NULL, value
 *         is out of range, bytes is 0 or above PTRDIFF_MAX), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the
 *         driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the range stays the caller's and must live until the graph, its executables and their launches have ended
 *            (gs_graph_keep()).
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_memset(gs_graph_t graph, const gs_node_t *after, size_t count, void *dst, int32_t value,
                                       size_t bytes, gs_node_t *out_node);

/**
 * Adds a node that records an event to a graph.
 *
 * At each launch the event is recorded when the node's predecessors are done; streams may wait for it after the launch
 * was submitted. An event that was never recorded is bound to the graph's device. Records and waits of the event are no
 * longer skipped from then on, because the library does not see when a launch records it.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  event     live event, unbound or of the graph's device.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph, event is not live), GS_ERROR_DEVICE_MISMATCH (event
 *         belongs to another device), GS_ERROR_NOT_SUPPORTED (graph is a body of a conditional node, which cannot have
 *         such nodes); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the graph and its executables retain the event.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_record(gs_graph_t graph, const gs_node_t *after, size_t count, gs_event_t event,
                                       gs_node_t *out_node);

/**
 * Adds a node that waits for an event to a graph.
 *
 * At each launch the node waits for the record that the event has when the launch is submitted, and is done at once if
 * the event was never recorded then. An event that was never recorded is bound to the graph's device by the call. Waits
 * of the event are no longer skipped from then on.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  event     live event, of any device of the graph's backend.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice),
 *         GS_ERROR_INVALID_HANDLE (graph is not a live graph, event is not live), GS_ERROR_DEVICE_MISMATCH (event
 *         belongs to another backend), GS_ERROR_NOT_SUPPORTED (graph is a body of a conditional node, which cannot have
 *         such nodes); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the graph and its executables retain the event.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_wait(gs_graph_t graph, const gs_node_t *after, size_t count, gs_event_t event,
                                     gs_node_t *out_node);

/**
 * Adds a node that runs another graph to a graph.
 *
 * The node holds a copy of child as it is now: what is added to child later is not part of it.
 *
 * \param[in]  graph     live graph.
 * \param[in]  after     [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count     number of nodes in after, each at most once.
 * \param[in]  child     live graph of the same device, other than graph.
 * \param[out] out_node  not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, child is graph
 *         itself), GS_ERROR_INVALID_HANDLE (graph is not a live graph, child is not a live graph),
 *         GS_ERROR_DEVICE_MISMATCH (child belongs to another device), GS_ERROR_NOT_SUPPORTED (child has conditional
 *         nodes, or nodes that allocate or free memory, or a kind of node that graph, as a body, cannot have),
 *         GS_ERROR_NOT_PERMITTED (also: child is a body of a conditional node, or is being captured into); the driver
 *         statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership child stays the caller's and may be destroyed right after. The graph keeps alive what child refers to.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_graph(gs_graph_t graph, const gs_node_t *after, size_t count, gs_graph_t child,
                                      gs_node_t *out_node);

/**
 * Adds a node that runs body graphs as a condition says to a graph.
 *
 * Each launch begins with the condition at initial; nodes made by gs_graph_set_condition() change it. The bodies are
 * empty graphs to which nodes are added as to any other, before or after the node is part of an executable's graph;
 * streams can be captured into them. They may have nodes of the kinds kernel, memcpy, memset, empty, graph, condition
 * and set condition, all of the graph's device.
 *
 * A body is borrowed and ends with the graph. gs_graph_destroy() and gs_graph_instantiate() return
 * GS_ERROR_NOT_PERMITTED for it, and it cannot be a child graph.
 *
 * \param[in]  graph       live graph.
 * \param[in]  after       [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count       number of nodes in after, each at most once.
 * \param[in]  kind        GS_CONDITION_IF, GS_CONDITION_WHILE or GS_CONDITION_SWITCH.
 * \param[in]  initial     the condition when a launch begins.
 * \param[out] out_node    not NULL; the node; may point to an element of after.
 * \param[out] out_bodies  [bodies] not NULL; the body graphs: for IF the one for a condition other than 0, then the one
 *                         for 0.
 * \param[in]  bodies      how many: 1 or 2 for IF, 1 for WHILE, 1 to 1024 for SWITCH.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, kind is unknown,
 *         out_bodies is NULL, or bodies is not a number for this kind), GS_ERROR_INVALID_HANDLE (graph is not a live
 *         graph), GS_ERROR_NOT_SUPPORTED (the driver is older than this kind of condition: CUDA 12.4 for IF and WHILE,
 *         12.8 for SWITCH and for two bodies); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the bodies are borrowed from graph.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_add_condition(gs_graph_t graph, const gs_node_t *after, size_t count, int32_t kind,
                                          uint32_t initial, gs_node_t *out_node, gs_graph_t *out_bodies, size_t bodies);

/**
 * Adds a node that sets a condition from a word in memory.
 *
 * At each run of the node the condition becomes the 32-bit word at address. In the graph that has the conditional node
 * the new node becomes its predecessor, so the word decides whether its bodies run. In a body of a WHILE, also of one
 * further out, it decides whether there is another round. Two nodes that may run at the same time must not set the same
 * condition: then the result is undefined.
 *
 * \param[in]  graph      live graph: the one that has the conditional node, or a body inside that node.
 * \param[in]  after      [count] nodes of graph that come before this one; NULL only if count is 0.
 * \param[in]  count      number of nodes in after, each at most once.
 * \param[in]  owner      the graph that has the conditional node; graph itself, or one further out.
 * \param[in]  condition  conditional node of owner.
 * \param[in]  address    device memory, or memory from gs_malloc_host(), of 4 bytes, aligned to 4; not NULL.
 * \param[out] out_node   not NULL; the node; may point to an element of after.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_node is NULL, after is NULL while count is not 0, count is larger
 *         than the number of nodes in any graph, a node of after is not one of graph or named twice, address is NULL or
 *         not aligned, condition is no conditional node of owner, graph is not owner or a body in condition, or
 *         condition comes before a node of after), GS_ERROR_INVALID_HANDLE (graph is not a live graph, owner is not a
 *         live graph), GS_ERROR_NOT_SUPPORTED (the driver cannot load the kernel); the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the word stays the caller's and must live until the graph, its executables and their launches have ended
 *            (gs_graph_keep()).
 * \backends cuda: a kernel of one thread that comes with the library, loaded at first use.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_set_condition(gs_graph_t graph, const gs_node_t *after, size_t count, gs_graph_t owner,
                                          gs_node_t condition, const void *address, gs_node_t *out_node);

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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns the copy: gs_graph_destroy(). What gs_graph_keep() ties to graph lives as long as the
 *            copy, too.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_node_info(gs_graph_t graph, gs_node_t node, gs_node_info_t *out_info);

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
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership borrowed: it ends with the graph.
 * \backends host: a number that is not 0 and unique in the process.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_node_native(gs_graph_t graph, gs_node_t node, uintptr_t *out_native);

/**
 * Describes a graph as text in the language of Graphviz.
 *
 * Nodes carry their kind and what they work on; child graphs and bodies are boxes inside. The text comes in pieces, in
 * order. If write returns another status than GS_OK, the call ends with that status and write is not called again.
 *
 * \param[in] graph  live graph.
 * \param[in] write  not NULL; called on this thread with a piece of text that is not NUL-terminated, with no lock held.
 * \param[in] arg    passed to write; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (write is NULL), GS_ERROR_INVALID_HANDLE (graph is not a live graph),
 *         any status that write returned; the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_write_dot(gs_graph_t graph, gs_status_t (*write)(void *arg, const char *text, size_t bytes),
                                      void *arg);

/**
 * Makes an executable graph run what another graph of the same shape says.
 *
 * graph must have the nodes and dependencies of the graph that the executable was made from, in the same order, also
 * the predecessors of each node, with other parameters if wanted. Where it has not, the call returns GS_OK, out_result
 * says why and names the node, and the executable is unchanged: make a new one then. Launches already submitted keep
 * the old parameters.
 *
 * \param[in]     exec        live executable graph.
 * \param[in]     graph       live graph, of the executable's device.
 * \param[in,out] out_result  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_result is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_HANDLE (exec is not a live executable, or graph is not a live graph),
 *         GS_ERROR_DEVICE_MISMATCH (they belong to different devices), GS_ERROR_NOT_PERMITTED (also: graph is a body of
 *         a conditional node); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership graph stays the caller's. The executable keeps alive what graph refers to, no longer what it referred to
 *            before.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_update(gs_graph_exec_t exec, gs_graph_t graph, gs_graph_update_t *out_result);

/**
 * Changes what a kernel node of an executable graph runs.
 *
 * The node runs this kernel with these arguments from the next launch on. Launches already submitted, and the graph
 * itself, keep what they have.
 *
 * \param[in] exec       live executable graph.
 * \param[in] node       kernel node of the graph that the executable was made from; that graph must be live.
 * \param[in] kernel     live kernel, of the executable's device.
 * \param[in] config     not NULL; struct_size set by the caller. Blocks and threads are at least 1 along each axis.
 * \param[in] arguments  one pointer per kernel argument, to its value; NULL for a kernel without arguments.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or was added after
 *         the executable was made, config is NULL, its struct_size or a dimension is out of range, a later version's
 *         field is set), GS_ERROR_INVALID_HANDLE (exec is not a live executable, kernel is not live, or the graph that
 *         it was made from was destroyed), GS_ERROR_DEVICE_MISMATCH (kernel belongs to another device),
 *         GS_ERROR_NOT_SUPPORTED (the driver cannot change the kernel of the node); the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership as in gs_graph_add_kernel(); executable and graph keep the module loaded.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_kernel(gs_graph_exec_t exec, gs_node_t node, gs_kernel_t kernel,
                                            const gs_launch_config_t *config, void **arguments);

/**
 * Changes what a copy node of an executable graph copies.
 *
 * The node copies this from the next launch on. Launches already submitted, and the graph itself, keep what they have.
 *
 * \param[in] exec   live executable graph.
 * \param[in] node   memcpy node of the graph that the executable was made from; that graph must be live.
 * \param[in] dst    [bytes] destination, not NULL.
 * \param[in] src    [bytes] source, not NULL.
 * \param[in] bytes  size, at least 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or was added after
 *         the executable was made, dst or src is NULL, bytes is 0 or above PTRDIFF_MAX, or the kind of memory changes
 *         where the driver does not allow it), GS_ERROR_INVALID_HANDLE (exec is not a live executable, or the graph
 *         that it was made from was destroyed); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership both ranges stay the caller's and must live until the executable and its launches have ended.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_memcpy(gs_graph_exec_t exec, gs_node_t node, void *dst, const void *src,
                                            size_t bytes);

/**
 * Changes what a fill node of an executable graph fills.
 *
 * The node fills this from the next launch on. Launches already submitted, and the graph itself, keep what they have.
 *
 * \param[in] exec   live executable graph.
 * \param[in] node   memset node of the graph that the executable was made from; that graph must be live.
 * \param[in] dst    [bytes] device memory, or memory from gs_malloc_host(); not NULL.
 * \param[in] value  the byte, 0 to 255.
 * \param[in] bytes  size, at least 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or was added after
 *         the executable was made, dst is NULL, value is out of range, bytes is 0 or above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (exec is not a live executable, or the graph that it was made from was destroyed);
 *         the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the range stays the caller's and must live until the executable and its launches have ended.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_memset(gs_graph_exec_t exec, gs_node_t node, void *dst, int32_t value,
                                            size_t bytes);

/**
 * Changes which function a host node of an executable graph calls.
 *
 * The node calls this function from the next launch on. Launches already submitted, and the graph itself, keep what
 * they have.
 *
 * \param[in] exec  live executable graph.
 * \param[in] node  host node of the graph that the executable was made from; that graph must be live.
 * \param[in] fn    not NULL; native code that does not throw.
 * \param[in] arg   passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or newer than the
 *         executable; fn is NULL), GS_ERROR_INVALID_HANDLE (exec is not a live executable, or its graph was destroyed),
 *         GS_ERROR_NOT_SUPPORTED (other code added the node in a capture, or the executable's last update failed in the
 *         driver); the driver statuses; the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership arg stays the caller's and must live until the executable and its launches have ended.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_host(gs_graph_exec_t exec, gs_node_t node, void (*fn)(void *arg), void *arg);

/**
 * Changes which event a record node of an executable graph records.
 *
 * The node records this event from the next launch on. Launches already submitted, and the graph itself, keep what they
 * have.
 *
 * \param[in] exec   live executable graph.
 * \param[in] node   record node of the graph that the executable was made from; that graph must be live.
 * \param[in] event  live event, unbound or of the executable's device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or newer than the
 *         executable), GS_ERROR_INVALID_HANDLE (exec is not a live executable, event is not live, or exec's graph was
 *         destroyed), GS_ERROR_DEVICE_MISMATCH (event belongs to another device), GS_ERROR_NOT_SUPPORTED (other code
 *         added the node in a capture, or the executable's last update failed in the driver); the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the executable retains the event, and so does the graph that it was made from or last updated by.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_record(gs_graph_exec_t exec, gs_node_t node, gs_event_t event);

/**
 * Changes which event a wait node of an executable graph waits for.
 *
 * The node waits for this event from the next launch on. Launches already submitted, and the graph itself, keep what
 * they have.
 *
 * \param[in] exec   live executable graph.
 * \param[in] node   wait node of the graph that the executable was made from; that graph must be live.
 * \param[in] event  live event, of any device of the executable's backend.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of the graph, is of another kind, or newer than the
 *         executable), GS_ERROR_INVALID_HANDLE (exec is not a live executable, event is not live, or exec's graph was
 *         destroyed), GS_ERROR_DEVICE_MISMATCH (event belongs to another backend), GS_ERROR_NOT_SUPPORTED (other code
 *         added the node in a capture, or the executable's last update failed in the driver); the driver statuses; the
 *         call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the executable retains the event, and so does the graph that it was made from or last updated by.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_set_wait(gs_graph_exec_t exec, gs_node_t node, gs_event_t event);

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
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_exec_enable_node(gs_graph_exec_t exec, gs_node_t node, int32_t enabled);

/* ---- random state ------------------------------------------------------------------------- */

/**
 * Seeds the random state of a device and sets its offset to 0.
 *
 * Each device has one state, a key and an offset, as PyTorch's CUDA generator has. It begins with PyTorch's default
 * seed, 67280421310721, at offset 0. The library draws no numbers: kernels do, with include/gpustream_philox.h, cuRAND
 * or a generator of their own, from where gs_rng_reserve() tells them.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \param[in] seed    the key, any value.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; takes effect for reservations and launches of graphs that are made later.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_rng_seed(gs_device_t device, uint64_t seed);

/**
 * Returns the random state of a device.
 *
 * PyTorch packs the same two numbers, in this order and little-endian, into the 16 bytes of torch.cuda.get_rng_state().
 *
 * \param[in] device       the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_seed    not NULL; the key.
 * \param[out] out_offset  not NULL; the position of the next reservation, in numbers of 32 bits.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; both numbers are of one moment.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_rng_get_state(gs_device_t device, uint64_t *out_seed, uint64_t *out_offset);

/**
 * Sets the random state of a device.
 *
 * The next reservation begins there, and so does the next launch of a graph that draws random numbers.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \param[in] seed    the key, any value.
 * \param[in] offset  the position of the next reservation in numbers of 32 bits, a multiple of 4.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (offset is not a multiple of 4: nothing changes),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; takes effect for reservations and launches of graphs that are made later.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_rng_set_state(gs_device_t device, uint64_t seed, uint64_t offset);

/**
 * Reserves random numbers for a kernel that is about to be enqueued in a stream.
 *
 * Each of the kernel's threads may draw count numbers of 32 bits from a sequence of its own: Philox 4x32-10 with the
 * seed as key, the number of the sequence (usually that of the thread) as the upper 64 bits of the counter, and numbers
 * offset to offset + count - 1 of it. The arguments of curand_init() are seed, sequence and offset. The offset of the
 * device advances by count, rounded up to a multiple of 4, and never returns to a reserved number but by
 * gs_rng_seed(), gs_rng_set_state() or after 2^64 numbers.
 *
 * While a capture that began through the library is in progress in the stream, the graph reserves instead: nothing is
 * taken from the device now, and each launch of an executable of the graph by gs_graph_exec_launch() takes what all
 * reservations of the capture add up to, and writes seed and offset to the two addresses before its kernels run. Such
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
 * \blocking no
 * \cost queue
 * \threadsafety any thread; reservations never overlap.
 * \ownership the words at the addresses are the library's, and live as long as the graph and its executables.
 * \backends cuda: the words are host memory that the device reads over its bus.
 * \since 0.2
 */
GS_API gs_status_t gs_rng_reserve(gs_stream_t stream, uint64_t count, gs_philox_t *out_philox);

/* ---- partitions --------------------------------------------------------------------------- */

/**
 * Divides multiprocessors of a device into partitions that have none in common.
 *
 * Work in a stream of a partition (gs_stream_create_in()) runs on the partition's multiprocessors only. Each number is
 * rounded up to a multiple of the device's unit, and gs_partition_info() returns the true one. Either all partitions
 * are created or none. Multiprocessors that no partition gets, and those of partitions, still serve all other streams
 * of the device. Partitions of separate calls may have multiprocessors in common.
 *
 * \param[in]  device          the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  counts          [count] not NULL; multiprocessors of each partition, at least 1.
 * \param[in]  count           number of partitions, 1 to 1024.
 * \param[in]  flags           0 or GS_PARTITION_* combined.
 * \param[out] out_partitions  [count] not NULL; the partitions, in the order of counts; NULL in all after a failure.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (counts or out_partitions is NULL; count is 0 or above 1024; a number is
 *         0; together they do not fit, and the text says what would; GS_PARTITION_EXACT, and one is no multiple of the
 *         unit; unknown flags), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the driver is older
 *         than CUDA 12.5, or has no partitions of this device); the start statuses; the driver statuses; the call
 *         statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership the caller owns each of them: gs_partition_destroy().
 * \backends cuda: green contexts. That two partitions run at the same time is not guaranteed, as they share queues and
 *           memory. host: streams of a partition use at most that many worker threads (GPUSTREAM_HOST_WORKERS) at the
 *           same time; the unit is 1. Nodes that a graph runs beside others are not limited.
 * \since 0.2
 */
GS_API gs_status_t gs_partition_create(gs_device_t device, const uint32_t *counts, size_t count, uint32_t flags,
                                       gs_partition_t *out_partitions);

/**
 * Ends a partition, and the driver streams that it keeps for gs_stream_create_in().
 *
 * Its streams work on, and the driver's resources are released when the last of them has ended. In a forked child the
 * call returns GS_OK and does nothing.
 *
 * \param[in] partition  live partition.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (partition is not a live partition), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread; a gs_stream_create_in() that is in progress finishes first.
 * \ownership the caller's ownership ends; a failure of the driver goes to the log.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_partition_destroy(gs_partition_t partition);

/**
 * Returns what a partition has.
 *
 * The numbers are those of its creation, but for the streams, which are counted at the time of the call.
 *
 * \param[in]     partition  live partition.
 * \param[in,out] out_info   not NULL; struct_size set; filled.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL or has an invalid struct_size),
 *         GS_ERROR_INVALID_HANDLE (partition is not a live partition); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_partition_info(gs_partition_t partition, gs_partition_summary_t *out_info);

/**
 * Creates a stream whose work runs on the multiprocessors of a partition.
 *
 * It has a driver stream of its own, and is in every other respect a stream of the device. It never waits for the
 * default stream. The partition keeps the driver streams of those that have been destroyed, and reuses them when they
 * are idle, as gs_stream_create() does for the device, until gs_partition_destroy() or gs_trim().
 *
 * \param[in]  partition   live partition.
 * \param[in]  priority    lower is higher; a value out of range is clamped, gs_stream_priority() returns the effective
 *                         value.
 * \param[in]  flags       0, or GS_STREAM_DEDICATED: the driver stream is made now and destroyed with the stream.
 * \param[out] out_stream  not NULL; the new stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL, or other flags), GS_ERROR_INVALID_HANDLE (partition
 *         is not a live partition); the driver statuses; the call statuses.
 * \blocking while the driver makes a new stream, which may wait for device work; no when the partition has one
 * \cost wait
 * \threadsafety any thread.
 * \ownership the caller owns one reference: gs_stream_destroy(). The stream keeps the partition's resources.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_create_in(gs_partition_t partition, int32_t priority, uint32_t flags,
                                       gs_stream_t *out_stream);

/* ---- seeing and checking ------------------------------------------------------------------ */

/**
 * Sets the name of a stream, which error texts and the ordering checker's reports show.
 *
 * A name belongs to the stream, not to the handle's owner: the last one that was set holds. Names need not be unique.
 * The default and the per-thread streams can have names too. A tool of NVTX (see gs_range_push()) gets the names of
 * CUDA's streams, but for the default ones, and of events, at the first record if they are named before it.
 *
 * \param[in] stream  live stream; GS_STREAM_CURRENT is not one.
 * \param[in] name    NUL-terminated text, of which the first 63 bytes are copied, cut between characters; bytes that
 *                    are not UTF-8 and control characters become '?'. NULL or "": no name.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_stream_set_name(gs_stream_t stream, const char *name);

/**
 * Sets the name of an event, which error texts and the ordering checker's reports show.
 *
 * The same rules hold as for gs_stream_set_name().
 *
 * \param[in] event  live event.
 * \param[in] name   the name, as for gs_stream_set_name(); NULL or "": no name.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_event_set_name(gs_event_t event, const char *name);

/**
 * Sets the name of a graph, and of the executables that are made from it later.
 *
 * The same rules hold as for gs_stream_set_name(). An executable keeps the name that the graph has when it is
 * instantiated, also once the graph has ended or was renamed: error texts, dumps, the log and traces name its launches
 * so, and a tool of NVTX gets a range with that name around each launch, on its thread. Clones do not inherit the name.
 *
 * \param[in] graph  live graph.
 * \param[in] name   the name, as for gs_stream_set_name(); NULL or "": no name.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (graph is not a live graph); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_set_name(gs_graph_t graph, const char *name);

/**
 * Sets the name of memory that a pool has allocated, which the report of what is left at exit shows.
 *
 * The same rules hold as for gs_stream_set_name(). The name belongs to this allocation and ends with its free: the next
 * allocation of the same memory has none. Memory of captures and of gs_malloc_host() has none.
 *
 * \param[in] pointer  not NULL; the address that gs_malloc_async() or gs_pool_malloc() has returned.
 * \param[in] name     the name, as for gs_stream_set_name(); NULL or "": no name.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is NULL, or no live memory of a pool begins there);
 *         the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_memory_set_name(const void *pointer, const char *name);

/**
 * Begins a range of the calling thread, which ends with gs_range_pop().
 *
 * Ranges say which part of a program a time belongs to. They may be nested: each thread has a stack of them. A range
 * goes to the log (GPUSTREAM_LOG, see gs_dump()), to a trace (gs_trace_start()) and to a tool that NVTX would load,
 * each if it is there; else the call only counts. NVTX's tools, such as Nsight Systems, are libraries that the
 * environment variable NVTX_INJECTION64_PATH names. The first call that has something to tell loads it and calls its
 * function InitializeInjectionNvtx2; if that fails, a warning is logged and there is no tool. The variable is ignored
 * in a process with raised privileges.
 *
 * \param[in] name  not NULL; NUL-terminated text of any length. The tool gets it as it is. The log keeps the first 63
 *                  bytes, cut between characters, in which bytes that are not UTF-8 and control characters become '?',
 *                  and tells 4095 names of ranges and marks apart; later ones all have the name "...".
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (name is NULL), GS_ERROR_FULL (256 ranges of the thread are open:
 *         nothing was begun); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; concerns the calling thread only.
 * \ownership name is not used after the call.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_range_push(const char *name);

/**
 * Ends the innermost range of the calling thread.
 *
 * A thread's ranges that are still open when it ends are dropped.
 *
 * \return GS_OK, or: GS_ERROR_SCOPE (no range of this thread is open: nothing happens); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; concerns the calling thread only.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_range_pop(void);

/**
 * Begins a range that any thread may end, with gs_range_end().
 *
 * Such ranges need not be nested. The same rules hold as for gs_range_push().
 *
 * \param[in] name        not NULL; as for gs_range_push().
 * \param[out] out_range  not NULL; the range's number, never 0, which no later range gets.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL), GS_ERROR_FULL (1024 such ranges of the process are
 *         open: nothing was begun); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership name is not used after the call.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_range_start(const char *name, uint64_t *out_range);

/**
 * Ends a range that gs_range_start() has begun.
 *
 * The calling thread need not be the one that began it.
 *
 * \param[in] range  its number.
 * \return GS_OK, or: GS_ERROR_SCOPE (no range with this number is open: nothing happens); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_range_end(uint64_t range);

/**
 * Marks a moment of the calling thread.
 *
 * The mark goes where ranges go: see gs_range_push().
 *
 * \param[in] text  not NULL; what happens, as the name of gs_range_push().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (text is NULL); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership text is not used after the call.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_mark(const char *text);

/**
 * Starts a trace: from now on the library keeps what the process does, for gs_trace_write().
 *
 * A trace has the ranges and marks of threads, the records, waits, signals, launches, copies, fills, allocations and
 * frees that were submitted to streams through the library, and which of them orders which. Host times are those of the
 * calls, by CLOCK_MONOTONIC. With GS_TRACE_DEVICE_TIMES each range of gs_range_push() is also timed on the device: in
 * the stream that is current when the range begins, from there to the range's end, by two events of the library. A
 * range is not timed there in a host function, in a stream that is captured, or if one of the two records fails.
 *
 * Each thread keeps its last operations in a ring of fixed size, 48 bytes each, which it has until the process ends.
 * What does not fit is dropped, oldest first, and counted in the trace. The log (GPUSTREAM_LOG) is a part of the same
 * ring and keeps at least as much while a trace runs. What the trace before had kept is forgotten.
 *
 * \param[in] options  struct_size set; NULL: no flags, and 16384 operations of each thread.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (struct_size is wrong, unknown flags, or operations is above 1048576),
 *         GS_ERROR_NOT_PERMITTED (a trace is running: it goes on as it was); the start statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 * \ownership options is not used after the call.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_trace_start(const gs_trace_options_t *options);

/**
 * Stops the trace, which can still be written.
 *
 * It does nothing if no trace is running. Ranges that are open end in the trace at this moment.
 *
 * \return GS_OK, or: the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_trace_stop(void);

/**
 * Starts a trace as gs_trace_start() does, and returns its number, by which gs_trace_end() ends it and no other one.
 *
 * It is for code that does not own the process: what else traces there may have stopped this trace and started another.
 *
 * \param[in]  options    struct_size set, or NULL: as for gs_trace_start().
 * \param[out] out_trace  not NULL; the trace's number, never 0, which no later trace of the process gets.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_trace is NULL, struct_size is wrong, unknown flags, or operations
 *         is above 1048576), GS_ERROR_NOT_PERMITTED (a trace is running: it goes on as it was); the start statuses; the
 *         call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 * \ownership options is not used after the call. The trace runs until gs_trace_end() or gs_trace_stop().
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_trace_begin(const gs_trace_options_t *options, uint64_t *out_trace);

/**
 * Ends the trace that has this number, as gs_trace_stop() does.
 *
 * The calling thread need not be the one that began it.
 *
 * \param[in] trace  its number.
 * \return GS_OK, or: GS_ERROR_SCOPE (no trace with this number is running: nothing happens); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_trace_end(uint64_t trace);

/**
 * Writes the trace as text: JSON in the form that Chrome, Perfetto and PyTorch's profiler share.
 *
 * Times are in microseconds. A process of the trace is a device, named by its number, and a thread in it is a stream;
 * the host's threads are in the process's own number. A wait has the category "cuda_sync" and the arguments
 * "wait_on_stream" and "wait_on_cuda_event_record_corr_id", as PyTorch's traces have them, and an arrow leads to it
 * from the very record that it waits for. "gpustream" at the top says what was dropped. A running trace goes on; what
 * it has so far is written, and may be written again.
 *
 * \param[in] write  not NULL; receives the text piece by piece, in order, with no lock held. Whatever it returns but
 *                   GS_OK ends the call, which returns the same.
 * \param[in] arg    passed to write; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (write is NULL), GS_ERROR_NOT_RECORDED (no trace was ever started),
 *         GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync()), or what write has returned; the call statuses.
 * \blocking only with GS_TRACE_DEVICE_TIMES: then it compares the clocks of the devices that ranges were timed on with
 *           the host's, in a stream of its own. Ranges whose work is not done yet are left out and counted.
 * \cost wait
 * \threadsafety any thread; what other threads do while it runs may be in the text or not.
 * \ownership text is valid only during the call of write, is not NUL-terminated and has at least one byte.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_trace_write(gs_status_t (*write)(void *arg, const char *text, size_t bytes), void *arg);

/**
 * Sets the function that hears of each operation when it has been submitted, for tools.
 *
 * There is one function per process. It runs on the thread that made the call, inside the call, once that has succeeded
 * and with no lock held; before the call for GS_TRACED_HOST_FUNCTION and GS_TRACED_FREE. It may make only calls that
 * are allowed in a host function, and does not hear of what it calls itself. No trace need be running.
 *
 * \param[in] fn   the function, or NULL for none. kind is one of GS_TRACED_*, which say what stream, object and value
 *                 are; the handles are numbers, and 0 where there is none. text is that of a range or mark, as a trace
 *                 keeps it, else NULL.
 * \param[in] arg  passed to fn; any value, also NULL.
 * \return GS_OK, or: the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text lives as long as the process; arg stays the caller's and must live while fn is set.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_set_trace_callback(void (*fn)(void *arg, int32_t kind, uint64_t stream, uint64_t object,
                                                    uint64_t value, const char *text),
                                         void *arg);

/**
 * Starts collecting in a profiler that is attached to the process, for the current device's backend.
 *
 * The switch is the process's, not the thread's, and does not count: the first gs_profiler_stop() ends what several
 * starts began. Without a profiler the call succeeds and does nothing. Nothing is waited for: synchronize first for an
 * exact beginning.
 *
 * \return GS_OK, or: GS_ERROR_NOT_SUPPORTED (the driver has no such function); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: cuProfilerStart(), in the primary context of the current device. host: does nothing, as there is no
 *           profiler to tell.
 * \since 0.2
 */
GS_API gs_status_t gs_profiler_start(void);

/**
 * Stops collecting in a profiler that is attached to the process.
 *
 * See gs_profiler_start(). What still runs may be cut off: synchronize first for an exact end.
 *
 * \return GS_OK, or: GS_ERROR_NOT_SUPPORTED (the driver has no such function); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking no
 * \cost driver
 * \threadsafety any thread.
 * \ownership none.
 * \backends cuda: cuProfilerStop(). host: does nothing.
 * \since 0.2
 */
GS_API gs_status_t gs_profiler_stop(void);

/**
 * Writes what streams wait for, and the last operations of each, as text for people.
 *
 * It is for a program that hangs: for each live stream the text names the last wait that is not known to be met, the
 * event, stream or timeline that it is for, and where that leads: from stream to stream down to the one that no other
 * one holds up, or to a value of a timeline that nothing has signalled. No driver is asked. That an event is complete
 * is known only if a query or a synchronizing call has seen it, so a wait for an event *may* be what a stream is held
 * up by; a timeline's value is read as it is.
 *
 * The environment variable GPUSTREAM_LOG=N keeps the last N operations (16 to 1048576, rounded up to a power of two) of
 * each thread: records, waits, signals, launches, copies and what was seen to be complete, with their times. Without
 * the log the text has the last wait of each stream, and not which of two that wait for each other was first.
 * GPUSTREAM_DUMP_SIGNAL=N makes the signal of that number write the text to stderr; it is ignored, with a warning, if
 * the signal has a handler. GPUSTREAM_DUMP_ON=error or timeout, or both with a comma between them, writes it once, by
 * the first call that returns GS_ERROR_STICKY or GS_ERROR_TIMEOUT, to stderr or, with GPUSTREAM_DUMP_FILE=path, to the
 * end of that file; "%p" in the path stands for the process's number.
 *
 * GPUSTREAM_SYNCS=1 adds how often and how long calls blocked each thread, by function and caller; with
 * GPUSTREAM_SYNCS=null a warning, too, for each caller that uses the default stream. GPUSTREAM_LEAKS=1 writes objects
 * and memory of pools that are left when the process exits to stderr, with names and makers. All are read by the first
 * call that makes an object, allocates, submits work, waits or synchronizes. The text may change between versions.
 *
 * It takes no lock, allocates nothing and leaves errno and gs_last_error() alone; only the descriptor can make it wait.
 * What other threads do while it runs may be in the text or not.
 *
 * \param[in] fd  open file descriptor, which is written to and stays open. If it is a pipe without a reader, SIGPIPE
 *                is raised as by write().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fd is negative), GS_ERROR_SYSTEM (a write failed: the text is
 *         incomplete).
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function, in a signal handler and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_dump(int32_t fd);

/**
 * Returns why a stream is not done: what it waits for, and where that leads, as text for people.
 *
 * The text is what gs_dump() writes about this stream: one line with the way from the stream's first wait that is not
 * known to be met down to what nothing else holds up, and below it the stream's last operations, if GPUSTREAM_LOG keeps
 * them. What is known, and what the words mean, is as for gs_dump(). A stream that waits for nothing gets a line
 * that says so: its own work runs, or is done, which is not asked.
 *
 * The text may have changed between two calls; a caller that gets one that does not fit calls again with more room.
 *
 * \param[in] stream      live stream; GS_STREAM_CURRENT is not one.
 * \param[out] out_text   [capacity] NUL-terminated UTF-8, lines separated by '\n', as much as fits; NULL only if
 *                        capacity is 0.
 * \param[in] capacity    room in out_text, in bytes.
 * \param[out] out_bytes  not NULL; size of the whole text with its NUL, which may exceed capacity.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_bytes is NULL, or out_text is NULL while capacity is not 0),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_explain_wait(gs_stream_t stream, char *out_text, size_t capacity, size_t *out_bytes);

/**
 * Writes what the log file of a process says about its streams, as text for people; the process may have ended.
 *
 * The environment variable GPUSTREAM_LOG_FILE=path keeps the log in a file that outlives the process, whatever ended
 * it; "%p" in the path stands for the process's number. It turns the log on, with 1024 operations a thread if
 * GPUSTREAM_LOG does not say how many. The text is as that of gs_dump(), with what the file knows: a wait counts as
 * pending unless a thread has seen it to be met, and a timeline's value is the largest one that was seen. A file that a
 * process is writing may be read at any time, also the caller's own one.
 *
 * A core file of a process, of this machine's architecture, is read likewise: with GPUSTREAM_LOG but no
 * GPUSTREAM_LOG_FILE the log is in the process's own memory, which core files contain.
 *
 * Nothing in the file is trusted: of a damaged file the parts that make sense are written.
 *
 * \param[in] path  the file, not NULL.
 * \param[in] fd    open file descriptor, which is written to and stays open, as for gs_dump().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (path is NULL, fd is negative, or the file is neither a log of gpustream
 *         of this version and byte order nor a core file with one), GS_ERROR_SYSTEM (the file cannot be opened or read,
 *         or a write failed); the common statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_dump_log(const char *path, int32_t fd);

/**
 * Turns the ordering checker on, for the whole process.
 *
 * From then on the library remembers which range of memory each stream reads and writes, and reports two accesses to
 * the same byte, at least one of them a write, of which neither is ordered before the other. It knows the accesses that
 * gs_check_read() and gs_check_write() declare and those of gs_memcpy_async(), gs_memset_async(), gs_malloc_async(),
 * gs_free_async() and gs_free_host(). Order comes from streams, events, timelines and waits, from the default stream's
 * rules, and from what a thread has seen to be complete by a query, a synchronizing call or an entry of a queue, and
 * between threads from gs_check_handover() and the end of a thread. What is found does not depend on timing. Work that
 * was submitted before the start, and order that other code makes by raw handles, are not known: only the latter can
 * lead to a report of accesses that are ordered.
 *
 * A launch of a graph has the accesses of its nodes, with the order inside the graph: copies and fills, what
 * gs_graph_check_read() and gs_graph_check_write() declare, and of captures also what was declared, allocated and
 * freed. Bodies of a condition count as if each ran once. An executable that was
 * made before the start has no accesses.
 *
 * Two waits can be met by what comes later: for a timeline's value of which no signal is submitted yet, and
 * gs_stream_wait_value(), whose word anything may write. Accesses behind such a wait, and behind what is ordered after
 * it, are neither reported nor remembered until the wait is known to be met: by the signal, or by the end of the
 * timeline; or when the thread that submitted the wait synchronizes that stream or its device. For each timeline the
 * checker tells its last 64 signals apart; older ones count as one.
 *
 * Each pair of accesses is reported once, to the function of gs_set_check_callback(), else to stderr as text. The
 * environment variable GPUSTREAM_CHECK (report or abort) turns the checker on at the first call it concerns, with
 * GS_CHECK_STACKS; GPUSTREAM_CHECK_JSON names a file to which each report is appended as one line of JSON, and
 * GPUSTREAM_CHECK_SUPPRESSIONS a file of reports that are not wanted. If the checker is on already, only the flags
 * change.
 *
 * \param[in] flags  0 or GS_CHECK_* values combined.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (unknown flags, or a line of the suppressions file is malformed),
 *         GS_ERROR_SYSTEM (one of the files cannot be opened); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; calls that are running on other threads may remain unknown to the checker.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_check_start(uint32_t flags);

/**
 * Turns the ordering checker off and forgets what it knows.
 *
 * It does nothing if the checker is off. The function of gs_set_check_callback() stays set.
 *
 * \return GS_OK, or: the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; a report that another thread has found may still be delivered.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_check_stop(void);

/**
 * Declares, to the ordering checker, that the work submitted to a stream at this place reads a range of memory.
 *
 * Call it beside the launch that reads, on either side, before anything else is submitted to the stream. If the checker
 * is off, the arguments are checked and nothing else happens. If the stream is being captured, the access is one of
 * each launch of the graph; beside work that other code captures, call it after that work. A report is delivered before
 * the call returns.
 *
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \param[in] address  [bytes] beginning of the range, which is only compared, never accessed; NULL only if bytes is 0.
 * \param[in] bytes    size of the range; 0 does nothing.
 * \param[in] label    what the work is, for reports: NUL-terminated text, any length, copied; NULL for none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address is NULL while bytes is not 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_check_read(gs_stream_t stream, const void *address, size_t bytes, const char *label);

/**
 * Declares, to the ordering checker, that the work submitted to a stream at this place writes a range of memory.
 *
 * The same rules hold as for gs_check_read(). Work that reads and writes a range is declared as a write.
 *
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \param[in] address  [bytes] beginning of the range, which is only compared, never accessed; NULL only if bytes is 0.
 * \param[in] bytes    size of the range; 0 does nothing.
 * \param[in] label    what the work is, for reports: NUL-terminated text, any length, copied; NULL for none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address is NULL while bytes is not 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (stream is not a live stream); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking no
 * \cost start
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_check_write(gs_stream_t stream, const void *address, size_t bytes, const char *label);

/**
 * Declares, to the ordering checker, that a node of a graph reads a range of memory.
 *
 * It is for nodes that were added one by one, as gs_check_read() is for work that is captured: what a kernel's or a
 * host function's node accesses, the library cannot know. The access is one of each launch of the executables that are
 * made from the graph, or updated by it, afterwards while the checker is on. gs_graph_clone() and gs_graph_add_graph()
 * take it along. Declarations of one node add up; changing the node in an executable (gs_graph_exec_set_kernel())
 * drops them there. If the checker is off, the arguments are checked and nothing else happens.
 *
 * \param[in] graph    live graph, or a body of a condition.
 * \param[in] node     node of graph. An access of a condition or of a child graph comes before what is inside.
 * \param[in] address  [bytes] beginning of the range, which is only compared, never accessed; NULL only if bytes is 0.
 * \param[in] bytes    size of the range; 0 does nothing.
 * \param[in] label    what the work is, for reports: NUL-terminated text, any length, copied; NULL for none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of graph, address is NULL while bytes is not 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call
 *         statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_check_read(gs_graph_t graph, gs_node_t node, const void *address, size_t bytes,
                                       const char *label);

/**
 * Declares, to the ordering checker, that a node of a graph writes a range of memory.
 *
 * The same rules hold as for gs_graph_check_read(). A node that reads and writes a range is declared as a writer.
 *
 * \param[in] graph    live graph, or a body of a condition.
 * \param[in] node     node of graph. An access of a condition or of a child graph comes before what is inside.
 * \param[in] address  [bytes] beginning of the range, which is only compared, never accessed; NULL only if bytes is 0.
 * \param[in] bytes    size of the range; 0 does nothing.
 * \param[in] label    what the work is, for reports: NUL-terminated text, any length, copied; NULL for none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (node is not one of graph, address is NULL while bytes is not 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call
 *         statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_graph_check_write(gs_graph_t graph, gs_node_t node, const void *address, size_t bytes,
                                        const char *label);

/**
 * Declares, to the ordering checker, that the calling thread and others hand over what they know.
 *
 * A thread knows that work is complete from its own queries and synchronizing calls. If threads tell each other so by a
 * lock, a condition variable or an atomic variable, the checker cannot see it: each of them calls this function with
 * the same clock where it holds the lock, or before its store and after the load that sees it. The caller then knows
 * what earlier callers knew. The end of a thread needs no such call: other threads are taken to have joined it.
 *
 * \param[in,out] inout_clock  not NULL; a number that the caller keeps beside its lock, 0 at first. The call gives it a
 *                             value, which means nothing to later runs of the checker. Unchanged if the checker is off.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (inout_clock is NULL); the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread, also in a host function; calls with one clock are serialised by the library.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_check_handover(uint64_t *inout_clock);

/**
 * Sets the function that receives the ordering checker's reports.
 *
 * There is one function per process. It runs on the thread whose access completed the race, inside its call, with no
 * lock held, and may make only calls that are allowed in a host function.
 *
 * \param[in] fn   the function, or NULL for the default, which writes the text to stderr; text is the report for
 *                 people, of several lines, and json the same report as one JSON object. Both are NUL-terminated UTF-8.
 * \param[in] arg  passed to fn; any value, also NULL.
 * \return GS_OK, or: the getter statuses.
 * \blocking no
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text and json are valid only during the call of fn; arg stays the caller's and must live while fn is set.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_set_check_callback(void (*fn)(void *arg, const char *text, const char *json), void *arg);

/**
 * Forbids or allows the calling thread to wait for device work.
 *
 * While it is forbidden, each call that would block the thread until work is done, or until an entry comes, returns
 * GS_ERROR_SYNC_FORBIDDEN and waits for nothing. Those are the calls that gs_stream_notify() functions may not make
 * (see Threads). Calls that only may take long, such as copies of pageable memory, are not affected.
 *
 * \param[in] on             0 allows waiting, other values forbid it.
 * \param[out] out_previous  not NULL; 1 if it was forbidden before, else 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL: nothing changes); the common statuses.
 * \blocking no
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child; affects the calling thread only.
 * \ownership none.
 * \backends same.
 * \since 0.2
 */
GS_API gs_status_t gs_forbid_sync(int32_t on, int32_t *out_previous);

#ifdef __cplusplus
}
#endif
#endif /* GPUSTREAM_H */
