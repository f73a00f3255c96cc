// SPDX-License-Identifier: Apache-2.0
// Streams of partitions, as their tests see them.
#pragma once

#include <cstdint>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"

namespace gs::test {

using Partition = Owner<gs_partition_t, gs_partition_destroy>;

inline Partition make_partition() {
    const uint32_t one = 1;
    gs_partition_t partition = nullptr;
    EXPECT_OK(gs_partition_create(0, &one, 1, 0, &partition));
    return Partition(partition);
}

inline Stream stream_in(gs_partition_t partition, int32_t priority = 0, uint32_t flags = 0) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_stream_create_in(partition, priority, flags, &stream));
    return Stream(stream);
}

inline uint64_t driver_id(gs_stream_t stream) {
    uint64_t id = 0;
    EXPECT_OK(gs_stream_driver_id(stream, &id));
    return id;
}

// Of a stream that has had work, and has ended.
inline uint64_t use_and_destroy(Stream stream) {
    Event event = make_event();
    EXPECT_OK(gs_event_record(event, stream));
    return driver_id(stream);
}

inline uint64_t live_streams_of(gs_partition_t partition) {
    gs_partition_summary_t summary{};
    summary.struct_size = sizeof summary;
    EXPECT_OK(gs_partition_info(partition, &summary));
    return summary.streams;
}

inline void expect_nothing_left() {
    EXPECT_EQ(fake().live(FAKE_CUDA_STREAM), 0u);
    EXPECT_EQ(fake().live(FAKE_CUDA_GREEN_CONTEXT), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
