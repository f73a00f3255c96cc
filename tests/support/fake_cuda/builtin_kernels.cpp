// SPDX-License-Identifier: Apache-2.0
// Kernels built into the fake driver, under the names used by the tests' PTX.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "fake_cuda/kernels.hpp"

namespace fake {
namespace {

template <typename T>
T argument(void **arguments, int index) {
    T value;
    std::memcpy(&value, arguments[index], sizeof value);
    return value;
}

// out[i] = base + i for each thread i < count
void fill_index(const fake_cuda_launch_t *launch, void **arguments) {
    auto *out = argument<uint32_t *>(arguments, 0);
    const auto base = argument<uint32_t>(arguments, 1);
    const auto count = argument<uint32_t>(arguments, 2);
    const uint32_t threads = launch->grid[0] * launch->block[0];
    for (uint32_t i = 0; i < threads && i < count; ++i) out[i] = base + i;
}

// The first thread alone adds one.
void add_one(const fake_cuda_launch_t *, void **arguments) { ++*argument<uint32_t *>(arguments, 0); }

// Stores how much dynamic shared memory the launch has.
void scratch(const fake_cuda_launch_t *launch, void **arguments) {
    *argument<uint32_t *>(arguments, 0) = launch->shared_bytes;
}

// What our kernel does with cudaGraphSetConditional().
void set_condition(const fake_cuda_launch_t *, void **arguments) {
    const auto handle = argument<uint64_t>(arguments, 0);
    reinterpret_cast<engine::GraphCondition *>(handle)->value.store(*argument<const uint32_t *>(arguments, 1));
}

// Of `gpustream shake`: a node of a graph is late every second time. What a test runs takes longer than any clock's step.
void shake_delay(const fake_cuda_launch_t *, void **arguments) {
    static std::atomic<uint32_t> runs{0};
    const auto odds = argument<uint32_t>(arguments, 1);
    if (odds < 100 && (odds == 0 || runs.fetch_add(1) % 2 != 0)) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(argument<uint64_t>(arguments, 0)));
}

} // namespace

void register_builtin_kernels() {
    static constexpr size_t kFill[] = {sizeof(void *), sizeof(uint32_t), sizeof(uint32_t)};
    static constexpr size_t kPointer[] = {sizeof(void *)};
    register_kernel("fill_index", kFill, std::size(kFill), fill_index);
    register_kernel("add_one", kPointer, std::size(kPointer), add_one);
    register_kernel("scratch", kPointer, std::size(kPointer), scratch);
    static constexpr size_t kCondition[] = {sizeof(uint64_t), sizeof(const uint32_t *)};
    static constexpr size_t kDelay[] = {sizeof(uint64_t), sizeof(uint32_t), sizeof(uint32_t)};
    register_kernel("gs_delay", kDelay, std::size(kDelay), shake_delay);
    register_kernel("gs_set_condition", kCondition, std::size(kCondition), set_condition);
}

} // namespace fake
