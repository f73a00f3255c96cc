// SPDX-License-Identifier: Apache-2.0
#include "core/stream/partition_end.hpp"

#include "core/stream/partition_life.hpp"
#include "core/stream/stream_pool.hpp"

namespace gs {

Status end_partition(uint64_t handle) noexcept {
    PartitionSlot *slot = nullptr;
    GS_TRY(close_partition(handle, &slot));
    end_pooled_streams(*slot);
    release_partition(*slot);
    return kOk;
}

} // namespace gs
