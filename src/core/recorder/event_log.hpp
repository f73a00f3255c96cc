// SPDX-License-Identifier: Apache-2.0
// The log: the last operations of each thread, in a ring of fixed size that only this thread writes. It may be read at
// any time, without a lock: a signal handler too, and of a thread that is being interrupted in the middle of a write.
#pragma once

#include "base/thread_block.hpp"
#include "core/recorder/log_entry.hpp"

namespace gs::recorder {

// Of each thread, a power of two; 0: the log is off.
uint64_t log_entries() noexcept;
inline bool is_logging() noexcept { return log_entries() != 0; }
void start_log(uint64_t entries) noexcept;                            // once
void add_to_log(ThreadBlock &thread, const LogEntry &entry) noexcept; // by that thread

// visit(context, entry) for all entries of all threads, in no order.
using LogVisit = void (*)(void *context, const LogEntry &entry) noexcept;
void visit_log(LogVisit visit, void *context) noexcept;
template <typename Function>
void for_each_entry(Function &&function) noexcept {
    visit_log([](void *context, const LogEntry &entry) noexcept { (*static_cast<Function *>(context))(entry); },
              const_cast<void *>(static_cast<const void *>(&function)));
}

} // namespace gs::recorder
