/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/wait.h
 * Waiting: queues of completions, waits with limits, timelines and tokens.
 *
 * A program needs a queue to learn of many completions on one thread or in an event loop. It needs a timeline to wait
 * for a number that work or the host raises later, and a token to hand the end of its work to another process.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_WAIT_H
#define GPUSTREAM_WAIT_H

#include "event.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A queue of completions. The value is a number, never an address. */
typedef struct gs_queue *gs_queue_t;
/** A timeline: a number that only grows, signalled and waited for. The value is a number, never an address. */
typedef struct gs_timeline *gs_timeline_t;

/** Flags of gs_timeline_create(). */
enum {
    /** A stream may wait only for a signal that is submitted already. */
    GS_TIMELINE_SIGNAL_FIRST = 1
};

/** Flags of gs_stream_wait_value() and gs_stream_write_value(): a condition, of which there is one, and others. */
enum {
    /** Waits until the word is at least the value, cyclically: until the signed difference is not negative. */
    GS_VALUE_GEQ = 0,
    /** Waits until the word equals the value. */
    GS_VALUE_EQ = 1,
    /** Waits until the word has one of the value's bits. */
    GS_VALUE_AND = 2,
    /** Waits until some bit is 0 in both the word and the value: ~(word | value) is not 0. */
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

/* ---- completion ------------------------------------------------------------------------------ */

/**
 * Creates a queue that reports when points of streams are reached.
 *
 * gs_queue_add_stream() and gs_queue_add_event() add points, each with a token; exactly one entry is delivered for
 * each, also if the work fails, the device is lost, or the stream or event is destroyed. An entry has the token and the
 * status of the work. Entries are taken by gs_queue_poll() and gs_queue_wait(), by any number of threads; each entry
 * goes to one of them. The order of delivery agrees with happens-before. Let the call that added point a return before
 * the call that added point b begins. If b cannot be reached before a, then a's entry comes before b's. No function of
 * the caller runs on a thread of the library.
 *
 * \param[in]  capacity   how many entries may be undelivered at a time: added, and not yet taken; at least 1. Memory is
 *                        allocated as entries are added.
 * \param[in]  flags      0.
 * \param[out] out_queue  not NULL; the queue.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_queue is NULL, capacity is 0, or flags is not 0); the getter
 *         statuses.
 * \cost library
 * \ownership the caller owns one reference: gs_queue_destroy().
 * \backends same; the queue serves streams and events of all backends at once.
 */
GS_API gs_status_t gs_queue_create(uint32_t capacity, uint32_t flags, gs_queue_t *out_queue);

/**
 * Adds a reference to a queue.
 *
 * The queue lives until each reference has been released with gs_queue_destroy().
 *
 * \param[in] queue  live queue.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue is not a live queue); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_queue_destroy().
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
 * \cost library
 * \threadsafety any thread, also in a host function; in a forked child too.
 * \ownership the caller's reference ends.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the descriptor stays the queue's, which closes it at its end.
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
 * \cost queue
 * \ownership the entry does not keep the stream alive.
 * \backends cuda: a record of an internal event, which a library thread asks about; host: the engine signals it.
 */
GS_API gs_status_t gs_queue_add_stream(gs_queue_t queue, gs_stream_t stream, uint64_t token);

/**
 * Adds the record that an event has now: an entry is delivered when it is complete.
 *
 * The entry of an event without a record, or with a complete one, comes soon. Later records of the event do not matter,
 * and it may be destroyed at once. An event recorded in a capture that has not ended is refused with
 * GS_ERROR_CAPTURING; as with gs_event_query(), asking about it breaks the capture on CUDA.
 *
 * \param[in] queue  live queue.
 * \param[in] event  live event.
 * \param[in] token  returned in the entry; any value, not necessarily unique.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (queue or event is not live), GS_ERROR_FULL (as many entries are
 *         undelivered as the queue's capacity allows; nothing was added); the start statuses; the driver statuses; the
 *         call statuses.
 * \cost driver
 * \ownership the entry does not keep the event alive.
 * \backends same. An event that other code may record (adopted, exported, interprocess or external ones) is waited for
 *           by an internal stream.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
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
 * \cost library
 * \threadsafety any thread, also in a host function; not in a signal handler.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
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
 *         not a live queue, or was destroyed during the wait), GS_ERROR_TIMEOUT (no entry came in that time),
 *         GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync()); the call statuses, where GS_ERROR_NOT_PERMITTED is also returned
 *         in a notification.
 * \blocking until an entry comes, the queue is woken or destroyed, or the time is over
 * \cost wait
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
 *         that time), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error"); the driver statuses; the
 *         call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until the stream's work is done, at most for the given time
 * \cost wait
 */
GS_API gs_status_t gs_stream_synchronize_for(gs_stream_t stream, int64_t timeout_ns);

/**
 * Waits until an event's current record is complete, or a time is over.
 *
 * As gs_stream_synchronize_for(), for the record that is current at the call. For an event without a record it does
 * what GS_OPTION_UNRECORDED_MODE says, by default nothing.
 *
 * \param[in] event       live event.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (event is not a live event), GS_ERROR_TIMEOUT (the record was not complete
 *         in that time), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with scope
 *         GS_SYNC_SCOPE_ALL), GS_ERROR_NOT_RECORDED (it was never recorded, in mode GS_UNRECORDED_ERROR); the driver
 *         statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until the record is complete, at most for the given time
 * \cost wait
 */
GS_API gs_status_t gs_event_synchronize_for(gs_event_t event, int64_t timeout_ns);

/**
 * Waits until all work submitted to a device before the call is done, or a time is over.
 *
 * As gs_device_synchronize(), with a limit. A limit that passes changes nothing.
 *
 * \param[in] device      the device; GS_DEVICE_CURRENT allowed.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_TIMEOUT (the work was not done in that time),
 *         GS_ERROR_NOT_SUPPORTED (there is a limit, and the driver is older than 12.5), GS_ERROR_SYNC_FORBIDDEN
 *         (gs_forbid_sync(), or sync debug mode "error" with scope GS_SYNC_SCOPE_ALL); the start statuses; the driver
 *         statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until the device's work is done, at most for the given time
 * \cost wait
 * \backends cuda: cuCtxRecordEvent; without a context there is nothing to wait for.
 */
GS_API gs_status_t gs_device_synchronize_for(gs_device_t device, int64_t timeout_ns);

/**
 * Waits until the current record of one of several events is complete, or a time is over.
 *
 * The events may belong to different devices and backends. The records are those that are current at the call; an event
 * that was never recorded counts as complete, unless GS_OPTION_UNRECORDED_MODE says otherwise. If one fails, the call
 * returns its status.
 *
 * \param[in]  events      [count] not NULL; live events; one may be named several times.
 * \param[in]  count       how many; at least 1.
 * \param[in]  timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \param[out] out_index   not NULL; the first event in the list that is complete.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL or count is 0), GS_ERROR_INVALID_HANDLE (one of the
 *         events is not live; nothing was waited for), GS_ERROR_TIMEOUT (none was complete in that time),
 *         GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with scope GS_SYNC_SCOPE_ALL),
 *         GS_ERROR_NOT_RECORDED (one was never recorded, in mode GS_UNRECORDED_ERROR; nothing was waited for); the
 *         driver statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until one of the records is complete, at most for the given time
 * \cost wait
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
 *         live; nothing was waited for), GS_ERROR_TIMEOUT (not all were complete in that time), GS_ERROR_SYNC_FORBIDDEN
 *         (gs_forbid_sync(), or sync debug mode "error" with scope GS_SYNC_SCOPE_ALL), GS_ERROR_NOT_RECORDED (one was
 *         never recorded, in mode GS_UNRECORDED_ERROR; nothing was waited for); the driver statuses; the call statuses,
 *         where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until all the records are complete, at most for the given time
 * \cost wait
 */
GS_API gs_status_t gs_event_synchronize_all(const gs_event_t *events, size_t count, int64_t timeout_ns);

/**
 * Calls a function some time after the work submitted to a stream so far is done: for the release of what it uses.
 *
 * GS_OK means that the function runs exactly once, unless the process ends or is a forked child. After any other status
 * it never runs. It runs on a library thread that also serves notifications, also after the work has failed. Functions
 * are collected until gpustream marks the stream: with its next submission, when some dozens have come together, or in
 * gs_trim(), whichever comes first. They run when that mark is reached. Those of a stream that has ended run when its
 * driver stream is found to be idle, by a later create or by gs_trim(). Its end may be impossible to mark: the driver
 * refuses, or other code captures the stream. Once the driver stream is not asked any more, they run when gs_trim() or
 * a synchronization of the device finds that all work of the device is done. The log says so. A per-thread stream is
 * marked at once. Later work of the stream does not wait.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed. While it is being captured the function is kept by the
 *                    graph instead, and runs when the graph, its executables and their launches have ended.
 * \param[in] fn      not NULL; must not throw. It may call gpustream, except what waits (see Threads).
 * \param[in] arg     passed to fn; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fn is NULL), GS_ERROR_INVALID_HANDLE (stream is not a live stream),
 *         GS_ERROR_NOT_SUPPORTED (the stream is being captured and the driver cannot keep objects for graphs); the
 *         start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \threadsafety any thread; fn runs on the library's dispatcher thread, with all signals blocked.
 * \ownership arg stays the caller's and must live until fn has run.
 */
GS_API gs_status_t gs_stream_defer(gs_stream_t stream, void (*fn)(void *arg), void *arg);

/* ---- timelines ------------------------------------------------------------------------------- */

/**
 * Creates a timeline: a 64-bit number that only grows.
 *
 * Streams and threads signal it, which raises it to a value, and wait until it has reached a value. Unlike a wait for
 * an event, a wait may come before the signal is submitted, or known. Streams of all devices of the timeline's backend
 * may use it.
 *
 * A signal of a stream records an event and writes a word of memory, for the streams that wait before the signal is
 * submitted. The write is the larger part of what a signal costs: 746 of 887 ns on an H100. A program whose streams
 * always wait after the signal was submitted saves it with GS_TIMELINE_SIGNAL_FIRST. Such a timeline has these rules:
 * - gs_stream_wait_timeline() for a value that no submitted signal reaches is GS_ERROR_INVALID_ARGUMENT.
 * - gs_timeline_value() and gs_timeline_signal() ask the driver which signals have happened. A question costs about
 *   1 us, and a host function cannot ask.
 * - A stream that waits goes on when the signal has happened, also after an abort.
 *
 * \param[in]  device        the device in whose name the timeline's memory is registered; GS_DEVICE_CURRENT allowed.
 * \param[in]  initial       its first value, below 2^63 - 1.
 * \param[in]  flags         0 or GS_TIMELINE_SIGNAL_FIRST.
 * \param[out] out_timeline  not NULL; the timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_timeline is NULL, initial is 2^63 - 1 or above, or flags has
 *         an unknown bit), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the driver cannot register
 *         host memory, or the device has no stream memory operations of 64 bits and flags lacks
 *         GS_TIMELINE_SIGNAL_FIRST); the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \ownership the caller owns one reference: gs_timeline_destroy().
 * \backends cuda: a word in host memory that is registered with the driver, a page of them at a time. Creates the
 *           device's primary context if there is none.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_timeline_destroy().
 */
GS_API gs_status_t gs_timeline_retain(gs_timeline_t timeline);

/**
 * Releases a reference to a timeline; the last one ends it.
 *
 * Signals that were submitted still happen. Waits in streams that are still open count as met from now on, as if the
 * timeline were aborted, so that each stream goes on. The log warns of them. Threads that wait in
 * gs_timeline_synchronize() return GS_ERROR_INVALID_HANDLE.
 *
 * \param[in] timeline  live timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (timeline is not a live timeline), GS_ERROR_OUT_OF_MEMORY and
 *         GS_ERROR_INTERNAL (see common statuses). In a forked child GS_OK, and nothing happens.
 * \cost library
 * \threadsafety any thread, also in a host function; in a forked child too.
 * \ownership the caller's reference ends.
 */
GS_API gs_status_t gs_timeline_destroy(gs_timeline_t timeline);

/**
 * Submits a signal to a stream: when its work so far is done, the timeline is raised to a value.
 *
 * Signals of a timeline happen in the order of their values. If another stream has a signal of a smaller value that has
 * not happened yet, this one waits for it. If a signal of a larger value is submitted already, the stream of the next
 * larger one must wait for this value, or a later one, before it signals; else the order could not be kept.
 * While the stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream    the stream; GS_STREAM_CURRENT allowed.
 * \param[in] timeline  live timeline of the same backend.
 * \param[in] value     above the timeline's value and below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is not above the timeline's, or has been submitted already, or is
 *         2^63 - 1 or above, or a larger one is submitted that could happen first, or, of gs_timeline_from_fd(), any
 *         larger one), GS_ERROR_INVALID_HANDLE (stream or timeline is not live), GS_ERROR_NOT_SUPPORTED (they belong to
 *         different backends or, of gs_timeline_from_fd(), to different devices), GS_ERROR_DEADLOCK (a circle of waits,
 *         which only this signal could end, would become one of the stream's own: the text names it), GS_ERROR_ABORTED
 *         or the status that gs_timeline_abort() was given; the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \backends cuda: a record of an internal event and, without GS_TIMELINE_SIGNAL_FIRST, a stream memory operation; host:
 *           the engine wakes those that wait.
 */
GS_API gs_status_t gs_stream_signal_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value);

/**
 * Makes a stream wait until a timeline has reached a value.
 *
 * Work submitted to the stream later runs after that. Nothing is submitted if the value has been reached. The signal
 * may come later, from a stream or from a thread: until then the stream waits. If the timeline is aborted or destroyed
 * before it, the stream goes on although the wait was not met. A program that aborts may not rely on what its streams
 * compute afterwards. A wait without a signal keeps every synchronization with the stream from returning. While the
 * stream is being captured the call returns GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream    the stream; GS_STREAM_CURRENT allowed.
 * \param[in] timeline  live timeline of the same backend.
 * \param[in] value     below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is 2^63 - 1 or above, or no submitted signal reaches it and the
 *         timeline has GS_TIMELINE_SIGNAL_FIRST), GS_ERROR_INVALID_HANDLE (stream or timeline is not live),
 *         GS_ERROR_NOT_SUPPORTED (they belong to different backends or, of gs_timeline_from_fd(), to different
 *         devices), GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the start statuses; the driver
 *         statuses; the call statuses.
 * \cost queue
 * \backends cuda: a wait for an event if the signal is submitted already, else a stream memory operation, which may
 *           hold up other streams that share its hardware queue; host: the stream costs no thread while it waits.
 */
GS_API gs_status_t gs_stream_wait_timeline(gs_stream_t stream, gs_timeline_t timeline, uint64_t value);

/**
 * Raises a timeline to a value at once, on the calling thread.
 *
 * Streams and threads that wait for this value or a smaller one go on. With GS_TIMELINE_SIGNAL_FIRST
 * the driver is asked as by gs_timeline_value().
 *
 * \param[in] timeline  live timeline.
 * \param[in] value     above the timeline's value, below 2^63 - 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is not above the timeline's, or is 2^63 - 1 or above, or this or
 *         a smaller value is submitted to a stream and has not been reached), GS_ERROR_INVALID_HANDLE (timeline is not
 *         live), GS_ERROR_NOT_SUPPORTED (it is of gs_timeline_from_fd()), GS_ERROR_NOT_PERMITTED (in a host function,
 *         and it must ask), GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the driver statuses; the
 *         getter statuses.
 * \cost queue
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_timeline_signal(gs_timeline_t timeline, uint64_t value);

/**
 * Returns a timeline's value.
 *
 * What was done before the signal of that value is visible to the caller.
 *
 * With GS_TIMELINE_SIGNAL_FIRST the call asks the driver about the signals of streams that are still open for the
 * library: one question if all have happened, else two or more. In a host function the driver answers none.
 *
 * \param[in]  timeline   live timeline.
 * \param[out] out_value  not NULL; the value.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_value is NULL), GS_ERROR_INVALID_HANDLE (timeline is not live),
 *         GS_ERROR_NOT_SUPPORTED (it is of gs_timeline_from_fd()), GS_ERROR_NOT_PERMITTED (in a host function, and it
 *         must ask), GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the driver statuses; the getter
 *         statuses.
 * \cost queue
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_timeline_value(gs_timeline_t timeline, uint64_t *out_value);

/**
 * Waits until a timeline has reached a value, or a time is over.
 *
 * The thread waits as GS_OPTION_WAIT_MODE says, and sleeps while no signal of the value is submitted.
 *
 * \param[in] timeline    live timeline.
 * \param[in] value       below 2^63 - 1.
 * \param[in] timeout_ns  the longest wait, nanoseconds; 0 only asks; negative: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (value is 2^63 - 1 or above), GS_ERROR_INVALID_HANDLE (timeline is not
 *         live, or ended in between), GS_ERROR_TIMEOUT (the value was not reached in that time), GS_ERROR_NOT_SUPPORTED
 *         (it is of gs_timeline_from_fd()), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug mode "error" with
 *         scope GS_SYNC_SCOPE_ALL), GS_ERROR_ABORTED or the status that gs_timeline_abort() was given; the driver
 *         statuses; the call statuses, where GS_ERROR_NOT_PERMITTED is also returned in a notification.
 * \blocking until the value is reached, at most for the given time
 * \cost wait
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_timeline_abort(gs_timeline_t timeline, gs_status_t status);

/**
 * Makes a timeline of a semaphore that another API has exported as a file descriptor.
 *
 * Streams of the device signal it by gs_stream_signal_timeline() and wait for it by gs_stream_wait_timeline(); the
 * other API does both by its own calls. A wait may come before the signal, on either side. Signals of this process
 * happen in the order of their values, which must also be the order of the calls. The library does not see what the
 * other side signals: values must be above those too, or the other API's rules are broken.
 *
 * The driver has no call with which a thread could look at such a semaphore: gs_timeline_value(), gs_timeline_signal()
 * and gs_timeline_synchronize() return GS_ERROR_NOT_SUPPORTED. Let a stream wait, and use gs_stream_synchronize_for().
 * gs_timeline_abort() makes later calls of this process fail. Neither it nor gs_timeline_destroy() releases streams
 * that wait, which only a signal can do. After the last gs_timeline_destroy(), once no stream uses the semaphore, the
 * driver gets it back by gs_trim() or by a call that makes a timeline of the device. Circles of waits are not found.
 *
 * \param[in]  device        the device on which the other API has made it; GS_DEVICE_CURRENT allowed.
 * \param[in]  type          GS_FD_VULKAN_TIMELINE or GS_FD_D3D12_FENCE.
 * \param[in]  fd            the file descriptor.
 * \param[out] out_timeline  not NULL; the timeline.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_timeline is NULL, type is unknown, fd is negative, or the driver
 *         cannot read the file descriptor as this type), GS_ERROR_INVALID_DEVICE (no such device),
 *         GS_ERROR_NOT_SUPPORTED (the backend, its driver or the device has no such semaphores, or not of this type);
 *         the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \ownership the caller owns one reference: gs_timeline_destroy(). After GS_OK the file descriptor is the driver's: it
 *            must not be used or closed. After a failure it is still the caller's.
 * \backends host: GS_ERROR_NOT_SUPPORTED. cuda: cuImportExternalSemaphore; creates the device's primary context if
 *           there is none. Signals and waits are cuSignalExternalSemaphoresAsync and cuWaitExternalSemaphoresAsync.
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
 * \cost queue
 * \ownership the word stays the caller's and must live until the write is done.
 * \backends cuda: cuStreamWriteValue64 or cuStreamWriteValue32.
 */
GS_API gs_status_t gs_stream_write_value(gs_stream_t stream, void *address, uint64_t value, uint32_t flags);

/**
 * Makes a stream wait until a word of memory meets a condition.
 *
 * The library does not know what may write the word. A wait for a value that never comes keeps every
 * synchronization with the stream from returning. While the stream is being captured the call returns
 * GS_ERROR_CAPTURING and leaves the capture intact.
 *
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \param[in] address  not NULL, a multiple of the word's width: memory from gs_malloc_host() or of a device.
 * \param[in] value    what the word is compared with; below 2^32 with GS_VALUE_32.
 * \param[in] flags    GS_VALUE_GEQ, _EQ, _AND or _NOR, with GS_VALUE_32 and GS_VALUE_FLUSH added if wanted.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address is NULL or misaligned, value is too large, other flags, or the
 *         driver does not know the memory), GS_ERROR_INVALID_HANDLE (stream is not live), GS_ERROR_NOT_SUPPORTED (the
 *         device has no stream memory operations of that width, or not this condition or flag); the start statuses; the
 *         driver statuses; the call statuses.
 * \cost queue
 * \ownership the word stays the caller's and must live until the wait is met.
 * \backends cuda: cuStreamWaitValue64 or cuStreamWaitValue32; host: stores of the program itself are seen within about
 *           a millisecond, writes of streams at once.
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
 * \cost queue
 * \ownership the words stay the caller's and must live until the last operation is done; ops is read during the call.
 * \backends cuda: cuStreamBatchMemOp. After a failure of the driver it is not known which operations were submitted;
 *           nor on the host backend, if memory runs out.
 */
GS_API gs_status_t gs_stream_batch_values(gs_stream_t stream, const gs_value_op_t *ops, size_t count);

/* ---- tokens ---------------------------------------------------------------------------------- */

/**
 * Makes a token of a stream's present end: 128 bytes by which any process on the machine can wait for that point.
 *
 * The point is reached when the work submitted to the stream before the call is done. A copy of the bytes is as good as
 * the token. It names the device by its UUID, and an internal event that stands for this point only while the token is
 * leased. The lease lasts until the point is reached and GPUSTREAM_TOKEN_LEASE_MS milliseconds (default 60000) have
 * passed since the call. It ends sooner if the point is reached, one process has waited, and each other process that
 * saw the token pending by gs_token_status() has waited or ended. A process has waited by gs_token_wait(), or by a
 * gs_token_status() that saw the point reached.
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
 * \cost queue
 * \ownership plain bytes, which need no release. gs_trim() gives back what ended leases kept.
 * \backends same: an interprocess event for each leased token, and a file of 16 KiB in GPUSTREAM_SHM_DIR for 123
 *           tokens. Only processes of the same user can open the file.
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
 * else the backend may not know (cuda), and the token counts as lost.
 *
 * \param[in] stream  the stream; GS_STREAM_CURRENT allowed.
 * \param[in] token   not NULL; the bytes of gs_token_create().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (token is NULL, or the bytes are not a token of this version),
 *         GS_ERROR_INVALID_HANDLE (stream is not live, or the lease has ended), GS_ERROR_DEVICE_MISMATCH (no device of
 *         this process has the token's UUID), GS_ERROR_NOT_SUPPORTED (the stream belongs to another backend, or the
 *         token comes from another folder of GPUSTREAM_SHM_DIR, or on cuda from another pid namespace), GS_ERROR_FULL
 *         (64 other processes use tokens of the same file), GS_ERROR_PEER_LOST (its process has ended); the start
 *         statuses; the driver statuses; the call statuses.
 * \cost queue
 * \backends host: a stream that already waits when the other process ends fails with GS_ERROR_PEER_LOST, and its later
 *           work never runs. The processes may be of different pid namespaces. cuda: the driver lets such a stream go
 *           on, so ask gs_token_status() before relying on what it computes.
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
 *         token's UUID), GS_ERROR_NOT_SUPPORTED (the token comes from another folder of GPUSTREAM_SHM_DIR, or on cuda
 *         from another pid namespace), GS_ERROR_FULL (64 other processes use tokens of the same file); the start
 *         statuses; the driver statuses; the call statuses.
 * \cost queue
 */
GS_API gs_status_t gs_token_status(const gs_token_t *token, gs_status_t *out_status);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_WAIT_H */
