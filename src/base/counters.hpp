// SPDX-License-Identifier: Apache-2.0
// Per-thread statistics. Only the owning thread writes, with plain stores; gs_get_stats sums over all threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

#define GS_COUNTERS(X)                                                                                                 \
    X(driver_calls)                                                                                                    \
    X(records)                                                                                                         \
    X(waits)                                                                                                           \
    X(queries)                                                                                                         \
    X(synchronizes)                                                                                                    \
    X(elided_waits) X(elided_queries) X(elided_synchronizes) X(events_created) X(event_pool_hits) X(event_pool_misses) \
        X(streams_created) X(stream_pool_hits) X(stream_pool_misses) X(notifications) X(reclaim_rounds)

class Counter {
public:
    void add(uint64_t n = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<uint64_t> value_{0};
};

struct Counters {
#define GS_X(name) Counter name;
    GS_COUNTERS(GS_X)
#undef GS_X
};

} // namespace gs
