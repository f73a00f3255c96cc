// SPDX-License-Identifier: Apache-2.0
// Partitions: shares of the workers, which stand for multiprocessors. The unit is one, so every number is exact.
#include "backend/host/host_backend.hpp"

namespace gs::host {

Status HostBackend::partition_create(int32_t ordinal, const uint32_t *counts, size_t count, uint32_t,
                                     PartitionNative *out) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    const auto workers = static_cast<uint64_t>(running().workers().count());
    uint64_t wanted = 0;
    for (size_t i = 0; i < count; ++i) wanted += counts[i];
    if (wanted > workers)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "the partitions do not fit: they need %llu workers, and the host backend has %llu "
                    "(GPUSTREAM_HOST_WORKERS)",
                    static_cast<unsigned long long>(wanted), static_cast<unsigned long long>(workers));
    for (size_t i = 0; i < count; ++i) {
        Share *share = WorkerPool::make_share(static_cast<int32_t>(counts[i]));
        if (!share) {
            while (i > 0) running().workers().leave(*reinterpret_cast<Share *>(out[--i].native));
            return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu partitions", count);
        }
        out[i] = {.native = reinterpret_cast<uintptr_t>(share),
                  .sm_count = counts[i],
                  .device_sm_count = static_cast<uint32_t>(workers),
                  .unit_sm_count = 1};
    }
    return kOk;
}

Status HostBackend::partition_destroy(int32_t, uintptr_t partition) noexcept {
    count_operation();
    running().workers().leave(*reinterpret_cast<Share *>(partition));
    return kOk;
}

} // namespace gs::host
