// SPDX-License-Identifier: Apache-2.0
// The library's counters since the object was created, without resetting them.
#pragma once

#include <gtest/gtest.h>

#include "gpustream.h"

namespace gs::test {

inline gs_stats_t read_stats() {
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_EQ(gs_get_stats(&stats), GS_OK);
    return stats;
}

class StatsDelta {
public:
    StatsDelta() : before_(read_stats()) {}

    uint64_t since(uint64_t gs_stats_t::*counter) const { return read_stats().*counter - before_.*counter; }
    uint64_t driver_calls() const { return since(&gs_stats_t::driver_calls); }
    void restart() { before_ = read_stats(); }

private:
    gs_stats_t before_;
};

} // namespace gs::test
