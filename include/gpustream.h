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
 * GS_OPTION_WAIT_MODE), GPUSTREAM_WAIT_CPU (percent of one processor that an adaptive wait, or the thread that looks
 * for completions, may keep busy; 1 to 100, default 15), GPUSTREAM_CHECK, GPUSTREAM_CHECK_JSON,
 * GPUSTREAM_CHECK_SUPPRESSIONS (see gs_check_start(); the files are ignored in a process with raised privileges),
 * GPUSTREAM_LOG, GPUSTREAM_DUMP_SIGNAL, GPUSTREAM_DUMP_ON, GPUSTREAM_DUMP_FILE, GPUSTREAM_SYNCS, GPUSTREAM_LEAKS (see
 * gs_dump()), GPUSTREAM_LOG_FILE (see gs_dump_log(); the files are ignored in a process with raised privileges),
 * NVTX_INJECTION64_PATH (see gs_range_push()), GPUSTREAM_POISON (1: every pool has GS_POOL_POISON), GPUSTREAM_RUN (set
 * by the command `gpustream run` for programs), GPUSTREAM_LIBCUDA, GPUSTREAM_LIBNVML (paths of the driver library and
 * of NVIDIA's management library; ignored in a process with raised privileges). If GPUSTREAM_LIBCUDA names another
 * driver, NVML is used only if GPUSTREAM_LIBNVML is set too, because the system's NVML would list GPUs that are not
 * that driver's. Read at each call until a backend is started: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. No function
 * ever changes the environment.
 *
 * \par Errors
 * Every function that can fail returns gs_status_t; results are returned through parameters named out_*, which come
 * last. Scalar and handle outputs are set to 0 (NULL) on entry and get a value only with GS_OK; structs are untouched
 * on failure. Query calls return GS_OK also while the work is pending, and report completion in out_done.
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
 * GS_ERROR_NOT_PERMITTED there. In a function run by gs_stream_notify(), gs_stream_defer(), gs_graph_keep() or a
 * bridge, and on a thread marked by gs_forbid_sync(), calls whose Cost is "wait" return it, because others wait for the
 * function. Excepted are those that say "also in a notification": they may take long there. A thread must not be
 * cancelled (pthread_cancel()) inside a call: this would terminate the process. If the main thread calls
 * pthread_exit(), the process ends with exit status 0 once no thread is left but the library's and their work is
 * finished.
 *
 * \par Fork
 * A child is a bad fork if the parent had started a backend, or a thread of the parent was starting one. It also is one
 * if the library had found that other code initialised CUDA. In a bad fork every device call returns GS_ERROR_BAD_FORK
 * at once without calling the driver; destroy calls return GS_OK and do nothing. Calls that list neither
 * GS_ERROR_BAD_FORK nor a group that contains it still work: texts, versions, settings, gs_last_error, gs_fork_status,
 * gs_is_initialized, gs_is_available, gs_device_count and the inventory. The child may load NVML only if the parent had
 * one thread at the fork, or had asked for the inventory or the count before. Else the inventory returns
 * GS_ERROR_BAD_FORK, and the count is the guess without NVML. A program started by exec is not affected. A child
 * created without the library's pthread_atfork() handlers (_Fork(), a raw clone, a fork during which another thread
 * made the first call of the library) must not use gpustream. The library detects such a child, as a bad fork, if the
 * thread that lives on in it called the library only after the fork. In others a call may hang.
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
 * library and does nothing else, which takes nanoseconds. "library": works on the library's own tables; may lock,
 * allocate, or call a function passed in earlier. "start": as "library", but the first call may start a backend or
 * create a device's objects. "queue": submits work to a driver's queue or queries its state; waits while the queue is
 * full. "driver": makes any other driver call. "inventory": queries NVML. "wait": waits as its Blocking line says.
 *
 * \par Defaults
 * A function's comment states what departs from these. It does not block. Every thread may call it. It transfers no
 * ownership: handles that go in stay the caller's, and texts are copied. Both backends behave alike. It leaves captures
 * intact, or refuses with GS_ERROR_CAPTURING and leaves them intact. It exists since version 0.1.
 *
 * \par Tiers
 * Each chapter says its tier. "stable": names, numbers and meaning stay as they are from version 1.0 on. "preview":
 * they may change in a later minor version. A function whose tier is another one than its chapter's says so.
 *
 * \par Arrays
 * A parameter whose text begins with a name in brackets, such as [bytes], points to as many elements as the parameter
 * of that name states; for void pointers the elements are bytes.
 */
#ifndef GPUSTREAM_H
#define GPUSTREAM_H

/** Version of this header. gs_version() returns the version of the loaded library. */
#define GS_VERSION_MAJOR 0
/** Minor version: functions were added, none removed. */
#define GS_VERSION_MINOR 1
/** Patch version: corrections only. */
#define GS_VERSION_PATCH 0
/** Incremented only when binaries built against an older header could misbehave; the file's SONAME changes with it. */
#define GS_ABI_VERSION 1

#include "gpustream/library.h"
#include "gpustream/device.h"
#include "gpustream/stream.h"
#include "gpustream/event.h"
#include "gpustream/current.h"
#include "gpustream/work.h"
#include "gpustream/memory.h"
#include "gpustream/graph.h"
#include "gpustream/wait.h"
#include "gpustream/bridge.h"
#include "gpustream/inventory.h"
#include "gpustream_tools.h"

#endif /* GPUSTREAM_H */
