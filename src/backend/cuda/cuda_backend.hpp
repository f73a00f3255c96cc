// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: gs::Backend on the driver API. What each function does to contexts and captures is written down in
// docs/design/cuda.md.
#pragma once

#include "backend/backend.hpp"

namespace gs::cuda {

class CudaBackend final : public Backend {
public:
#include "backend/backend_overrides.inc"

    gs_backend_t kind() const noexcept override { return GS_BACKEND_CUDA; }
    const char *name() const noexcept override { return "cuda"; }
    uint32_t caps() const noexcept override;
    // cuda_devices.cpp
    Status get_limit(int32_t ordinal, int32_t limit, uint64_t *out) noexcept override;
    Status set_limit(int32_t ordinal, int32_t limit, uint64_t value) noexcept override;
    Status profile(ThreadBlock &thread, int32_t ordinal, bool on) noexcept override;
    Status find_context(ThreadBlock &thread, int32_t ordinal, bool *out_present) noexcept override;

    // cuda_events.cpp
    Status record_on_healthy(ThreadBlock &thread, uintptr_t event, StreamRef stream) noexcept override;
    Status wait_on_healthy(ThreadBlock &thread, StreamRef stream, uintptr_t event) noexcept override;
    int64_t elapsed_error_ns(double ms) const noexcept override;
    // cuda_pools.cpp
    Status pool_create(int32_t ordinal, uint32_t flags, uint64_t keep, uintptr_t *out) noexcept override;
    Status pool_destroy(int32_t ordinal, uint32_t flags, uintptr_t pool) noexcept override;
    Status pool_trim(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, uint64_t keep) noexcept override;
    Status pool_use(ThreadBlock &thread, int32_t ordinal, uintptr_t pool, PoolQuestion question,
                    PoolUsage *out) noexcept override;
    // cuda_values.cpp
    Status has_wide_values(int32_t ordinal, bool *out) noexcept override;
    Status import_semaphore(int32_t ordinal, int32_t type, int fd, uintptr_t *out) noexcept override;
    Status destroy_semaphore(int32_t ordinal, uintptr_t semaphore) noexcept override;
    Status signal_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore,
                            uint64_t value) noexcept override;
    Status wait_semaphore(ThreadBlock &thread, StreamRef stream, uintptr_t semaphore, uint64_t value) noexcept override;
};

struct Device;
// Makes the pool that cuMemAllocAsync uses on the device keep freed memory, unless other code has set its release
// threshold. With the driver's default, 0, every synchronization returns all of it to the system, and stalls. Done
// once.
Status keep_freed(ThreadBlock &thread, Device &device) noexcept __attribute__((cold));

} // namespace gs::cuda

namespace gs {

Backend &cuda_backend() noexcept;
Status cuda_no_device() noexcept; // BackendRow::no_device

} // namespace gs
