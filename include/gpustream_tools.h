/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream_tools.h
 * Seeing and checking: names, ranges, traces, dumps, and the checker that finds missing waits.
 *
 * A program needs it while it is developed, and while its author looks for a hang, a race or a leak. Nothing here
 * changes what the program computes.
 *
 * The checker, dumps, traces and the report of leaks are in a library of their own, libgpustream_tools.so.0, which lies
 * beside libgpustream.so.0. The first call or variable of the environment that asks for one of them loads it. Where it
 * is missing or of another build, the call returns GS_ERROR_UNAVAILABLE, and the variable is ignored with a message in
 * the log. A child that was forked from a process with a started backend has the tools only if the parent had loaded
 * them. Names, ranges and marks, and what is declared to a checker that is off, do without the tools.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_TOOLS_H
#define GPUSTREAM_TOOLS_H

#include "gpustream/graph.h"
#include "gpustream/memory.h"
#include "gpustream/wait.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of gs_check_start(). */
enum {
    /** The process is aborted (SIGABRT) once the first report has been delivered. */
    GS_CHECK_ABORT = 1,
    /** Each access also keeps the call stack of its thread. Without it only the later access has one. */
    GS_CHECK_STACKS = 2
};

/** Flags of gs_trace_options_t. */
enum {
    /** Ranges of threads are also timed on the device, in the streams that get their work. */
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

/** What gs_trace_begin() is to keep. */
typedef struct gs_trace_options {
    /** sizeof(gs_trace_options_t); see Structs. */
    uint32_t struct_size;
    /** 0 or GS_TRACE_* values combined. */
    uint32_t flags;
    /** Operations of each thread that are kept, rounded up to a power of two, 16 at least; 0: 16384. */
    uint64_t operations;
} gs_trace_options_t;

/* ---- seeing and checking --------------------------------------------------------------------- */

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
 * \cost library
 * \threadsafety any thread, also in a host function.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_event_set_name(gs_event_t event, const char *name);

/**
 * Sets the name of a graph, and of the executables that are made from it later.
 *
 * The same rules hold as for gs_stream_set_name(). An executable keeps the name that the graph has when it is
 * instantiated, also once the graph has ended or was renamed. Error texts, dumps, the log and traces name its launches
 * so. A tool of NVTX gets a range with that name around each launch, on its thread. Clones do not inherit the name.
 *
 * \param[in] graph  live graph.
 * \param[in] name   the name, as for gs_stream_set_name(); NULL or "": no name.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (graph is not a live graph); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
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
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_memory_set_name(const void *pointer, const char *name);

/**
 * Begins a range of the calling thread, which ends with gs_range_pop().
 *
 * Ranges say which part of a program a time belongs to. They may be nested: each thread has a stack of them. A range
 * goes to the log (GPUSTREAM_LOG, see gs_dump()), to a trace (gs_trace_begin()) and to a tool that NVTX would load,
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
 * \cost library
 * \threadsafety any thread, also in a host function; concerns the calling thread only.
 * \ownership name is not used after the call.
 */
GS_API gs_status_t gs_range_push(const char *name);

/**
 * Ends the innermost range of the calling thread.
 *
 * A thread's ranges that are still open when it ends are dropped.
 *
 * \return GS_OK, or: GS_ERROR_SCOPE (no range of this thread is open: nothing happens); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function; concerns the calling thread only.
 */
GS_API gs_status_t gs_range_pop(void);

/**
 * Begins a range that any thread may end, with gs_range_end().
 *
 * Such ranges need not be nested. The same rules hold as for gs_range_push().
 *
 * \param[in] name        not NULL; as for gs_range_push().
 * \param[out] out_range  not NULL; the range's number, above 0 and used only once.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL), GS_ERROR_FULL (1024 such ranges of the process are
 *         open: nothing was begun); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership name is not used after the call.
 */
GS_API gs_status_t gs_range_start(const char *name, uint64_t *out_range);

/**
 * Ends a range that gs_range_start() has begun.
 *
 * The calling thread need not be the one that began it.
 *
 * \param[in] range  its number.
 * \return GS_OK, or: GS_ERROR_SCOPE (no range with this number is open: nothing happens); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_range_end(uint64_t range);

/**
 * Marks a moment of the calling thread.
 *
 * The mark goes where ranges go: see gs_range_push().
 *
 * \param[in] text  not NULL; what happens, as the name of gs_range_push().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (text is NULL); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership text is not used after the call.
 */
GS_API gs_status_t gs_mark(const char *text);

/**
 * Begins a trace: from now on the library keeps what the process does, for gs_trace_write().
 *
 * A trace has the ranges and marks of threads, and what was submitted to streams through the library: records, waits,
 * signals, launches, copies, fills, allocations and frees. It shows which of them orders which. Host times are those of
 * the calls, by CLOCK_MONOTONIC. With GS_TRACE_DEVICE_TIMES two events of the library also time each range of
 * gs_range_push() on the device, in the stream that is current when the range begins. Inside the range the thread may
 * submit work to other streams. Then each of those has the range, from the first submission or from the end of the
 * stream's earlier range to an event at the range's end. The current stream then has it only if it got work, too. A
 * range is not timed in a host function, in a stream that is captured, or if a record fails.
 *
 * Each thread keeps its last operations in a ring of fixed size, 48 bytes each, which it has until the process ends.
 * What does not fit is dropped, oldest first, and counted in the trace. The log (GPUSTREAM_LOG) is a part of the same
 * ring and keeps at least as much while a trace runs. What the trace before had kept is forgotten.
 *
 * \param[in]  options    struct_size set; NULL: no flags, and 16384 operations of each thread.
 * \param[out] out_trace  not NULL; the trace's number, above 0 and used only once in the process.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_trace is NULL, struct_size is wrong, unknown flags, or operations
 *         is above 1048576), GS_ERROR_NOT_PERMITTED (a trace is running: it goes on as it was), GS_ERROR_UNAVAILABLE
 *         (the tools are missing); the start statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 * \ownership options is not used after the call. The trace runs until gs_trace_end().
 */
GS_API gs_status_t gs_trace_begin(const gs_trace_options_t *options, uint64_t *out_trace);

/**
 * Ends the trace that has this number, which can still be written.
 *
 * Ranges that are open end in the trace at this moment. The calling thread need not be the one that began it.
 *
 * \param[in] trace  its number.
 * \return GS_OK, or: GS_ERROR_SCOPE (no trace with this number is running: nothing happens),
 *         GS_ERROR_UNAVAILABLE (the tools are missing); the getter statuses.
 * \cost library
 * \threadsafety any thread; calls that are running on other threads may be in the trace or not.
 */
GS_API gs_status_t gs_trace_end(uint64_t trace);

/**
 * Writes the trace as text: JSON in the form that Chrome, Perfetto and PyTorch's profiler share.
 *
 * Times are in microseconds. A process of the trace is a device, named by its number, and a thread in it is a stream;
 * the host's threads are in the process's own number. A wait has the category "cuda_sync" and the arguments
 * "wait_on_stream" and "wait_on_cuda_event_record_corr_id", as PyTorch's traces have them, and an arrow leads to it
 * from the very record that it waits for. "gpustream" at the top says what was dropped. A running trace goes on; what
 * it has so far is written, and may be written again. The library keeps one trace, until the next one begins.
 *
 * \param[in] trace  its number, of gs_trace_begin(); 0: the one that is kept.
 * \param[in] write  not NULL; receives the text piece by piece, in order, with no lock held. Whatever it returns but
 *                   GS_OK ends the call, which returns the same.
 * \param[in] arg    passed to write; any value, also NULL.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (write is NULL), GS_ERROR_NOT_RECORDED (the trace was never begun, or
 *         another one has begun since), GS_ERROR_UNAVAILABLE (the tools are missing), GS_ERROR_SYNC_FORBIDDEN
 *         (gs_forbid_sync()), or what write has returned; the call statuses.
 * \blocking only with GS_TRACE_DEVICE_TIMES: then it compares the clocks of the devices that ranges were timed on with
 *           the host's, in a stream of its own. Ranges whose work is not done yet are left out and counted.
 * \cost wait
 * \threadsafety any thread; what other threads do while it runs may be in the text or not.
 * \ownership text is valid only during the call of write, is not NUL-terminated and has at least one byte.
 */
GS_API gs_status_t gs_trace_write(uint64_t trace, gs_status_t (*write)(void *arg, const char *text, size_t bytes),
                                  void *arg);

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
 * \return GS_OK, or: GS_ERROR_UNAVAILABLE (fn is not NULL, and the tools are missing); the getter statuses.
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text lives as long as the process; arg stays the caller's and must live while fn is set.
 */
GS_API gs_status_t gs_set_trace_callback(void (*fn)(void *arg, int32_t kind, uint64_t stream, uint64_t object,
                                                    uint64_t value, const char *text),
                                         void *arg);

/**
 * Starts collecting in a profiler that is attached to the process, for the current device's backend.
 *
 * The switch is the process's and does not count: the first gs_profiler_stop() ends what several starts began. Without
 * a profiler the call succeeds and does nothing. Nothing is waited for: synchronize first for an exact beginning.
 *
 * \return GS_OK, or: GS_ERROR_NOT_SUPPORTED (the driver has no such function); the start statuses; the driver statuses;
 *         the call statuses.
 * \cost driver
 * \backends cuda: cuProfilerStart(), in the primary context of the current device. host: does nothing.
 */
GS_API gs_status_t gs_profiler_start(void);

/**
 * Stops collecting in a profiler that is attached to the process.
 *
 * See gs_profiler_start(). What still runs may be cut off: synchronize first for an exact end.
 *
 * \return GS_OK, or: GS_ERROR_NOT_SUPPORTED (the driver has no such function); the start statuses; the driver statuses;
 *         the call statuses.
 * \cost driver
 * \backends cuda: cuProfilerStop(). host: does nothing.
 */
GS_API gs_status_t gs_profiler_stop(void);

/**
 * Writes what streams wait for, and the last operations of each, as text for people.
 *
 * It is for a program that hangs. For each live stream the text names the last wait that may still be open, and the
 * event, stream or timeline that it is for. It follows the waits from stream to stream down to one that waits for no
 * other, or to a value of a timeline that is still to be signalled. No driver is asked. The library knows that an event
 * is complete if a query or a synchronizing call has seen it. So a wait for an event *may* be what holds a stream up. A
 * timeline's value is read as it is.
 *
 * The environment variable GPUSTREAM_LOG=N keeps the last N operations (16 to 1048576, rounded up to a power of two) of
 * each thread: records, waits, signals, launches, copies and what was seen to be complete, with their times. Without
 * the log the text has the last wait of each stream, and not which of two that wait for each other was first.
 * GPUSTREAM_DUMP_SIGNAL=N makes the signal of that number write the text to stderr; it is ignored, with a warning, if
 * the signal has a handler. GPUSTREAM_DUMP_ON=error or timeout, or both with a comma between them, writes it once, when
 * a call first returns GS_ERROR_STICKY or GS_ERROR_TIMEOUT. It goes to stderr or, with GPUSTREAM_DUMP_FILE=path, to the
 * end of that file; "%p" in the path stands for the process's number.
 *
 * GPUSTREAM_SYNCS=1 adds how often and how long calls blocked each thread, by function and caller; with
 * GPUSTREAM_SYNCS=null a warning, too, for each caller that uses the default stream. GPUSTREAM_LEAKS=1 writes objects
 * and memory of pools that are left when the process exits to stderr, with names and makers. All are read by the first
 * call that makes an object, allocates, submits work, waits or synchronizes. The text may change between versions.
 *
 * Once the tools are loaded, it takes no lock and no memory, and leaves errno and gs_last_error() alone; only the
 * descriptor can make it wait. A signal handler must not load them. So a program whose handler calls this function
 * makes one call before, for instance into /dev/null, unless a variable of the environment has loaded the tools. What
 * other threads do while it runs may be in the text or not.
 *
 * \param[in] fd  open file descriptor, which is written to and stays open. If it is a pipe without a reader, SIGPIPE
 *                is raised as by write().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (fd is negative), GS_ERROR_SYSTEM (a write failed: the text is
 *         incomplete), GS_ERROR_UNAVAILABLE (the tools are missing).
 * \cost library
 * \threadsafety any thread, also in a host function, in a signal handler and in a forked child, as said above.
 */
GS_API gs_status_t gs_dump(int32_t fd);

/**
 * Returns why a stream is not done: what it waits for, and where that leads, as text for people.
 *
 * The text is what gs_dump() writes about this stream. The first line follows the waits. It begins at the stream's
 * first wait that may be open, goes to the stream that this wait is for, and ends at the operation that waits for
 * nothing. The next lines are the stream's last operations, if GPUSTREAM_LOG keeps them. gs_dump() says what the
 * library knows and what the words mean. If the stream waits for nothing, the line says so. The stream's own work then
 * runs or is done, and the library does not ask the driver which.
 *
 * The text may have changed between two calls; a caller that gets one that does not fit calls again with more room.
 *
 * \param[in] stream      live stream; GS_STREAM_CURRENT is not one.
 * \param[out] out_text   [capacity] NUL-terminated UTF-8, lines separated by '\n', as much as fits; NULL only if
 *                        capacity is 0.
 * \param[in] capacity    room in out_text, in bytes.
 * \param[out] out_bytes  not NULL; size of the whole text with its NUL, which may exceed capacity.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_bytes is NULL, or out_text is NULL while capacity is not 0),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_UNAVAILABLE (the tools are missing); the
 *         getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 */
GS_API gs_status_t gs_explain_wait(gs_stream_t stream, char *out_text, size_t capacity, size_t *out_bytes);

/**
 * Writes what the log file of a process says about its streams, as text for people; the process may have ended.
 *
 * The environment variable GPUSTREAM_LOG_FILE=path keeps the log in a file that outlives the process, whatever ended
 * it; "%p" in the path stands for the process's number. It turns the log on, with 1024 operations a thread if
 * GPUSTREAM_LOG does not say how many. The text is as that of gs_dump(), with what the file knows. A wait counts as
 * open unless a thread has seen it to be met, and a timeline's value is the largest one that was seen. A file that a
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
 *         or a write failed), GS_ERROR_UNAVAILABLE (the tools are missing); the common statuses.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_dump_log(const char *path, int32_t fd);

/**
 * Turns the ordering checker on, for the whole process.
 *
 * From then on the library remembers which range of memory each stream reads and writes. It reports two accesses to the
 * same byte, at least one of them a write, if neither is ordered before the other. It knows the accesses that
 * gs_check_read() and gs_check_write() declare and those of gs_memcpy_async(), gs_memset_async(), gs_malloc_async(),
 * gs_free_async() and gs_free_host(). Order comes from streams, events, timelines and waits, and from the default
 * stream's rules. It also comes from what a thread has seen to be complete by a query, a synchronizing call or an entry
 * of a queue. Between threads it comes from gs_check_handover() and the end of a thread. What is found does not depend
 * on timing. The checker does not see work that was submitted before the start, nor order that other code makes by raw
 * handles. The latter alone can lead to a report of accesses that are ordered.
 *
 * A launch of a graph has the accesses of its nodes, with the order inside the graph. These are copies and fills, and
 * what gs_graph_check_read() and gs_graph_check_write() declare. Of captures they are also what was declared, allocated
 * and freed. Bodies of a condition count as if each ran once. An executable that was made before the start has no
 * accesses.
 *
 * Two waits can be met by what comes later: for a timeline's value of which no signal is submitted yet, and
 * gs_stream_wait_value(), whose word anything may write. Accesses behind such a wait, and behind what is ordered after
 * it, are neither reported nor remembered until the wait is known to be met. That is at the signal, at the end of the
 * timeline, or when the thread that submitted the wait synchronizes that stream or its device. For each timeline the
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
 *         GS_ERROR_SYSTEM (one of the files cannot be opened), GS_ERROR_UNAVAILABLE (the tools are missing); the getter
 *         statuses.
 * \cost library
 * \threadsafety any thread; calls that are running on other threads may remain unknown to the checker.
 */
GS_API gs_status_t gs_check_start(uint32_t flags);

/**
 * Turns the ordering checker off and forgets what it knows.
 *
 * It does nothing if the checker is off. The function of gs_set_check_callback() stays set.
 *
 * \return GS_OK, or: the getter statuses.
 * \cost library
 * \threadsafety any thread; a report that another thread has found may still be delivered.
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
 * \cost start
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
 * \cost start
 */
GS_API gs_status_t gs_check_write(gs_stream_t stream, const void *address, size_t bytes, const char *label);

/**
 * Declares, to the ordering checker, that a node of a graph reads a range of memory.
 *
 * It is for nodes that were added one by one, as gs_check_read() is for work that is captured. The library cannot know
 * what a kernel's or a host function's node accesses. If an executable is made from the graph afterwards, or updated by
 * it, while the checker is on, each of its launches has the access. gs_graph_clone() and GS_NODE_GRAPH take it along.
 * Declarations of one node add up; changing the node in an executable (gs_graph_exec_set_node()) drops them there. If
 * the checker is off, the arguments are checked and nothing else happens.
 *
 * \param[in] graph    live graph, or a body of a condition.
 * \param[in] node     node of graph. An access of a condition or of a child graph comes before what is inside.
 * \param[in] address  [bytes] beginning of the range, which is only compared, never accessed; NULL only if bytes is 0.
 * \param[in] bytes    size of the range; 0 does nothing.
 * \param[in] label    what the work is, for reports: NUL-terminated text, any length, copied; NULL for none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (graph has no such node, address is NULL while bytes is above 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call
 *         statuses.
 * \cost library
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
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (graph has no such node, address is NULL while bytes is above 0, or the
 *         range passes the end of the address space), GS_ERROR_INVALID_HANDLE (graph is not a live graph); the call
 *         statuses.
 * \cost library
 */
GS_API gs_status_t gs_graph_check_write(gs_graph_t graph, gs_node_t node, const void *address, size_t bytes,
                                        const char *label);

/**
 * Declares, to the ordering checker, that the calling thread and others hand over what they know.
 *
 * A thread knows that work is complete from its own queries and synchronizing calls. The checker does not see it if
 * threads tell each other so by a lock, a condition variable or an atomic variable. Then each of them calls this
 * function with the same clock: where it holds the lock, or before its store and after the load that sees it. The
 * caller then knows what earlier callers knew. The end of a thread needs no such call: other threads are taken to have
 * joined it.
 *
 * \param[in,out] inout_clock  not NULL; a number that the caller keeps beside its lock, 0 at first. The call gives it a
 *                             value, which means nothing to later runs of the checker. Unchanged if the checker is off.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (inout_clock is NULL); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function; calls with one clock are serialised by the library.
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
 * \return GS_OK, or: GS_ERROR_UNAVAILABLE (fn is not NULL, and the tools are missing); the getter statuses.
 * \cost library
 * \threadsafety any thread; when the call returns, the previous function may still be running on another thread.
 * \ownership text and json are valid only during the call of fn; arg stays the caller's and must live while fn is set.
 */
GS_API gs_status_t gs_set_check_callback(void (*fn)(void *arg, const char *text, const char *json), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_TOOLS_H */
