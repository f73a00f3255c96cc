/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/library.h
 * The library itself: versions, statuses and error texts, the start of a backend, fork, modes of the process,
 * counters.
 *
 * Every program needs the statuses and gs_last_error(). The rest serves programs that choose a backend, start it at a
 * moment of their choice, fork, or want synchronizing calls reported or refused.
 *
 * \tier stable
 */
#ifndef GPUSTREAM_LIBRARY_H
#define GPUSTREAM_LIBRARY_H

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

/** Result of a call: one of the numbers below. They never change and are grouped by tens. */
typedef int32_t gs_status_t;
enum {
    /** Success. */
    GS_OK = 0,
    /**
     * The work is not done yet; not an error. Returned by gs_event_elapsed_ms() and gs_event_time_ns()
     * only.
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
    /** The scope is not this thread's innermost; or the range is not open. */
    GS_ERROR_SCOPE = 14,

    /** The event was never recorded, or lacks the record that is asked for. */
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
    /** A time limit passed. The work goes on, and the call may be repeated. */
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
    /** The library is missing or fails to load: the driver's, or the one that gs_bridge_find() looks for. */
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
/** No device: gs_event_device() reports it for an unbound event; gs_stream_from_native() takes it as any device. */
#define GS_DEVICE_NONE ((gs_device_t)(-2))
/** Device `ordinal` (0 to 65535) of `backend` (GS_BACKEND_HOST or above), whatever the default backend is. */
#define GS_DEVICE(backend, ordinal) ((gs_device_t)(((backend) << 16) | (ordinal)))
/** A stream: an ordered queue of device work. The value is a number, never an address. */
typedef struct gs_stream *gs_stream_t;
/** An event: a marker in a stream that others can wait for. The value is a number, never an address. */
typedef struct gs_event *gs_event_t;
/** A graph: work and the order in it, to be made executable. The value is a number, never an address. */
typedef struct gs_graph *gs_graph_t;
/** The current stream of the current device. Accepted only where a parameter's description says so. */
#define GS_STREAM_CURRENT ((gs_stream_t)(uintptr_t)0x7000000000000001u)

/** Options of the process: gs_set_option(). */
enum {
    /**
     * What synchronizing calls do: GS_SYNC_DEBUG_*, at first GS_SYNC_DEBUG_DEFAULT. The call looks before it waits,
     * also if the work is known to be done; an event without a record needs no wait. Queries are not affected.
     */
    GS_OPTION_SYNC_DEBUG_MODE = 0,
    /** Which calls GS_OPTION_SYNC_DEBUG_MODE applies to: GS_SYNC_SCOPE_*, at first GS_SYNC_SCOPE_TORCH. */
    GS_OPTION_SYNC_DEBUG_SCOPE = 1,
    /**
     * What a wait for an event that was never recorded does: GS_UNRECORDED_*, at first GS_UNRECORDED_IGNORE. It
     * concerns gs_event_wait(), gs_stream_wait_event(), gs_event_synchronize() and its forms with a limit. A wait for
     * GS_EVENT_EXTERNAL in a stream capture is not concerned: its record comes with a launch.
     */
    GS_OPTION_UNRECORDED_MODE = 2,
    /**
     * How threads wait in blocking calls: GS_WAIT_*, at first what the environment variable GPUSTREAM_WAIT says
     * (driver, spin, block or adaptive), else GS_WAIT_DRIVER. On the host backend waiting threads sleep in every mode
     * but GS_WAIT_SPIN, and the engine wakes them.
     */
    GS_OPTION_WAIT_MODE = 3
};

/** What synchronizing calls do: GS_OPTION_SYNC_DEBUG_MODE. */
enum {
    /** Synchronizing calls are silent. */
    GS_SYNC_DEBUG_DEFAULT = 0,
    /**
     * Synchronizing calls log a warning. A wait with a limit above 0 may follow, on its thread, one for the same object
     * that timed out: it goes on with that one and logs none.
     */
    GS_SYNC_DEBUG_WARN = 1,
    /** Synchronizing calls return GS_ERROR_SYNC_FORBIDDEN and wait for nothing. */
    GS_SYNC_DEBUG_ERROR = 2
};

/** Which calls the sync debug mode applies to: GS_OPTION_SYNC_DEBUG_SCOPE. */
enum {
    /** gs_stream_synchronize() only. PyTorch's own mode also covers blocking copies, which this library has not. */
    GS_SYNC_SCOPE_TORCH = 0,
    /** Every call that waits for device work. */
    GS_SYNC_SCOPE_ALL = 1
};

/** What a wait for an event that was never recorded does: GS_OPTION_UNRECORDED_MODE. */
enum {
    /** Nothing, as in CUDA. */
    GS_UNRECORDED_IGNORE = 0,
    /** It logs a warning. */
    GS_UNRECORDED_WARN = 1,
    /** It returns GS_ERROR_NOT_RECORDED. */
    GS_UNRECORDED_ERROR = 2
};

/** How threads wait in blocking calls: GS_OPTION_WAIT_MODE. */
enum {
    /** As the driver does: on CUDA, spinning for most events and streams, sleeping for GS_EVENT_BLOCKING. */
    GS_WAIT_DRIVER = 0,
    /** Keeps the processor busy until the work is done: the shortest delay. */
    GS_WAIT_SPIN = 1,
    /** Sleeps until the driver wakes the thread: the least load. */
    GS_WAIT_BLOCK = 2,
    /**
     * Learns how long the work of each stream takes. The thread sleeps for most of that time and spins shortly before
     * its end, for at most GPUSTREAM_WAIT_CPU percent of its wait.
     */
    GS_WAIT_ADAPTIVE = 3
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

/* ---- version, status, errors ----------------------------------------------------------------- */

/**
 * Returns the version of the loaded library as one number.
 *
 * The number is 10000 * major + 100 * minor + patch, so versions can be compared as numbers.
 *
 * \return the number; never fails.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API uint32_t gs_version(void);

/**
 * Returns the GS_ABI_VERSION of the loaded library.
 *
 * A program can use the library if this equals the GS_ABI_VERSION it was compiled with.
 *
 * \return the number; never fails.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API uint32_t gs_abi_version(void);

/**
 * Returns the version of the loaded library as text.
 *
 * The form is "major.minor.patch" in decimal, for people and logs.
 *
 * \return the text, never NULL.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 */
GS_API const char *gs_version_string(void);

/**
 * Counts the copies of the library that are loaded in this process.
 *
 * Each copy has its own current streams and its own handles, so more than one copy is nearly always a packaging error.
 *
 * \return 1 or more; never fails.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API int32_t gs_instance_count(void);

/**
 * Returns the name of a status, such as "GS_ERROR_INVALID_HANDLE".
 *
 * All numbers that this version does not know share one name.
 *
 * \param[in] status  any number.
 * \return the text, never NULL.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 */
GS_API const char *gs_status_name(gs_status_t status);

/**
 * Returns an English phrase that describes a status in general.
 *
 * gs_last_error() describes the particular failure.
 *
 * \param[in] status  any number.
 * \return the text, never NULL.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 */
GS_API const char *gs_status_message(gs_status_t status);

/**
 * Copies the detail of the calling thread's last failure.
 *
 * The record is of the last call that did not return GS_OK; GS_NOT_READY and GS_ERROR_TIMEOUT count. Calls that succeed
 * leave it as it is, so it shows why a call failed, not whether one did. If the thread's own record could not be
 * allocated, a static record with GS_ERROR_OUT_OF_MEMORY is copied.
 *
 * \param[in,out] out_error  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_error is NULL or its struct_size out of range).
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child; each thread sees its own failures only.
 * \ownership the texts are copies.
 */
GS_API gs_status_t gs_last_error(gs_error_info_t *out_error);

/**
 * Returns a text for a native error code of a backend.
 *
 * The text comes from a table in the library: the call uses neither a backend nor a driver.
 *
 * \param[in] backend  any number.
 * \param[in] native   the native code.
 * \return the text, never NULL; if the backend or the code is unknown, a text that says so.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
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
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text is valid only during the call of fn; arg stays the caller's and must live while fn is set.
 */
GS_API gs_status_t gs_set_log_callback(void (*fn)(void *arg, int32_t level, const char *text), void *arg);

/* ---- library --------------------------------------------------------------------------------- */

/**
 * Initialises the library: starts the default backend, fixes the choice of backend and calls the functions queued by
 * gs_call_on_init().
 *
 * This call is optional, since calls that need a backend start it; it lets a program take failures and delays at a
 * moment it chooses. It creates no device context, and returns at once if the backend is already started.
 *
 * \return GS_OK, or: the start statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; if several threads call at the same time, one starts the backend and the others wait for
 *               it.
 * \backends cuda: opens and initialises the driver; host: nothing to open.
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
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_is_initialized(int32_t *out_initialized);

/**
 * Reports whether the default backend is an accelerator with a device, or the host backend selected by name.
 *
 * Neither starts a backend nor creates a context, and is safe before fork. If the driver is unusable for any reason the
 * result is 0; without NVML an unusable driver may be detected by gs_init() only (see gs_device_count()).
 *
 * \param[out] out_available  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_available is NULL, or GPUSTREAM_BACKEND holds an unknown name); the
 *         common statuses.
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 * \backends cuda: counts devices without initialising the driver.
 */
GS_API gs_status_t gs_is_available(int32_t *out_available);

/**
 * Calls a function once the library is initialised: now if it already is, else when it becomes initialised.
 *
 * Queued functions run once each, in the order in which they were queued, on the initialising thread and before its
 * call continues. A function that fails is removed from the queue, and the library does not count as initialised. The
 * initialising call returns the function's status, with its position in the queue in gs_error_info_t.message. The next
 * attempt continues with the rest of the queue.
 *
 * \param[in] fn   not NULL; returns GS_OK or an error status. It may call gpustream and make objects, but calls
 *                 that wait for work return GS_ERROR_NOT_PERMITTED, since the first calls of other threads wait for
 *                 fn. Any other number, including GS_NOT_READY, is reported as GS_ERROR_INVALID_ARGUMENT with the
 *                 number in the text.
 * \param[in] arg  passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL); if fn was called immediately, its status; the call
 *         statuses.
 * \cost start
 * \ownership arg stays the caller's and must live until fn has run.
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
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_fork_status(int32_t *out_status);

/**
 * Sets an option of the process.
 *
 * Calls under way are not affected; other threads see the change at their next call.
 *
 * \param[in] option  GS_OPTION_*.
 * \param[in] value   the number that the option takes; each option lists its own.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (there is no such option, or the option does not take this number); the
 *         common statuses.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child; affects all threads.
 */
GS_API gs_status_t gs_set_option(int32_t option, int64_t value);

/**
 * Returns an option of the process.
 *
 * The first use of GS_OPTION_WAIT_MODE reads GPUSTREAM_WAIT, and logs a warning if that names no mode.
 *
 * \param[in]  option     GS_OPTION_*.
 * \param[out] out_value  not NULL; what gs_set_option() set last, else the option's initial value.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_value is NULL, or there is no such option); the common statuses.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_get_option(int32_t option, int64_t *out_value);

/**
 * Copies the library's counters, summed over all threads that ever called it.
 *
 * The counters are exact for calls that happened before this one; concurrent calls of other threads may or may not be
 * counted.
 *
 * \param[in,out] out_stats  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stats is NULL or its struct_size out of range); the common
 *         statuses.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \backends see gs_stats_t.driver_calls.
 */
GS_API gs_status_t gs_get_stats(gs_stats_t *out_stats);

/**
 * Resets the counters of gs_get_stats() to zero.
 *
 * The reset applies to the whole process. It records the present values as a base instead of writing other threads'
 * counters, so no count is lost.
 *
 * \return GS_OK, or: the common statuses.
 * \cost library
 */
GS_API gs_status_t gs_reset_stats(void);

/**
 * Returns pooled streams and events to the driver.
 *
 * Objects that are in use, that have pending work or that take part in a capture are kept. Starts no backend.
 *
 * \return GS_OK, or: the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller's handles are not affected.
 */
GS_API gs_status_t gs_trim(void);

/** What gs_forbid_sync() forbids; may be combined. */
enum {
    /** The program wants no waits: GS_ERROR_SYNC_FORBIDDEN. */
    GS_FORBID_SYNC = 1,
    /** Functions run on the thread that come after work, each after the other: what waits is refused as there. */
    GS_FORBID_AS_NOTIFICATION = 2,
    /** A function runs on it that holds a stream: all calls whose Cost is "wait" return GS_ERROR_NOT_PERMITTED. */
    GS_FORBID_AS_HOST_FUNCTION = 4
};

/**
 * Forbids or allows the calling thread to wait for device work, or says what runs on it.
 *
 * While it is forbidden, each call that would block the thread until work is done, or until an entry comes, returns
 * GS_ERROR_SYNC_FORBIDDEN and waits for nothing. Calls that only may take long, such as copies of pageable memory, are
 * not affected.
 *
 * A language that runs functions of the program on a thread of its own says so by the other two bits (see Threads).
 *
 * \param[in] on             0 or GS_FORBID_*. 0 allows waiting; GS_FORBID_SYNC alone leaves the other bits as they are.
 * \param[out] out_previous  not NULL; what was forbidden before, to be passed when that is to hold again.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL, or on has an unknown bit: nothing changes); the
 *         common statuses.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child; affects the calling thread only.
 */
GS_API gs_status_t gs_forbid_sync(int32_t on, int32_t *out_previous);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_LIBRARY_H */
