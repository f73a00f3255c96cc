// SPDX-License-Identifier: Apache-2.0
// Pools and their statistics, for tests.
#pragma once

#include "conformance/conformance.hpp"

namespace gs::test {

using Pool = Owner<gs_pool_t, gs_pool_destroy>;

inline Pool make_pool(uint32_t flags = 0, uint64_t limit = 0, gs_device_t device = GS_DEVICE_CURRENT) {
    gs_pool_options_t options{};
    options.struct_size = sizeof options;
    options.flags = flags;
    options.limit_bytes = limit;
    gs_pool_t pool = nullptr;
    EXPECT_OK(gs_pool_create(device, &options, &pool));
    return Pool(pool);
}

inline gs_pool_stats_t stats_of(gs_pool_t pool) {
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_OK(gs_pool_get_stats(pool, &stats));
    return stats;
}

inline void *allocate(gs_pool_t pool, size_t bytes, gs_stream_t stream) {
    void *pointer = nullptr;
    EXPECT_OK(gs_pool_malloc(pool, bytes, stream, &pointer));
    return pointer;
}

} // namespace gs::test
