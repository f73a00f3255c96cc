// SPDX-License-Identifier: Apache-2.0
// Priorities and the table of pinned memory.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "backend/gpu/device_facts.hpp"
#include "backend/gpu/host_blocks.hpp"

namespace gs::cuda {
namespace {

static_assert(gpu::clamp_priority({0, -5}, -3) == -3);
static_assert(gpu::clamp_priority({0, -5}, 7) == 0);
static_assert(gpu::clamp_priority({0, -5}, INT32_MIN) == -5);
static_assert(gpu::clamp_priority({0, 0}, -1) == 0);

TEST(CudaPriorities, ARangeSurvivesPackingAndIsNeverZero) {
    for (const gpu::PriorityRange range :
         {gpu::PriorityRange{0, 0}, gpu::PriorityRange{0, -5}, gpu::PriorityRange{1, -1}}) {
        const uint64_t packed = gpu::pack_range(range);
        EXPECT_NE(packed, 0u);
        EXPECT_EQ(gpu::unpack_range(packed).least, range.least);
        EXPECT_EQ(gpu::unpack_range(packed).greatest, range.greatest);
    }
}

gpu::HostBlock *block_at(uintptr_t address, int32_t ordinal) {
    auto *block = new gpu::HostBlock;
    block->pointer = reinterpret_cast<void *>(address);
    block->ordinal = ordinal;
    return block;
}

TEST(CudaHostBlocks, KnowsExactlyWhatWasAdded) {
    gpu::HostBlocks blocks;
    // Pages far apart and side by side, so that buckets are shared.
    for (uintptr_t page = 1; page <= 1000; ++page) blocks.add(block_at(page << 12, static_cast<int32_t>(page)));
    EXPECT_EQ(blocks.size(), 1000u);
    EXPECT_EQ(blocks.remove(nullptr), nullptr);
    EXPECT_EQ(blocks.remove(reinterpret_cast<void *>((uintptr_t{5} << 12) + 8)), nullptr);
    for (uintptr_t page = 1000; page >= 1; --page) {
        const std::unique_ptr<gpu::HostBlock> block(blocks.remove(reinterpret_cast<void *>(page << 12)));
        ASSERT_TRUE(block);
        EXPECT_EQ(block->ordinal, static_cast<int32_t>(page));
        EXPECT_EQ(blocks.remove(reinterpret_cast<void *>(page << 12)), nullptr);
    }
    EXPECT_EQ(blocks.size(), 0u);
}

TEST(CudaHostBlocks, OfManyThreadsThatFreeABlockOneGetsIt) {
    gpu::HostBlocks blocks;
    constexpr uintptr_t kPages = 500;
    for (uintptr_t page = 1; page <= kPages; ++page) blocks.add(block_at(page << 12, 0));
    std::atomic<size_t> removed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (uintptr_t page = 1; page <= kPages; ++page)
                if (std::unique_ptr<gpu::HostBlock> block{blocks.remove(reinterpret_cast<void *>(page << 12))})
                    ++removed;
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(removed.load(), kPages);
    EXPECT_EQ(blocks.size(), 0u);
}

} // namespace
} // namespace gs::cuda
#endif
