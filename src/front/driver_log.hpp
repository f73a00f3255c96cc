// SPDX-License-Identifier: Apache-2.0
// The numbers of the driver's objects in the log.
#pragma once

#include <cstdint>

#include "base/thread_block.hpp"
#include "front/call.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::front {

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
