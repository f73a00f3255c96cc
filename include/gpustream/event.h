/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/event.h
 * Events: a mark in one stream that another stream, or the host, waits for.
 *
 * A program records an event behind work and lets a second stream wait for it. Events with GS_EVENT_TIMING also
 * measure; events with GS_EVENT_INTERPROCESS are waited for in other processes of the machine.
 *
 * \tier stable
 */
#ifndef GPUSTREAM_EVENT_H
#define GPUSTREAM_EVENT_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of gs_event_create() and gs_event_info_t.flags. */
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

/** What gs_event_get_info() reports. */
typedef struct gs_event_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** The device that the event is bound to; GS_DEVICE_NONE before the first record or export. */
    gs_device_t device;
    /** GS_EVENT_* combined, as the event was created. */
    uint32_t flags;
    /** 1 if the library knows of a record, else 0. It sees no records of other code, other processes and launches. */
    int32_t recorded;
} gs_event_info_t;

/** An exported event: 64 bytes to hand to another process on the same machine by any means. */
typedef struct gs_ipc_handle {
    /** Opaque bytes. */
    unsigned char data[64];
} gs_ipc_handle_t;

/* ---- events ---------------------------------------------------------------------------------- */

/**
 * Makes a stream wait for an event: gs_event_wait() with the parameters exchanged.
 *
 * Work submitted to the stream later starts after the work that the event's present record covers. Earlier work, the
 * caller and a later record of the event are not affected. For an event without a record the call does what
 * GS_OPTION_UNRECORDED_MODE says, by default nothing. For an event whose last record was part of a capture that has
 * ended the call returns GS_ERROR_CAPTURING.
 *
 * \param[in] stream  the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \param[in] event   live event, of any device of the same backend.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (stream or event is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends, or this driver cannot capture an external event, or a condition's body is captured),
 *         GS_ERROR_PEER_LOST (the other process of an interprocess event is gone), GS_ERROR_NOT_RECORDED (it was never
 *         recorded, in mode GS_UNRECORDED_ERROR); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; a concurrent record takes effect either before or after the wait.
 * \ownership the event may be destroyed right after the call.
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
 * \cost queue
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
 *         cannot capture an external event, or one that is interprocess as well, or a condition's body is captured);
 *         the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; of several concurrent records one takes effect last.
 * \ownership the stream may be destroyed right after the call.
 */
GS_API gs_status_t gs_stream_record_event(gs_stream_t stream, gs_event_t event);

/**
 * Creates an event.
 *
 * Creation is lazy: it uses neither backend nor driver nor device. The event is bound to the device of the first stream
 * that records it, or to the current device by gs_event_ipc_export(). Until it is recorded, queries report it as done,
 * and waits and synchronizations do nothing.
 *
 * \param[in]  flags      0 or GS_EVENT_* combined; GS_EVENT_TIMING and GS_EVENT_INTERPROCESS exclude each other.
 * \param[out] out_event  not NULL; the new event.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_event is NULL, unknown or contradictory flags); the call statuses.
 * \cost library
 * \ownership the caller owns one reference: gs_event_destroy().
 * \backends same; if a backend does not support interprocess or external events, their first use fails.
 */
GS_API gs_status_t gs_event_create(uint32_t flags, gs_event_t *out_event);

/**
 * Adds one reference to an event.
 *
 * Each reference is released by its own gs_event_destroy().
 *
 * \param[in] event  live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event); the getter statuses.
 * \cost library
 * \ownership the caller owns one more reference: gs_event_destroy().
 */
GS_API gs_status_t gs_event_retain(gs_event_t event);

/**
 * Releases one reference to an event.
 *
 * Releasing the last reference destroys the event: the handle becomes invalid at once, and records and waits already
 * submitted are still honoured. A graph with a node of the event keeps it, and no caller can release the graph's
 * reference. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] event  live event.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_NOT_PERMITTED (inside a host
 *         function); the common statuses.
 * \cost library
 * \threadsafety any thread; may race with any call on the same event, which then succeeds or returns INVALID_HANDLE.
 * \ownership the caller's reference ends.
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
 * \cost queue
 * \ownership the caller owns one reference to the handle; the driver's event remains the property of its owner, who
 *            must keep it alive until the last reference is released.
 * \backends host: accepts natives of live host events. cuda: the driver cannot report an event's device, so the caller
 *           is trusted.
 */
GS_API gs_status_t gs_event_from_native(gs_device_t device, uintptr_t native, gs_event_t *out_event);

/**
 * Wraps a raw driver event and calls a function when the event is no longer needed.
 *
 * Works as gs_event_from_native(). The library calls release once, without holding a lock, when the last reference is
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
 * \cost queue
 * \threadsafety any thread; release runs on the thread that releases the last reference. If another thread is still
 *               inside a call on the event, a thread that creates or destroys an event later runs release. If a queue
 *               or a callback still waits for a record of it, the thread that lets go of that record runs release. It
 *               may be the library's own, on which release must not wait for any work.
 * \ownership the caller owns one reference; the driver's event stays alive until release is called.
 * \backends as gs_event_from_native().
 */
GS_API gs_status_t gs_event_from_native_owned(gs_device_t device, uintptr_t native, void (*release)(void *arg),
                                              void *arg, gs_event_t *out_event);

/**
 * Returns an event's driver handle to the caller, who owns the driver's event from then on and destroys it.
 *
 * The caller's reference ends as by gs_event_destroy(). The library never destroys or reuses the driver's event any
 * more, or calls a release function of gs_event_from_native_owned(). If other references exist, the handle stays valid
 * as a wrap of an event that the caller of this function owns. An event that was never recorded is bound to the current
 * device first, as by gs_event_ipc_export().
 *
 * \param[in]  event       live event.
 * \param[out] out_native  not NULL; a cudaEvent_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL, or event wraps one that other code owns),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event); the start statuses; the driver statuses; the call
 *         statuses.
 * \cost driver
 * \ownership the caller's reference ends, and the caller owns the driver's event.
 * \backends host: the number stays valid, and useful for gs_event_from_native() and gs_event_from_native_owned() only.
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
 * \cost queue
 * \threadsafety any thread; of several concurrent records one takes effect last.
 * \ownership the stream may be destroyed right after the call.
 */
GS_API gs_status_t gs_event_record(gs_event_t event, gs_stream_t stream);

/**
 * Makes a stream wait for an event.
 *
 * Work submitted to the stream later starts after the work that the event's present record covers. Earlier work, the
 * caller and a later record of the event are not affected. For an event without a record the call does what
 * GS_OPTION_UNRECORDED_MODE says, by default nothing. For an event whose last record was part of a capture that has
 * ended the call returns GS_ERROR_CAPTURING, as all calls that ask for the record's state. No driver call is made if
 * the wait is known to be satisfied (the work is known to be done, or the stream is the one that recorded the event);
 * inside a capture such a wait adds no edge. There, a wait for an external event is always a node.
 *
 * \param[in] event   live event, of any device of the same backend.
 * \param[in] stream  the stream that waits, of any device; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event or stream is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends, or this driver cannot capture an external event, or a condition's body is captured, or a
 *         graph would wait for an interprocess event of another device), GS_ERROR_PEER_LOST (the other process of an
 *         interprocess event is gone), GS_ERROR_NOT_RECORDED (it was never recorded, in mode GS_UNRECORDED_ERROR); the
 *         start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; a concurrent record takes effect either before or after the wait.
 * \ownership the event may be destroyed right after the call.
 * \backends host: same on all devices. cuda: drivers crash when a stream of another device waits for an interprocess
 *           event (580.159). The library lets a pooled stream of the event's device wait in between, which costs a few
 *           driver calls; as a node of a graph it refuses the wait. The library does not know which wrapped events are
 *           interprocess ones: let only streams of their device wait for those.
 */
GS_API gs_status_t gs_event_wait(gs_event_t event, gs_stream_t stream);

/**
 * Reports whether the work that an event's present record covers is done.
 *
 * Once done, the event stays done until its next record. An event that was never recorded is done. Captures without the
 * event stay intact; for an event recorded in a capture the call returns GS_ERROR_CAPTURING.
 *
 * \param[in]  event     live event.
 * \param[out] out_done  not NULL; 1 or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_done is NULL), GS_ERROR_INVALID_HANDLE (event is not a live event),
 *         GS_ERROR_PEER_LOST (the other process of an interprocess event is gone); the driver statuses; the call
 *         statuses.
 * \cost queue
 * \backends cuda: querying an event that was recorded in a capture in progress also breaks that capture; the driver
 *           offers no way to detect this beforehand.
 */
GS_API gs_status_t gs_event_query(gs_event_t event, int32_t *out_done);

/**
 * Waits until the work that an event's present record covers is done.
 *
 * A record made during the call is not waited for. For an event without a record the call returns at once, with the
 * status that GS_OPTION_UNRECORDED_MODE says, by default GS_OK. Captures without the event stay intact; for an event
 * recorded in a capture the call returns GS_ERROR_CAPTURING without waiting. Spins unless the event has
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
 * \backends cuda: a capture in progress that contains the event's record is broken, as by gs_event_query().
 */
GS_API gs_status_t gs_event_synchronize(gs_event_t event);

/**
 * Returns the time between the records of two events.
 *
 * The call checks in this order that both events are timed, recorded, on one device and done, and then queries the
 * driver. It does not wait. The time is negative if end was recorded before start. For an event recorded in a capture
 * the call returns GS_ERROR_CAPTURING.
 *
 * \param[in]  start   live event with GS_EVENT_TIMING.
 * \param[in]  end     live event with GS_EVENT_TIMING; may be start.
 * \param[out] out_ms  not NULL; milliseconds.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_ms is NULL), GS_ERROR_INVALID_HANDLE (one of the two is not a live
 *         handle), GS_ERROR_TIMING_DISABLED (one was created without GS_EVENT_TIMING), GS_ERROR_NOT_RECORDED (one was
 *         never recorded), GS_ERROR_DEVICE_MISMATCH (they are bound to different devices), GS_ERROR_NOT_SUPPORTED (they
 *         are bound to different backends), GS_NOT_READY (the work of one is not done yet); the driver statuses; the
 *         call statuses.
 * \cost queue
 * \backends cuda: the driver's value is a float with a resolution of about 0.5 us; a wrapped event that is not timed is
 *           GS_ERROR_NOT_RECORDED; host: 1 ns of a monotonic clock.
 */
GS_API gs_status_t gs_event_elapsed_ms(gs_event_t start, gs_event_t end, double *out_ms);

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
 */
GS_API gs_status_t gs_device_calibrate(gs_device_t device, int64_t *out_error_ns);

/**
 * Returns when an event's record was done, by the host's clock, and how exact that is.
 *
 * The time is reckoned from the nearest comparison of gs_device_calibrate(). The error covers that comparison, the
 * resolution of the driver's times, and a drift of the two clocks of 600 parts per million. The drift is what the
 * kernel may slew its clock by, and what oscillators differ by. The true time lies within out_ns - out_error_ns and
 * out_ns + out_error_ns.
 *
 * \param[in]  event         live event with GS_EVENT_TIMING.
 * \param[out] out_ns        not NULL; CLOCK_MONOTONIC, nanoseconds.
 * \param[out] out_error_ns  not NULL; nanoseconds.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL, or the event's device was never calibrated),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_TIMING_DISABLED (it was created without
 *         GS_EVENT_TIMING), GS_ERROR_NOT_RECORDED (it was never recorded), GS_NOT_READY (its work is not done yet); the
 *         driver statuses; the call statuses.
 * \cost queue
 * \backends cuda: a wrapped event that is not timed is GS_ERROR_NOT_RECORDED.
 */
GS_API gs_status_t gs_event_time_ns(gs_event_t event, int64_t *out_ns, int64_t *out_error_ns);

/**
 * Returns the driver's handle of an event.
 *
 * From then on other code may record the event, so the library skips no driver call for it and keeps the driver's event
 * from reuse. The call creates nothing: before the first record or export the number is 0; after that it never changes.
 *
 * \param[in]  event       live event.
 * \param[out] out_native  not NULL; a cudaEvent_t as a number, or 0.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_native is NULL), GS_ERROR_INVALID_HANDLE (event is not a live
 *         event); the getter statuses.
 * \cost memory
 * \threadsafety any thread, also in a host function.
 * \ownership the driver's event is borrowed: alive while the caller owns a reference to event, and must not be
 *            destroyed.
 * \backends host: a number unique among live events, useful for gs_event_from_native() only.
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
 * \cost memory
 * \threadsafety any thread, also in a host function.
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
 * \cost memory
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_event_device(gs_event_t event, gs_device_t *out_device);

/**
 * Describes an event: its device, its flags, and whether it was recorded.
 *
 * A record that another thread makes during the call may be seen or not.
 *
 * \param[in]     event     live event.
 * \param[in,out] out_info  not NULL; struct_size set by the caller, the rest filled. A wrapped event
 *                           has GS_EVENT_TIMING, because only the driver knows whether it is timed; an opened event
 *                           has GS_EVENT_INTERPROCESS.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL, or struct_size is out of range),
 *         GS_ERROR_INVALID_HANDLE (event is not a live event); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_event_get_info(gs_event_t event, gs_event_info_t *out_info);

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
 * \cost queue
 * \ownership out_handle is a copy; it owns nothing.
 * \backends host: through files of the same user in GPUSTREAM_SHM_DIR, one for every 128 events. A process of that
 *           user that truncates such a file ends the processes that use it (SIGBUS); removing it is harmless.
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
 *         GS_ERROR_NOT_SUPPORTED (exported by this process, or the device does not support interprocess events, or on
 *         host the exporter has another folder of GPUSTREAM_SHM_DIR),
 *         GS_ERROR_PEER_LOST (the exporter is gone); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller owns one reference: gs_event_destroy(). The exporter's event is not kept alive.
 * \backends cuda: creates the device's primary context if there is none. The driver does not report that an exporter is
 *           gone (observed on an H200, driver 580): the exporter's events then count as done instead of returning
 *           GS_ERROR_PEER_LOST. NVIDIA's driver is reported to refuse handles of another pid namespace (not tried).
 *           host: the exporter may be of another pid namespace.
 */
GS_API gs_status_t gs_event_ipc_open(gs_device_t device, const gs_ipc_handle_t *handle, gs_event_t *out_event);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_EVENT_H */
