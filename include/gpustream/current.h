/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/current.h
 * The calling thread's current stream: the stream of code that is given none.
 *
 * A library asks gs_current_stream() if its caller names no stream. An application pushes a stream around a piece
 * of code and pops it afterwards; a thread pool carries a snapshot from the thread that submits to the one that works.
 *
 * \tier stable
 */
#ifndef GPUSTREAM_CURRENT_H
#define GPUSTREAM_CURRENT_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* ---- current stream -------------------------------------------------------------------------- */

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
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership borrowed until this thread next changes that device's current stream; to keep it, use gs_stream_retain().
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
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership the driver's stream is borrowed until this thread next changes that device's current stream.
 * \backends host: a number unique among live streams, useful for gs_stream_from_native() only.
 */
GS_API gs_status_t gs_current_native(gs_device_t device, uintptr_t *out_native);

/**
 * Makes a stream the calling thread's current one for its device, and that device current.
 *
 * The current streams of other devices and work already submitted are not affected. Safe in a capture.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (a followed library
 *         has no set); the driver statuses; the call statuses.
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the library keeps the stream alive while it is current.
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
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the caller owns one reference to out_previous: gs_stream_destroy().
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
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the library keeps the stream and the saved streams alive while the scope is open.
 */
GS_API gs_status_t gs_push_current_stream(gs_stream_t stream, uint64_t *out_scope);

/**
 * Ends the calling thread's innermost scope and restores what it saved.
 *
 * The streams of both devices, the current device and the driver's current context are restored. If the driver refuses
 * to restore its context, the rest is still restored and the failure is reported. The call refuses any scope but the
 * thread's innermost, and then changes nothing.
 *
 * \param[in] scope  the number from gs_push_current_stream(); 0 for the innermost scope.
 * \return GS_OK, or: GS_ERROR_SCOPE (no scope is open, or scope is not this thread's innermost), GS_ERROR_NOT_SUPPORTED
 *         (a followed library has no set); the driver statuses; the call statuses.
 * \cost library
 * \threadsafety the thread that opened the scope.
 * \ownership the library's references for the scope end.
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
 * \cost library
 * \threadsafety the thread that opened the scope.
 * \ownership the library's references for the scopes end.
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
 * \cost start
 * \threadsafety any thread; returns what the calling thread has.
 * \ownership borrowed: the streams are their owners', and current on this thread until it changes them.
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
 * \cost driver
 * \threadsafety any thread; the scope belongs to the calling thread.
 * \ownership none; each scope keeps its stream as gs_push_current_stream() does.
 */
GS_API gs_status_t gs_current_adopt(const gs_snapshot_t *snapshot, uint64_t *out_scope);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_CURRENT_H */
