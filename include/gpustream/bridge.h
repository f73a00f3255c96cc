/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/bridge.h
 * Bridges: the current stream shared with another library of the process that has one of its own (PyTorch, CuPy, tvm-
 * ffi).
 *
 * A program needs it if it calls such a library between its own calls and wants both to use the same stream.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_BRIDGE_H
#define GPUSTREAM_BRIDGE_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* ---- bridges --------------------------------------------------------------------------------- */

/**
 * Registers another library that keeps a current stream of its own, so that it can be led or followed.
 *
 * Registering alone changes nothing: see gs_bridge_lead() and gs_bridge_follow(). The functions of the bridge are
 * called on the thread whose stream changes or is asked for, with no library lock held, at the same time on several
 * threads. A result other than 0 is a failure: the call that needed the function returns GS_ERROR_DRIVER, its text
 * names the bridge and gs_error_info_t.native_code is the result. Inside them the calls on the current stream and
 * device, GS_STREAM_CURRENT, the functions of this section but gs_bridge_find(), and calls that wait (see Threads of
 * gpustream.h) return GS_ERROR_NOT_PERMITTED; other calls are allowed. They are not called inside host functions, while
 * a thread exits, or in a forked child, where leading and following end.
 *
 * \param[in]  bridge      not NULL; the struct and the name are copied, the functions must stay callable.
 * \param[out] out_bridge  not NULL; a number above 0 that is never used again.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (bridge or out_bridge is NULL, struct_size is wrong, name is NULL,
 *         empty, too long or registered already, get is NULL, or backend is none), GS_ERROR_OUT_OF_MEMORY (8 are
 *         registered); the start statuses; the call statuses.
 * \cost start
 * \ownership the registration lasts until gs_bridge_unregister().
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
 * \ownership the registration ends.
 */
GS_API gs_status_t gs_bridge_unregister(int32_t bridge);

/**
 * Finds a bridge by name: one that is registered, or one that is built in.
 *
 * Built in are "torch", PyTorch's stable C functions, "tvm_ffi", Apache TVM FFI's, and "executorch", the caller's stream
 * of ExecuTorch's CUDA extension. Their libraries are looked for among those that the process has loaded; none is ever
 * loaded by this call. A PyTorch before 2.10 has no function that sets its stream and can be followed only. ExecuTorch
 * has one stream per thread for all devices; where none is chosen, its stream is the thread's own default stream. The
 * first success registers the bridge.
 *
 * \param[in]  name        not NULL; NUL-terminated.
 * \param[out] out_bridge  not NULL; the number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (name or out_bridge is NULL, or no bridge has this name),
 *         GS_ERROR_UNAVAILABLE (the library is not loaded, was built without CUDA, or is too old;
 *         gs_error_info_t.reason is the cause), GS_ERROR_OUT_OF_MEMORY (8 are registered); the start statuses; the call
 *         statuses.
 * \cost start
 * \ownership the registration lasts until gs_bridge_unregister().
 * \backends "torch" and "executorch" are of the CUDA backend; "tvm_ffi" of the default one: kDLCUDA for cuda, kDLCPU
 *           for host.
 */
GS_API gs_status_t gs_bridge_find(const char *name, int32_t *out_bridge);

/**
 * Makes another library's current stream go with gpustream's, on every thread of the process, or no longer.
 *
 * While a library is led, every call that sets gpustream's current stream on a device of the bridge's backend also sets
 * the library's there. These calls are gs_set_current_stream(), gs_exchange_current_stream(), gs_push_current_stream(),
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
 * \cost library
 * \threadsafety any thread; affects all threads, those that start later too.
 */
GS_API gs_status_t gs_bridge_lead(int32_t bridge, int32_t on);

/**
 * Makes gpustream's current stream go with another library's, on every thread of the process, or no longer.
 *
 * While a library is followed, gs_current_stream(), gs_current_native(), gs_exchange_current_stream() and
 * GS_STREAM_CURRENT ask it at each call, for devices of the bridge's backend. A stream that gpustream does not know is
 * wrapped as by gs_stream_from_native(), and the thread keeps the wrap until it sees another. Calls that set the
 * current stream set the library's as gs_bridge_lead() describes; if the bridge has no set, they return
 * GS_ERROR_NOT_SUPPORTED. Inside host functions the last known stream is returned. One library can be followed at a
 * time.
 *
 * \param[in] bridge  the number; 0 ends following.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (no bridge has this number, or another one is followed),
 *         GS_ERROR_NOT_PERMITTED (inside a function of a bridge); the call statuses.
 * \cost library
 * \threadsafety any thread; affects all threads, those that start later too.
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
 * \cost library
 * \threadsafety any thread; each thread has its own.
 * \ownership the driver's stream is borrowed until this thread next changes that device's current stream.
 */
GS_API int32_t gs_dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_BRIDGE_H */
