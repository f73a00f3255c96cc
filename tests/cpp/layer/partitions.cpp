// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

using namespace layer;

LAYER(gs_partition_create, gs_device_t on, const uint32_t *counts, size_t count, uint32_t flags, gs_partition_t *out) {
    // C refuses so many without a look at them.
    if (!counts || !out || count > 1024) return gs_partition_create(on, counts, count, flags, out);
    for (size_t i = 0; i < count; ++i) out[i] = nullptr;
    const std::vector<uint32_t> wanted(counts, counts + count);
    return status_of([&] { return partition::split(wanted, on, static_cast<partition_flags>(flags)); },
                     [&](std::vector<partition> &&made) {
                         for (size_t i = 0; i < count; ++i) out[i] = made[i].release();
                     });
}
LAYER(gs_partition_destroy, gs_partition_t handle) {
    return status_of([&] { return partition(handle).close(); });
}
LAYER(gs_partition_info, gs_partition_t handle, gs_partition_summary_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_partition_info(handle, out);
    return give_struct(out, [&] { return partition_ref(handle).info(); });
}
LAYER(gs_stream_create_in, gs_partition_t handle, int32_t priority, uint32_t flags, gs_stream_t *out) {
    OR_C(out, gs_stream_create_in, handle, priority, flags, out);
    return give(out, [&] { return partition_ref(handle).create_stream(priority, static_cast<stream_flags>(flags)); });
}
