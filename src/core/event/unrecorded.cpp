// SPDX-License-Identifier: Apache-2.0
#include "core/event/unrecorded.hpp"

#include "base/log.hpp"

namespace gs {

std::atomic<int32_t> g_unrecorded_mode{GS_UNRECORDED_IGNORE};

Status unrecorded_wait() noexcept {
    constexpr char kText[] = "a wait for an event that was never recorded waits for nothing";
    switch (g_unrecorded_mode.load(std::memory_order_relaxed)) {
    case GS_UNRECORDED_ERROR: return fail(GS_ERROR_NOT_RECORDED, "%s", kText);
    case GS_UNRECORDED_WARN: log_message(GS_LOG_WARNING, kText); break;
    default: break;
    }
    return kOk;
}

} // namespace gs
