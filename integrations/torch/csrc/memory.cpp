// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "calls.hpp"

namespace gpustream_torch {
namespace {

using c10::CachingDeviceAllocator::DeviceStats;

// What a DataPtr of a device refers to. Allocated and freed in the order of one stream.
struct Block {
    void *pointer = nullptr;
    size_t bytes = 0;
    c10::DeviceIndex device = 0;
    gs_stream_t stream = nullptr; // with a reference
    std::mutex mutex;             // of what follows, until the block is freed
    std::vector<gs_stream_t> others;
};

class Statistics {
public:
    void change(c10::DeviceIndex device, int64_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        DeviceStats &stats = of(device);
        for (auto *all : {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes})
            count((*all)[0], bytes);
        for (auto *all : {&stats.allocation, &stats.segment, &stats.active}) count((*all)[0], bytes > 0 ? 1 : -1);
    }
    DeviceStats get(c10::DeviceIndex device) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return of(device);
    }
    template <typename Change>
    void each(c10::DeviceIndex device, Change &&change) {
        const std::lock_guard<std::mutex> lock(mutex_);
        DeviceStats &stats = of(device);
        for (auto *all : {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes,
                          &stats.allocation, &stats.segment, &stats.active})
            change((*all)[0]);
    }

private:
    static void count(c10::CachingAllocator::Stat &stat, int64_t amount) {
        if (amount > 0)
            stat.increase(static_cast<size_t>(amount));
        else
            stat.decrease(static_cast<size_t>(-amount));
    }
    DeviceStats &of(c10::DeviceIndex device) { return stats_[device]; }

    std::mutex mutex_;
    std::map<c10::DeviceIndex, DeviceStats> stats_;
};

Statistics &statistics() {
    static auto *const immortal = new Statistics;
    return *immortal;
}

// Called wherever a tensor ends, also while the process exits: a failure means that the memory stays.
void free_block(void *context) {
    auto *block = static_cast<Block *>(context);
    gs_status_t status = GS_OK;
    for (gs_stream_t other : block->others) {
        if (status == GS_OK) status = gs_stream_wait_stream(block->stream, other);
        (void)gs_stream_destroy(other);
    }
    if (status == GS_OK) status = gs_free_async(block->pointer, block->stream);
    if (status == GS_OK) statistics().change(block->device, -static_cast<int64_t>(block->bytes));
    (void)gs_stream_destroy(block->stream);
    delete block;
}

class DeviceMemory final : public c10::DeviceAllocator {
public:
    c10::DataPtr allocate(size_t bytes) override {
        const c10::DeviceIndex index = current_index();
        const c10::Device device(kType, index);
        if (bytes == 0) return {nullptr, device};
        auto block = std::make_unique<Block>();
        block->bytes = bytes;
        block->device = index;
        block->stream = current_stream(index);
        check(gs_malloc_async(bytes, block->stream, &block->pointer));
        check(gs_stream_retain(block->stream));
        statistics().change(index, static_cast<int64_t>(bytes));
        void *const pointer = block->pointer;
        return {pointer, block.release(), &free_block, device};
    }
    c10::DeleterFnPtr raw_deleter() const override { return nullptr; } // a pointer alone does not know its stream
    void copy_data(void *to, const void *from, size_t bytes) const override {
        gs_stream_t stream = current_stream(current_index());
        check(gs_memcpy_async(to, from, bytes, stream));
        check(gs_stream_synchronize(stream));
    }
    bool initialized() override { return true; }
    void emptyCache(c10::MempoolId_t) override {}
    void recordStream(const c10::DataPtr &pointer, c10::Stream stream) override { record_stream(pointer, stream); }
    DeviceStats getDeviceStats(c10::DeviceIndex device) override { return statistics().get(device); }
    void resetAccumulatedStats(c10::DeviceIndex device) override {
        statistics().each(device, [](c10::CachingAllocator::Stat &stat) { stat.reset_accumulated(); });
    }
    void resetPeakStats(c10::DeviceIndex device) override {
        statistics().each(device, [](c10::CachingAllocator::Stat &stat) { stat.reset_peak(); });
    }
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        return {page * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)),
                page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES))};
    }
};

class PinnedMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override {
        void *pointer = nullptr;
        if (bytes != 0) check(gs_malloc_host(bytes, &pointer));
        const std::lock_guard<std::mutex> lock(mutex());
        if (pointer) ranges()[reinterpret_cast<uintptr_t>(pointer)] = bytes;
        return {pointer, pointer, &free_pinned, c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
    void copy_data(void *to, const void *from, size_t bytes) const override {
        std::copy_n(static_cast<const char *>(from), bytes, static_cast<char *>(to));
    }

    static bool contains(uintptr_t address) {
        const std::lock_guard<std::mutex> lock(mutex());
        auto after = ranges().upper_bound(address);
        return after != ranges().begin() && address - std::prev(after)->first < std::prev(after)->second;
    }

private:
    static std::mutex &mutex() {
        static auto *const immortal = new std::mutex;
        return *immortal;
    }
    static std::map<uintptr_t, size_t> &ranges() {
        static auto *const immortal = new std::map<uintptr_t, size_t>;
        return *immortal;
    }
    static void free_pinned(void *pointer) {
        if (!pointer) return;
        {
            const std::lock_guard<std::mutex> lock(mutex());
            ranges().erase(reinterpret_cast<uintptr_t>(pointer));
        }
        (void)gs_free_host(pointer);
    }
};

DeviceMemory g_device_memory;
REGISTER_ALLOCATOR(kType, &g_device_memory);

} // namespace

void record_stream(const c10::DataPtr &pointer, const c10::Stream &stream) {
    if (!pointer.get() || pointer.get_deleter() != &free_block) return;
    auto *block = static_cast<Block *>(pointer.get_context());
    gs_stream_t other = to_gpustream(stream);
    const std::lock_guard<std::mutex> lock(block->mutex); // Python's method lets other threads run
    if (other == block->stream || std::find(block->others.begin(), block->others.end(), other) != block->others.end())
        return;
    check(gs_stream_retain(other));
    block->others.push_back(other);
}

c10::Allocator *pinned_allocator() {
    static auto *const immortal = new PinnedMemory;
    return immortal;
}

bool is_pinned(const void *pointer) { return PinnedMemory::contains(reinterpret_cast<uintptr_t>(pointer)); }

} // namespace gpustream_torch
