/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/stream.h
 * Streams: ordered queues of device work, made, adopted from the driver or from another library, asked and waited for.
 *
 * A program creates a stream for work that may run beside other work, and passes gs_stream_native() to the libraries
 * that enqueue it. Partitions, at the end, give streams a part of a device's multiprocessors of their own.
 *
 * \tier stable
 */
#ifndef GPUSTREAM_STREAM_H
#define GPUSTREAM_STREAM_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A part of a device's multiprocessors, in which streams can be created. The value is a number, never an address. */
typedef struct gs_partition *gs_partition_t;

/** Flags of gs_stream_create() and gs_stream_info_t.flags. */
enum {
    /** Synchronizes implicitly with the device's default stream, as default and per-thread streams do. */
    GS_STREAM_BLOCKING = 1,
    /** One of 32 driver streams per device and priority, assigned in turn: other owners may share it. */
    GS_STREAM_SHARED = 2,
    /** A driver stream of its own, which is destroyed at the end instead of being kept for reuse. */
    GS_STREAM_DEDICATED = 4
};

/** Flags of gs_partition_create(). */
enum {
    /** A number that is no multiple of the device's unit is refused instead of being rounded up. */
    GS_PARTITION_EXACT = 1,
    /** The driver's smallest units, which gives up what neighbouring multiprocessors do together, as large clusters. */
    GS_PARTITION_FINE = 2,
    /** A dry run: gs_partition_info() tells what each partition would have, and none has streams or takes resources. */
    GS_PARTITION_PLAN = 4,
    /** Work queues that no other such partition uses, where the driver has enough of them; driver of CUDA 13.1. */
    GS_PARTITION_QUEUES = 8,
    /**
     * Times 1 to 255: so many multiprocessors run together, as large clusters need, and are the unit; driver of CUDA
     * 13.1.
     */
    GS_PARTITION_COSCHEDULED = 256,
    /** Times 1 to 32767: so many streams of the partition are expected to work at a time; driver of CUDA 13.1. */
    GS_PARTITION_CONCURRENCY = 65536
};

/** What gs_stream_get_info() reports. */
typedef struct gs_stream_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** The stream's device. */
    gs_device_t device;
    /** As gs_stream_id(): 0 default stream, 2 per-thread stream, else positive and unique among live streams. */
    int64_t id;
    /** The effective priority, clamped to the device's range; lower is higher. 0 for default and per-thread streams. */
    int32_t priority;
    /** GS_STREAM_* combined. */
    uint32_t flags;
    /** The same for streams that are equal by gs_stream_equal(); without meaning in another process. */
    uint64_t hash;
} gs_stream_info_t;

/** A stream as plain numbers, for another language in the same process. Meaningless in other processes. */
typedef struct gs_stream_triple {
    /** As returned by gs_stream_id(): 0 default stream, 2 per-thread stream, else unique and above 2^48. */
    int64_t id;
    /** Ordinal of the device within its backend. */
    int32_t device_index;
    /** Backend, GS_BACKEND_HOST or above. */
    int32_t device_type;
} gs_stream_triple_t;

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
    /** A CUgreenCtx as a number, which stays the library's; host, and GS_PARTITION_PLAN: 0. */
    uint64_t native;
} gs_partition_summary_t;

/* ---- streams --------------------------------------------------------------------------------- */

/**
 * Creates a stream.
 *
 * Without GS_STREAM_SHARED the handle names a driver stream that has no other owner, either taken from a pool of idle
 * ones or newly created. With GS_STREAM_SHARED each call returns a new handle, but the 33rd on a device and priority
 * names the same driver stream as the first. A stream taken from the pool has no pending work.
 *
 * \param[in]  device      the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  priority    lower is higher; a value out of range is clamped, gs_stream_get_info() tells the effective
 *                         value.
 * \param[in]  flags       0 or GS_STREAM_* combined; GS_STREAM_SHARED and GS_STREAM_DEDICATED exclude each other.
 * \param[out] out_stream  not NULL; the new stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL, unknown or contradictory flags),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \blocking while the driver makes a new stream, which may wait for device work; no when the pool has one
 * \cost wait
 * \ownership the caller owns one reference: gs_stream_destroy().
 * \backends cuda: creates the device's primary context if there is none. While unfinished work holds any stream of the
 *           device, the driver creates at most about 33 streams, fewer if many exist, and then waits for that work
 *           (observed on an H200, driver 580). A program that needs more creates them beforehand; destroyed streams are
 *           then reused from the pool.
 */
GS_API gs_status_t gs_stream_create(gs_device_t device, int32_t priority, uint32_t flags, gs_stream_t *out_stream);

/**
 * Wraps a raw driver stream that the caller continues to own.
 *
 * A handle is known if gpustream created and gave out its stream, or wrapped it already. It gives the same stream,
 * retained, without a driver call and whatever the stream's state. Two wraps of one handle are therefore one stream. 0
 * and 1 yield the device's default stream, 2 the per-thread stream. Otherwise the driver is queried for device,
 * context, priority and kind. While the stream is being captured nothing is queried, because that would break the
 * capture. Then device is taken as true (GS_DEVICE_NONE: the device of the driver's current context), and priority and
 * flags read 0. The first call after the capture that uses the stream queries the driver. It returns
 * GS_ERROR_DEVICE_MISMATCH or GS_ERROR_NOT_SUPPORTED if this call would have. Not every driver can distinguish a
 * destroyed stream from a live one, so the raw stream must be alive, and must stay so as long as its wrap. A stream of a
 * green context is one of its device. When that context has ended, the driver refuses calls on the stream, which then
 * return GS_ERROR_INVALID_HANDLE.
 *
 * \param[in]  device      the device it is expected on; GS_DEVICE_CURRENT allowed. GS_DEVICE_NONE: any device of the
 *                         default backend.
 * \param[in]  native      a cudaStream_t as a number.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL), GS_ERROR_INVALID_HANDLE (3 to 4095, misaligned,
 *         not an address, or unknown to the driver), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH
 *         (it belongs to another device), GS_ERROR_NOT_SUPPORTED (it belongs to a context that is not its device's
 *         primary one, as of cuCtxCreate, or to a device that this process did not enumerate; or to a green context, and
 *         the driver is older than CUDA 12.5); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller owns one reference to the handle; the driver's stream remains the property of its owner, who
 *            must keep it alive until the last reference is released.
 * \backends host: accepts natives of live host streams.
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
 * \param[in]  native      a cudaStream_t as a number; neither 0, 1 or 2 nor a stream of gpustream's own.
 * \param[in]  release     not NULL; may call gpustream.
 * \param[in]  arg         passed to release; any value, also NULL.
 * \param[out] out_stream  not NULL; the stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream or release is NULL; native is 0, 1 or 2, gpustream's own
 *         stream, or one that has a release function already), GS_ERROR_INVALID_HANDLE (3 to 4095, misaligned, not an
 *         address, or unknown to the driver), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (it
 *         belongs to another device), GS_ERROR_NOT_SUPPORTED (as gs_stream_from_native()); the start statuses; the
 *         driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; release runs on the thread that releases the last reference. If another thread is still
 *               inside a call on the stream, a thread that creates or destroys a stream later runs release.
 * \ownership the caller owns one reference; the driver's stream stays alive until release is called.
 * \backends host: accepts natives of live host streams.
 */
GS_API gs_status_t gs_stream_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                               void *arg, gs_stream_t *out_stream);

/**
 * Returns a stream's driver handle to the caller, who owns the driver's stream from then on and destroys it.
 *
 * The caller's reference ends as by gs_stream_destroy(). The library never destroys or reuses the driver's stream any
 * more, or calls a release function of gs_stream_from_native_owned(). If other references exist, or a thread has the
 * stream current, the handle stays valid as a wrap of a stream that the caller of this function owns. Work already
 * submitted still runs. No driver call is made, so the stream may be in a capture.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_native  not NULL; a cudaStream_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL; stream is a default or per-thread stream, or wraps
 *         one that other code owns), GS_ERROR_INVALID_HANDLE (stream is not a live stream, or no reference is left),
 *         GS_ERROR_NOT_SUPPORTED (it was created with GS_STREAM_SHARED, or in a partition); the call statuses.
 * \cost library
 * \ownership the caller's reference ends, and the caller owns the driver's stream.
 * \backends host: the number stays valid, and useful for gs_stream_from_native() and gs_stream_from_native_owned()
 *           only; nothing outside the library can destroy the stream.
 */
GS_API gs_status_t gs_stream_into_native(gs_stream_t stream, uintptr_t *out_native);

/**
 * Adds one reference to a stream.
 *
 * This turns a borrowed handle into an owned one. It has no effect on default and per-thread streams.
 *
 * \param[in] stream  live stream; not GS_STREAM_CURRENT.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream is not a live stream); the getter statuses.
 * \cost library
 * \ownership the caller owns one more reference: gs_stream_destroy().
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
 * \cost library
 * \threadsafety any thread; may race with any call on the same stream, which then succeeds or returns INVALID_HANDLE.
 * \ownership the caller's reference ends.
 * \backends same; with GS_STREAM_DEDICATED the driver's stream is destroyed, and a failure of that goes to the log.
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
 * \cost start
 * \ownership borrowed and immortal; retain and destroy do nothing.
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
 * \cost start
 * \threadsafety any thread; the same handle names another stream on another thread.
 * \ownership borrowed and immortal; retain and destroy do nothing.
 */
GS_API gs_status_t gs_per_thread_stream(gs_device_t device, gs_stream_t *out_stream);

/**
 * Reports whether all work submitted to a stream is done.
 *
 * Never breaks a capture: for a stream that is being captured the call returns GS_ERROR_CAPTURING.
 *
 * \param[in]  stream    live stream; not GS_STREAM_CURRENT.
 * \param[out] out_done  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_done is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the driver statuses; the call statuses.
 * \cost queue
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
 */
GS_API gs_status_t gs_stream_synchronize(gs_stream_t stream);

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
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership the driver's stream is borrowed: alive while the caller owns a reference to stream, and must not be
 *            destroyed.
 * \backends host: a number unique among live streams, useful for gs_stream_from_native() only.
 */
GS_API gs_status_t gs_stream_native(gs_stream_t stream, uintptr_t *out_native);

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
 * \cost memory
 * \threadsafety any thread, also in a host function.
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
 * \cost queue
 * \backends host: numbers of the host backend's own, from 1; answers for captured streams too.
 */
GS_API gs_status_t gs_stream_driver_id(gs_stream_t stream, uint64_t *out_id);

/**
 * Returns the driver's context that a stream belongs to.
 *
 * Objects of the driver that are used with the stream, such as modules and events, have to be made in this context. It
 * is the primary context of the stream's device and belongs to the driver; the call neither creates it nor makes
 * another context current.
 *
 * \param[in]  stream       live stream; not GS_STREAM_CURRENT.
 * \param[out] out_context  not NULL; a CUcontext as a number. 0: a default or per-thread stream of a device that has no
 *                          context yet.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_context is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream), GS_ERROR_CAPTURING (it was wrapped while it was being captured, and the capture lasts),
 *         GS_ERROR_DEVICE_MISMATCH, GS_ERROR_NOT_SUPPORTED (it was wrapped so, and gs_stream_from_native() would return
 *         this); the driver statuses; the call statuses.
 * \cost queue
 * \backends host: a number of the device, the same for all its streams.
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
 * \cost memory
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_stream_device(gs_stream_t stream, gs_device_t *out_device);

/**
 * Describes a stream: its device, number, priority, flags and hash.
 *
 * A default stream has the id 0 and a per-thread stream the id 2. What only the driver knows has functions of its own:
 * gs_stream_native(), gs_stream_context(), gs_stream_driver_id(), gs_stream_is_capturing().
 *
 * \param[in]     stream    live stream; not GS_STREAM_CURRENT.
 * \param[in,out] out_info  not NULL; struct_size set by the caller, the rest filled.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL, or struct_size is out of range),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership does not count as exporting the driver's handle.
 */
GS_API gs_status_t gs_stream_get_info(gs_stream_t stream, gs_stream_info_t *out_info);

/**
 * Reports whether a stream is being captured into a graph.
 *
 * The query never breaks the capture.
 *
 * \param[in]  stream         live stream; not GS_STREAM_CURRENT.
 * \param[out] out_capturing  not NULL; 1 or 0. 1 also when the capture has been broken but not ended.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_capturing is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the driver statuses; the call statuses.
 * \cost queue
 * \backends cuda: for the default stream GS_ERROR_CAPTURING while a blocking stream of the device is captured.
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
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership does not count as exporting the driver's handle.
 */
GS_API gs_status_t gs_stream_equal(gs_stream_t stream, gs_stream_t other, int32_t *out_equal);

/**
 * Describes a stream by three plain numbers, for another language or library in the same process.
 *
 * This neither keeps the stream alive nor counts as exporting the driver's handle.
 *
 * \param[in]  stream      live stream; not GS_STREAM_CURRENT.
 * \param[out] out_triple  not NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_triple is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live
 *         stream); the getter statuses.
 * \cost memory
 * \threadsafety any thread, also in a host function.
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
 * \cost library
 * \ownership the caller owns one reference: gs_stream_destroy().
 */
GS_API gs_status_t gs_stream_unpack(const gs_stream_triple_t *triple, gs_stream_t *out_stream);

/* ---- partitions ------------------------------------------------------------------------------ */

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
 * \param[in]  flags           0 or GS_PARTITION_* combined, the last two multiplied by a number.
 * \param[out] out_partitions  [count] not NULL; the partitions, in the order of counts; NULL in all after a failure.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (counts or out_partitions is NULL; count is 0 or above 1024; a number is
 *         0; together they do not fit, and the text says what would; GS_PARTITION_EXACT, and one is no multiple of the
 *         unit; GS_PARTITION_COSCHEDULED with GS_PARTITION_FINE, or with a number that the device does not have;
 *         unknown flags), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the driver is older than
 *         CUDA 12.5, or than 13.1 for flags that need it, or has no partitions of this device); the start statuses; the
 *         driver statuses; the call statuses.
 * \cost driver
 * \ownership the caller owns each of them: gs_partition_destroy().
 * \backends cuda: green contexts. That two partitions run at the same time is not guaranteed, as they share queues and
 *           memory. host: streams of a partition use at most that many worker threads (GPUSTREAM_HOST_WORKERS) at the
 *           same time; the unit is 1, or GS_PARTITION_COSCHEDULED's number; each stream has a queue of its own. Nodes
 *           that a graph runs beside others are not limited.
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
 * \cost driver
 * \threadsafety any thread; a gs_stream_create_in() that is in progress finishes first.
 * \ownership the caller's ownership ends; a failure of the driver goes to the log.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_partition_info(gs_partition_t partition, gs_partition_summary_t *out_info);

/**
 * Creates a stream whose work runs on the multiprocessors of a partition.
 *
 * It has a driver stream of its own, and is in every other respect a stream of the device. It never waits for the
 * default stream. The partition keeps the driver streams of destroyed streams until gs_partition_destroy() or
 * gs_trim(). It reuses the idle ones, as gs_stream_create() does for the device.
 *
 * \param[in]  partition   live partition.
 * \param[in]  priority    lower is higher; a value out of range is clamped, gs_stream_get_info() tells the effective
 *                         value.
 * \param[in]  flags       0, or GS_STREAM_DEDICATED: the driver stream is made now and destroyed with the stream.
 * \param[out] out_stream  not NULL; the new stream.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stream is NULL; other flags; GS_PARTITION_PLAN made the
 *         partition), GS_ERROR_INVALID_HANDLE (partition is not a live partition); the driver statuses; the call
 *         statuses.
 * \blocking while the driver makes a new stream, which may wait for device work; no when the partition has one
 * \cost wait
 * \ownership the caller owns one reference: gs_stream_destroy(). The stream keeps the partition's resources.
 */
GS_API gs_status_t gs_stream_create_in(gs_partition_t partition, int32_t priority, uint32_t flags,
                                       gs_stream_t *out_stream);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_STREAM_H */
