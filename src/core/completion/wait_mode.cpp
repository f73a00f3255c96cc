// SPDX-License-Identifier: Apache-2.0
#include "core/completion/wait_mode.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/log.hpp"
#include "gpustream.h"

namespace gs {
namespace {

constexpr const char *kWaitModes[] = {"driver", "spin", "block", "adaptive"}; // GS_WAIT_*

std::atomic<uint32_t> g_wait_share{0};

int32_t mode_of_environment() noexcept {
    const char *text = env_text(Variable::Wait);
    if (!text || *text == '\0') return GS_WAIT_DRIVER;
    for (int32_t mode = 0; mode <= GS_WAIT_ADAPTIVE; ++mode)
        if (std::strcmp(text, kWaitModes[mode]) == 0) return mode;
    log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is none of driver, spin, block and adaptive",
                name_of(Variable::Wait), text);
    return GS_WAIT_DRIVER;
}

} // namespace

std::atomic<int32_t> g_wait_mode{-1};

int32_t wait_mode_slowly() noexcept {
    int32_t mode = -1;
    const int32_t first = mode_of_environment();
    return g_wait_mode.compare_exchange_strong(mode, first, std::memory_order_relaxed) ? first : mode;
}

uint32_t wait_share_percent() noexcept {
    uint32_t share = g_wait_share.load(std::memory_order_relaxed);
    if (share != 0) return share;
    share = static_cast<uint32_t>(env_number(kWaitCpuNumber));
    g_wait_share.store(share, std::memory_order_relaxed);
    return share;
}

} // namespace gs
