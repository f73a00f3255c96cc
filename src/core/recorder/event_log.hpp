// SPDX-License-Identifier: Apache-2.0
// The log: the last operations of each thread, in a ring of fixed size that only this thread writes. It may be read at
// any time, without a lock: a signal handler too, and of a thread that is being interrupted in the middle of a write.
#pragma once

#include "base/thread_block.hpp"
#include "core/recorder/evidence.hpp"

namespace gs::recorder {

// Of each thread, a power of two; 0: the log is off.
uint64_t log_entries() noexcept;
inline bool is_logging() noexcept { return log_entries() != 0; }
void start_log(uint64_t entries) noexcept;                            // 0: off; what rings have stays
void add_to_log(ThreadBlock &thread, const LogEntry &entry) noexcept; // by that thread

const LogRing *ring_of_thread(const ThreadBlock &thread) noexcept; // nullptr: none

// All entries of all threads, in no order.
void visit_log(LogVisit visit, void *context) noexcept;

} // namespace gs::recorder
