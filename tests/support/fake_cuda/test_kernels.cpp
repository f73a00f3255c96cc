// SPDX-License-Identifier: Apache-2.0
// Kernels under the names used by the tests' PTX, and the other API's part of timeline semaphores.
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "fake_cuda/faults.hpp"
#include "simulated/kernel_launch.hpp"

namespace gs::simulated {
namespace {

template <typename T>
T argument(void **arguments, int index) {
    T value;
    std::memcpy(&value, arguments[index], sizeof value);
    return value;
}

// out[i] = base + i for each thread i < count
void fill_index(const LaunchShape &launch, void **arguments) {
    auto *out = argument<uint32_t *>(arguments, 0);
    const auto base = argument<uint32_t>(arguments, 1);
    const auto count = argument<uint32_t>(arguments, 2);
    const uint32_t threads = launch.grid[0] * launch.block[0];
    for (uint32_t i = 0; i < threads && i < count; ++i) out[i] = base + i;
}

// The first thread alone adds one.
void add_one(const LaunchShape &, void **arguments) { ++*argument<uint32_t *>(arguments, 0); }

// Stores how much dynamic shared memory the launch has.
void scratch(const LaunchShape &launch, void **arguments) { *argument<uint32_t *>(arguments, 0) = launch.shared_bytes; }

// Lets others start, then writes whether *flag became 1 (1) or the time passed first (2).
void primary(const LaunchShape &, void **arguments) {
    const auto *flag = argument<uint32_t *>(arguments, 0);
    trigger_launches();
    for (uint32_t left = argument<uint32_t>(arguments, 2); left > 0; --left) {
        if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    *argument<uint32_t *>(arguments, 1) = __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0 ? 1 : 2;
}

// Sets *flag, then notes what the kernel ahead has written.
void secondary(const LaunchShape &, void **arguments) {
    __atomic_store_n(argument<uint32_t *>(arguments, 0), 1, __ATOMIC_RELEASE);
    wait_for_earlier();
    *argument<uint32_t *>(arguments, 2) = *argument<uint32_t *>(arguments, 1);
}

} // namespace

void register_test_kernels() {
    register_kernel("fill_index", {sizeof(void *), sizeof(uint32_t), sizeof(uint32_t)}, fill_index);
    register_kernel("add_one", {sizeof(void *)}, add_one);
    register_kernel("primary", {sizeof(void *), sizeof(void *), sizeof(uint32_t)}, primary);
    register_kernel("secondary", {sizeof(void *), sizeof(void *), sizeof(void *)}, secondary);
    register_kernel("scratch", {sizeof(void *)}, scratch);
}

} // namespace gs::simulated

using gs::simulated::map_semaphore;
using gs::simulated::SharedWord;

#define CONTROL extern "C" __attribute__((visibility("default")))

CONTROL int fake_cuda_make_semaphore(uint64_t initial) {
    const int fd = memfd_create("timeline semaphore", MFD_CLOEXEC);
    const SharedWord word{SharedWord::kMagic, initial};
    if (fd >= 0 && write(fd, &word, sizeof word) == static_cast<ssize_t>(sizeof word)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

CONTROL int fake_cuda_semaphore_value(int fd, uint64_t *out) {
    SharedWord *word = map_semaphore(fd);
    if (!word) return -1;
    *out = __atomic_load_n(&word->value, __ATOMIC_ACQUIRE);
    return munmap(word, sizeof *word);
}

CONTROL int fake_cuda_signal_semaphore(int fd, uint64_t value) {
    SharedWord *word = map_semaphore(fd);
    if (!word) return -1;
    __atomic_store_n(&word->value, value, __ATOMIC_RELEASE); // streams see it within a millisecond
    return munmap(word, sizeof *word);
}
