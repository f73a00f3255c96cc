// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/settings.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/env.hpp"

namespace gs::cuda {
namespace {

constexpr size_t kLongest = 4096;

struct Kept {
    bool was_set = false;
    bool cut = false; // it was too long; all zero at first, which costs the library's file nothing
    char value[kLongest] = {};

    void keep(const char *now) noexcept {
        was_set = now != nullptr;
        if (!now) return;
        cut = std::strlen(now) >= sizeof value;
        std::strncpy(value, now, sizeof value - 1);
    }
    const char *text() const noexcept { return was_set ? value : nullptr; }
};

// Written before start() returns OK, only read afterwards.
constinit Kept g_visible{}, g_order{};

enum Reading : int { kNotRead, kReadAsKept, kReadUnseen };
constinit std::atomic<int> g_reading{kNotRead};

} // namespace

// cuInit reads the variables in the next moment, so they are read here once more, even if their values were kept.
void remember_settings() noexcept {
    g_visible.keep(env_now(Variable::CudaVisible));
    g_order.keep(env_now(Variable::CudaOrder));
}

// Overrides the other state: a thread that looks during start() takes this library for another one.
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
            name_of(Variable::CudaVisible), name_of(Variable::CudaOrder));
    if (reading == kReadAsKept && (g_visible.cut || g_order.cut))
        return fail(GS_ERROR_NOT_SUPPORTED, "which GPU it is cannot be determined: %s or %s was too long to be kept",
                    name_of(Variable::CudaVisible), name_of(Variable::CudaOrder));
    *out = reading == kNotRead
               ? inventory::DeviceSettings{env_text(Variable::CudaVisible), env_text(Variable::CudaOrder)}
               : inventory::DeviceSettings{g_visible.text(), g_order.text()};
    return kOk;
}

} // namespace gs::cuda
