// SPDX-License-Identifier: Apache-2.0
// The log: the last operations of each thread, in a ring of fixed size that only this thread writes. It may be read at
// any time, without a lock: a signal handler too, and of a thread that is being interrupted in the middle of a write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_block.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::recorder {

extern std::atomic<uint64_t> g_log_entries __attribute__((visibility("hidden")));
// Of each thread, a power of two; 0: the log is off.
inline uint64_t log_entries() noexcept { return g_log_entries.load(std::memory_order_relaxed); }
inline bool is_logging() noexcept { return log_entries() != 0; }
void start_log(uint64_t entries) noexcept; // 0: off; what rings have stays

// The ring of this thread, which is the caller; nullptr: no memory, or the log is off by now.
LogRing *new_log_ring(ThreadBlock &thread) noexcept __attribute__((cold, noinline));
[[gnu::always_inline]] inline LogRing *own_log_ring(ThreadBlock &thread) noexcept {
    LogRing *present = thread.log.load(std::memory_order_relaxed);
    const bool serves = present && present->size() >= log_entries();
    return serves ? present : new_log_ring(thread);
}
inline void add_to_log(ThreadBlock &thread, const LogEntry &entry) noexcept {
    if (LogRing *ring = own_log_ring(thread)) ring->add(entry);
}

const LogRing *ring_of_thread(const ThreadBlock &thread) noexcept; // nullptr: none

// All entries of all threads, in no order.
void visit_log(LogVisit visit, void *context) noexcept;

// A stream to which a thread has submitted work inside a range.
struct UsedStream {
    uint64_t stream = 0;
    uint64_t first_ns = 0; // when its first work had been submitted
};
inline constexpr size_t kMostUsed = 16; // of a range

// Of the innermost range that the calling thread has open, by its log: how many. Operations in streams beyond them are counted.
size_t streams_used(const ThreadBlock &thread, UsedStream (&out)[kMostUsed], uint64_t *out_beyond) noexcept;

} // namespace gs::recorder
