// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/settings.hpp"

#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/env.hpp"
#include "base/log.hpp"

namespace gs::cuda {
namespace {

constexpr char kVariable[] = "CUDA_VISIBLE_DEVICES";
constexpr char kOrder[] = "CUDA_DEVICE_ORDER";
constexpr size_t kLongest = 4096; // a longer value is compared as far as this

struct Kept {
    bool was_set = false;
    bool whole = true;
    char value[kLongest] = {};

    void keep(const char *now) noexcept {
        was_set = now != nullptr;
        if (!now) return;
        whole = std::strlen(now) < sizeof value;
        std::strncpy(value, now, sizeof value - 1);
    }
    const char *text() const noexcept { return was_set ? value : nullptr; }
};

// Written before start() returns OK, only read after.
constinit Kept g_visible{}, g_order{};
constinit std::atomic<bool> g_warned{false};

enum Reading : int { kNotRead, kReadAsKept, kReadUnseen };
constinit std::atomic<int> g_reading{kNotRead};

// Finding a variable costs a nanosecond or two per variable of the environment, more than the rest of the calling function.
// So a caller in a loop looks once per tick of the system's clock, an occasional caller every time.
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
    if (!now || !g_visible.was_set) return !now == !g_visible.was_set;
    return std::strncmp(now, g_visible.value, sizeof g_visible.value - 1) == 0;
}

} // namespace

void remember_settings() noexcept {
    g_visible.keep(env_text(kVariable));
    g_order.keep(env_text(kOrder));
}

// Overrides the other: a thread that looks during start() takes this library for another one.
void settings_were_read() noexcept { g_reading.store(kReadAsKept, std::memory_order_release); }

void settings_were_read_unseen() noexcept {
    int not_read = kNotRead;
    g_reading.compare_exchange_strong(not_read, kReadUnseen, std::memory_order_acq_rel);
}

Status settings_in_force(inventory::DeviceSettings *out) noexcept {
    const int reading = g_reading.load(std::memory_order_acquire);
    if (reading == kReadUnseen)
        return fail(
            GS_ERROR_NOT_SUPPORTED,
            "which GPU it is cannot be determined: another library initialised CUDA, and the values of %s and %s at "
            "that time are unknown",
            kVariable, kOrder);
    if (reading == kReadAsKept && !(g_visible.whole && g_order.whole))
        return fail(GS_ERROR_NOT_SUPPORTED, "which GPU it is cannot be determined: %s or %s was too long to be kept",
                    kVariable, kOrder);
    *out = reading == kNotRead ? inventory::DeviceSettings{env_text(kVariable), env_text(kOrder)}
                               : inventory::DeviceSettings{g_visible.text(), g_order.text()};
    return kOk;
}

void watch_settings() noexcept {
    if (g_warned.load(std::memory_order_relaxed) || !time_to_look()) return;
    const char *now = env_text(kVariable);
    if (unchanged(now) || g_warned.exchange(true, std::memory_order_relaxed)) return;
    log_message(
        GS_LOG_WARNING,
        "%s was %s%s%s when CUDA was initialised and is %s%s%s now: the change has no effect in this process. Set "
        "it before the first use of a device",
        kVariable, g_visible.was_set ? "'" : "", g_visible.was_set ? g_visible.value : "unset",
        g_visible.was_set ? "'" : "", now ? "'" : "", now ? now : "unset", now ? "'" : "");
}

} // namespace gs::cuda
