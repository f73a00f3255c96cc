// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <thread>

#include "lane.hpp"

namespace pipeline {
namespace {

// Assigns the chunks in file order to the lane that asks next.
class ChunkQueue {
public:
    ChunkQueue(uint64_t length, uint32_t chunk_bytes)
        : length_(length), chunk_bytes_(chunk_bytes), count_((length - 1) / chunk_bytes + 1) {}

    bool next(Chunk *chunk) {
        const uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= count_) return false;
        const uint64_t offset = index * chunk_bytes_;
        *chunk = {index, offset, static_cast<uint32_t>(std::min<uint64_t>(length_ - offset, chunk_bytes_))};
        return true;
    }
    void close() { next_.store(count_, std::memory_order_relaxed); }

private:
    const uint64_t length_;
    const uint64_t chunk_bytes_;
    const uint64_t count_;
    std::atomic<uint64_t> next_{0};
};

class Workers {
public:
    Workers(const LaneSetup &setup, const std::vector<LanePlan> &lanes, ChunkQueue &queue)
        : setup_(setup), queue_(queue), ready_(static_cast<std::ptrdiff_t>(lanes.size())) {
        size_t started = 0;
        try {
            for (; started < lanes.size(); ++started)
                threads_.emplace_back([this, &lanes, started] { work(lanes[started]); });
        } catch (...) {
            fail();
            ready_.count_down(static_cast<std::ptrdiff_t>(lanes.size() - started));
        }
    }
    // Returns when all are done; throws the first failure.
    void join() {
        threads_.clear();
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void work(const LanePlan &plan) {
        bool counted = false;
        try {
            Lane lane(setup_, plan);
            // Preparing a lane is slow on a GPU: the lanes and the clock start together, once all are prepared.
            counted = true;
            ready_.arrive_and_wait();
            for (Chunk chunk; queue_.next(&chunk);) lane.process(chunk);
            lane.finish();
        } catch (...) {
            fail();
            if (!counted) ready_.count_down();
        }
    }
    void fail() {
        queue_.close();
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }

    const LaneSetup &setup_;
    ChunkQueue &queue_;
    std::latch ready_;
    std::mutex mutex_;
    std::exception_ptr failure_;
    std::vector<std::jthread> threads_; // last member: joined before the others are destroyed
};

} // namespace

RunResult run(const RunPlan &plan, const Kernels &kernels, const FileReader &file, Progress *progress) {
    // All times are relative to this event.
    const gpustream::stream stream = gpustream::stream::create(plan.device);
    const gpustream::timed_event time_zero = gpustream::timed_event::create(gpustream::event_flags::blocking);
    stream.record(time_zero);
    time_zero.synchronize();

    Collector collector(plan.length, progress);
    ChunkQueue queue(plan.length, plan.chunk_bytes);
    const std::vector<LanePlan> lanes = plan_lanes(plan.streams);
    const LaneSetup setup{plan.device, kernels, file, time_zero, plan.chunk_bytes, collector, plan.forget_wait};
    Workers(setup, lanes, queue).join();
    RunResult result = collector.take();
    result.lanes = lanes;
    return result;
}

} // namespace pipeline
