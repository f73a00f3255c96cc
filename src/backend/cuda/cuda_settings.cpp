// SPDX-License-Identifier: Apache-2.0
#include <atomic>
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
    if (g_warned.load(std::memory_order_relaxed)) return;
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
