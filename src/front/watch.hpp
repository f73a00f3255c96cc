// SPDX-License-Identifier: Apache-2.0
// What is done with watched calls: each part sees all of them and takes what it wants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_block.hpp"
#include "front/call.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::front {

// Once, when the library is loaded, with the settings read.
void start_watch() noexcept;

// The calling thread may wait in it.
bool may_block(DriverCall kind) noexcept;
// It puts work in a stream that uses memory or time of the device.
bool is_work(DriverCall kind) noexcept;
// Whether a stream is captured now, as far as is seen. Only then do calls ask the driver about their own stream.
bool any_capture() noexcept;
bool is_captured(const Call &call) noexcept;
// A file of this name, with the number of the process ahead of it: the command looks for it when the program has ended.
void leave_mark(const char *ending) noexcept;
// The checker does not check (any more): the command tells its caller so by its exit code.
void leave_unchecked(const char *what, const char *why) noexcept;
// 0 becomes the word that the driver knows for it: 1, the legacy stream, or 2, the thread's own.
uint64_t driver_stream(const Call &call) noexcept;

// The parts. begin_: at the start; before_ and saw_: around the driver's function; write_: the report, at exit.
void count_call(const Call &call) noexcept;
void write_stats() noexcept;
void begin_log() noexcept;
void before_logged(const Call &call) noexcept;
void saw_logged(const Call &call) noexcept;
void before_timed(Call &call) noexcept;
void saw_timed(const Call &call) noexcept;
void saw_birth(const Call &call) noexcept;
void saw_capture(const Call &call) noexcept;
void write_captures() noexcept;
void begin_check() noexcept;
void before_checked(Call &call) noexcept;
void saw_checked(const Call &call) noexcept;
void write_races() noexcept;
void begin_learning() noexcept;
void before_learnt(const Call &call) noexcept;
void saw_learnt(const Call &call) noexcept;
void begin_delays() noexcept;
void before_delayed(const Call &call) noexcept;
void saw_delayed(const Call &call) noexcept;
void write_delays() noexcept;

// --trace: the calls of a program's threads and what they put in streams. They are in the log of each process, which outlives it
// however it ends; the command then opens this library to write the logs as traces. With --device-times the log also has when the
// device did the work.

// Of one process to `file`; of several to files with the number of the process ahead of the ending. nullptr, or what went wrong;
// the text is valid until the thread's next call.
const char *write_traces(const char *const *logs, size_t count, const char *file, int device_times) noexcept;

// The numbers of the driver's objects in the log.

uint64_t logged_stream(ThreadBlock &thread, const Call &call) noexcept;
uint64_t logged_device() noexcept; // of the current context, as a LogEntry has it

// Work that the device has done.
struct TimedWork {
    uint64_t stream = 0, device = 0;
    int64_t from_ns = 0, until_ns = 0, error_ns = 0; // CLOCK_MONOTONIC
    uint32_t thread = 0, row = 0;                    // that called, and what: of kCallRows
};
void log_times(ThreadBlock &thread, const TimedWork &work) noexcept;
// From its two entries, which follow each other on a thread.
TimedWork timed_work(const recorder::LogEntry &from, const recorder::LogEntry &until) noexcept;

bool is_default_stream(uint64_t stream) noexcept; // of a context, or of a thread

} // namespace gs::front
