// SPDX-License-Identifier: Apache-2.0
// Shared by the stress tests: sizes, threads that start together, reproducible random numbers.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "support/long_form.hpp"
#include "support/objects.hpp"
#include "support/stats_delta.hpp"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define GS_SANITIZED 1
#else
#define GS_SANITIZED 0
#endif

namespace gs::test {

// Number of repetitions: in units for a plain build and under a sanitizer, ten times as often in a full run.
inline int rounds(int plain, int sanitized) { return (GS_SANITIZED ? sanitized : plain) * (long_form() ? 30 : 3); }

inline uint32_t base_seed() {
    const char *value = std::getenv("GPUSTREAM_TEST_SEED");
    return value ? static_cast<uint32_t>(std::strtoul(value, nullptr, 10)) : 20240607u;
}

class Random {
public:
    explicit Random(uint32_t stream) : engine_(base_seed() * 2654435761u + stream) {}
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>(engine_() % limit); }
    bool chance(uint32_t percent) { return below(100) < percent; }
    uint64_t word() { return static_cast<uint64_t>(engine_()) << 32 | engine_(); }

private:
    std::mt19937 engine_;
};

// Runs body(0) ... body(n-1) on n threads that begin at the same moment.
inline void run_threads(int count, const std::function<void(int)> &body) {
    std::atomic<int> waiting{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            --waiting;
            while (waiting.load() > 0) std::this_thread::yield();
            body(i);
        });
    for (std::thread &thread : threads) thread.join();
}

// Threads that use the objects of a table, and replace one in a quarter of their steps.
template <typename Table>
void use_while_others_replace(int threads, int steps, Table &table, void (*use)(Table &, Random &),
                              void (*replace)(Table &, Random &)) {
    Random first(0);
    for (int i = 0; i < 24; ++i) replace(table, first); // so that there is something to use
    run_threads(threads, [&](int i) {
        Random random(static_cast<uint32_t>(i) + 1);
        for (int step = 0; step < steps; ++step) (random.chance(25) ? replace : use)(table, random);
    });
}

// A call that races with the destruction of its object succeeds or returns INVALID_HANDLE, nothing else.
inline bool alive_or_gone(gs_status_t status) { return status == GS_OK || status == GS_ERROR_INVALID_HANDLE; }
#define EXPECT_ALIVE_OR_GONE(call)                                                                                     \
    do {                                                                                                               \
        const gs_status_t gs_status_of_call = (call);                                                                  \
        EXPECT_TRUE(::gs::test::alive_or_gone(gs_status_of_call))                                                      \
            << #call " gave " << gs_status_name(gs_status_of_call);                                                    \
    } while (0)

// A handle that many threads use while other threads replace it.
template <typename Handle>
class Shared {
public:
    Handle get() const { return handle_.load(std::memory_order_acquire); }
    Handle put(Handle handle) { return handle_.exchange(handle, std::memory_order_acq_rel); }

private:
    std::atomic<Handle> handle_{nullptr};
};

// The image with the kernels count and nothing, for the backend that runs here.
inline const char *kernels_image() {
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    EXPECT_OK(gs_default_backend(&backend));
    return backend == GS_BACKEND_CUDA ? GPUSTREAM_STRESS_PTX : GPUSTREAM_STRESS_KERNELS;
}

inline void settle() {
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_OK(gs_device_synchronize(1));
    EXPECT_OK(gs_trim());
}

} // namespace gs::test
