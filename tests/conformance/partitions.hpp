// SPDX-License-Identifier: Apache-2.0
// Partitions as objects.
#pragma once

#include "conformance/conformance.hpp"

namespace gs::test {

using Partition = Owner<gs_partition_t, gs_partition_destroy>;

inline Partition make_partition(uint32_t count, uint32_t flags = 0) {
    gs_partition_t partition = nullptr;
    EXPECT_OK(gs_partition_create(GS_DEVICE_CURRENT, &count, 1, flags, &partition));
    return Partition(partition);
}

inline Stream stream_in(gs_partition_t partition, int32_t priority = 0) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_stream_create_in(partition, priority, 0, &stream));
    return Stream(stream);
}

inline gs_partition_summary_t summary_of(gs_partition_t partition) {
    gs_partition_summary_t summary{};
    summary.struct_size = sizeof summary;
    EXPECT_OK(gs_partition_info(partition, &summary));
    return summary;
}

} // namespace gs::test
