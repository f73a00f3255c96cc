// SPDX-License-Identifier: Apache-2.0
// What a backend says about a partition that it has made.
#pragma once

#include <cstdint>

namespace gs {

struct PartitionNative {
    uintptr_t native = 0;
    uint32_t sm_count = 0, device_sm_count = 0, unit_sm_count = 0; // as in gs_partition_summary_t
    uintptr_t known_as = 0;                                        // to other code that uses the driver; 0: to none
};

} // namespace gs
