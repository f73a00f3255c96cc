// SPDX-License-Identifier: Apache-2.0
// The pinned host memory that the library handed out. Only the address of such a block may be freed in the driver,
// and the free needs the device in whose context the block was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/lock.hpp"

namespace gs::gpu {

struct HostBlock {
    void *pointer = nullptr;
    int32_t ordinal = 0;
    HostBlock *next = nullptr;
};

class HostBlocks {
public:
    constexpr HostBlocks() noexcept = default;

    // Takes the node over. A node is made before the memory it will describe, so that adding cannot fail.
    void add(HostBlock *block) noexcept;
    // The node, now the caller's, or nullptr. Two threads freeing the same pointer: one gets it.
    HostBlock *remove(void *pointer) noexcept;
    size_t size() noexcept;

private:
    static constexpr size_t kBuckets = 256;
    static size_t bucket_of(const void *pointer) noexcept {
        // Pinned blocks are page-aligned.
        return static_cast<size_t>((reinterpret_cast<uintptr_t>(pointer) >> 12) * 0x9E3779B97F4A7C15u >> 56) % kBuckets;
    }

    Mutex mutex_;
    std::array<HostBlock *, kBuckets> heads_ GS_GUARDED_BY(mutex_) = {};
    size_t size_ GS_GUARDED_BY(mutex_) = 0;
};

} // namespace gs::gpu
