// SPDX-License-Identifier: Apache-2.0
// Parts of the contract (backend.hpp): semaphores of other APIs, what a launch has beside its geometry, and what a backend says
// about partitions and pools.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs {

// A stream as the backend sees it. For words 0 and 2 the ordinal says which device is meant.
struct StreamRef {
    int32_t ordinal;
    uintptr_t native;
};

inline bool has_attributes(const gs_launch_config_t &config) noexcept {
    return (config.flags | config.cluster_x | config.cluster_y | config.cluster_z | config.reserved) != 0 ||
           config.priority != 0 || config.programmatic_event != nullptr;
}

class Semaphores {
public:
    virtual const char *name() const noexcept = 0; // as in the table of backends

    // type: GS_FD_*. May create the context. After success the file descriptor is the driver's. INVALID_ARGUMENT: it is no
    // such semaphore. NOT_SUPPORTED: the driver or the device has none of that type.
    virtual Status import_semaphore(int32_t ordinal, int32_t /*type*/, int /*fd*/, uintptr_t * /*out*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d cannot import semaphores of other APIs", name(), ordinal);
    }
    // No stream uses it any more.
    virtual Status destroy_semaphore(int32_t /*ordinal*/, uintptr_t /*semaphore*/) noexcept { return kOk; }
    // The core makes no such call on a stream that is being captured. Streams of devices other than the importing one
    // are allowed.
    virtual Status signal_semaphore(ThreadBlock & /*thread*/, StreamRef stream, uintptr_t /*semaphore*/,
                                    uint64_t /*value*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no semaphores of other APIs", name(), stream.ordinal);
    }
    virtual Status wait_semaphore(ThreadBlock & /*thread*/, StreamRef stream, uintptr_t /*semaphore*/,
                                  uint64_t /*value*/) noexcept {
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no semaphores of other APIs", name(), stream.ordinal);
    }

protected:
    ~Semaphores() = default;
};

// The numbers that the flags of gs_partition_create() carry; 0: the caller gave none.
inline uint32_t coscheduled_of(uint32_t flags) noexcept { return flags / GS_PARTITION_COSCHEDULED % 0x100; }
inline uint32_t concurrency_of(uint32_t flags) noexcept { return flags / GS_PARTITION_CONCURRENCY; }

// What a backend says about a partition that it has made, or would make.
struct PartitionNative {
    uintptr_t native = 0;                                          // 0: GS_PARTITION_PLAN
    uint32_t sm_count = 0, device_sm_count = 0, unit_sm_count = 0; // as in gs_partition_summary_t
    uintptr_t known_as = 0;                                        // to other code that uses the driver; 0: to none
};

// What a backend is asked about a pool of its driver's, and what it answers.
enum class PoolQuestion : uint8_t {
    Reserved,  // the present value alone
    Peak,      // and the peak
    ResetPeak, // the peak is lowered to the present value after reading
};

// What the driver has reserved for a pool, bytes.
struct PoolUsage {
    bool known = false;
    uint64_t reserved = 0;
    uint64_t reserved_peak = 0;
};

} // namespace gs
