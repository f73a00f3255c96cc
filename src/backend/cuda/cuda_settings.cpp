// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "backend/cuda/cuda_backend.hpp"
#include "backend/cuda/driver_errors.hpp"
#include "backend/cuda/settings.hpp"
#include "base/env.hpp"
#include "base/log.hpp"

namespace gs::cuda {
namespace {

constexpr char kVariable[] = "CUDA_VISIBLE_DEVICES";
constexpr size_t kLongest = 4096; // a longer value is compared as far as this

// Written before start() returns OK, only read after.
constinit bool g_was_set = false;
constinit char g_value[kLongest] = {};
constinit std::atomic<bool> g_warned{false};

// Finding a variable takes a nanosecond or two for each that there is, more than all else in the calls that come here.
// So a caller in a loop looks once per tick of the system's clock, one that calls now and then each time.
constexpr uint32_t kAlwaysLook = 64;
constinit std::atomic<uint32_t> g_looks{0};
constinit std::atomic<int64_t> g_last_tick{0};

// Plain loads and stores: a look too many or too few between two threads does no harm.
bool time_to_look() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now); // as fine as a tick, and without a system call
    const int64_t tick = now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
    const uint32_t looks = g_looks.load(std::memory_order_relaxed);
    if (looks >= kAlwaysLook && g_last_tick.load(std::memory_order_relaxed) == tick) return false;
    g_last_tick.store(tick, std::memory_order_relaxed);
    if (looks < kAlwaysLook) g_looks.store(looks + 1, std::memory_order_relaxed);
    return true;
}

bool unchanged(const char *now) noexcept {
    if (!now || !g_was_set) return !now == !g_was_set;
    return std::strncmp(now, g_value, sizeof g_value - 1) == 0;
}

} // namespace

void remember_settings() noexcept {
    const char *value = env_text(kVariable);
    g_was_set = value != nullptr;
    if (value) std::strncpy(g_value, value, sizeof g_value - 1);
}

void CudaBackend::watch_environment() noexcept {
    if (g_warned.load(std::memory_order_relaxed) || !time_to_look()) return;
    const char *now = env_text(kVariable);
    if (unchanged(now) || g_warned.exchange(true, std::memory_order_relaxed)) return;
    log_message(
        GS_LOG_WARNING,
        "%s was %s%s%s when CUDA was initialised and is %s%s%s now: the change has no effect in this process. Set "
        "it before the first use of a device",
        kVariable, g_was_set ? "'" : "", g_was_set ? g_value : "unset", g_was_set ? "'" : "", now ? "'" : "",
        now ? now : "unset", now ? "'" : "");
}

Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept {
    int parts[2] = {};
    constexpr CUdevice_attribute kParts[] = {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                             CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR};
    for (int i = 0; i < 2; ++i) {
        const CUresult result = g_driver.device_get_attribute(thread, &parts[i], kParts[i], device);
        if (result != CUDA_SUCCESS) return fail_start(result, g_driver.device_get_attribute.name);
    }
    if (10 * parts[0] + parts[1] < kEmbeddedArch)
        log_message(GS_LOG_WARNING,
                    "CUDA device %d has compute capability %d.%d; the kernels of gpustream need %d.%d or later: "
                    "gs_stream_sleep() will fail on it",
                    ordinal, parts[0], parts[1], kEmbeddedArch / 10, kEmbeddedArch % 10);
    return kOk;
}

const char *CudaBackend::arch_list() const noexcept { return "compute_50"; }
const char *CudaBackend::gencode_flags() const noexcept { return "-gencode compute=compute_50,code=compute_50"; }

static_assert(kEmbeddedArch == 50, "the two texts above name it");

} // namespace gs::cuda
