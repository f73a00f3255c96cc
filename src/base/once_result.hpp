// SPDX-License-Identifier: Apache-2.0
// Runs an initialisation once and latches its outcome with its detail: every later caller gets the same reason.
#pragma once

#include <atomic>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs {

class OnceResult {
public:
    constexpr OnceResult() noexcept = default;

    bool done_ok() const noexcept { return state_.load(std::memory_order_acquire) == kDoneOk; }

    // The status it failed with; GS_OK if it has not run or has succeeded.
    gs_status_t failure() const noexcept {
        return state_.load(std::memory_order_acquire) == kFailed ? failed_with_.code : GS_OK;
    }

    template <typename Body>
    Status run(Body &&body) noexcept {
        const int state = state_.load(std::memory_order_acquire);
        if (state == kDoneOk) return kOk;
        if (state == kFailed) return replay();
        LaterMessages later;
        MutexLock lock(mutex_);
        if (state_.load(std::memory_order_relaxed) == kDoneOk) return kOk;
        if (state_.load(std::memory_order_relaxed) == kFailed) return replay();
        const Status status = body();
        if (status.ok()) {
            state_.store(kDoneOk, std::memory_order_release);
            return kOk;
        }
        failed_with_ = status;
        if (ThreadBlock *thread = this_thread()) detail_ = thread->pending;
        state_.store(kFailed, std::memory_order_release);
        return status;
    }

private:
    enum { kNotRun, kDoneOk, kFailed };

    Status replay() noexcept {
        if (ThreadBlock *thread = this_thread()) thread->pending = detail_;
        return failed_with_;
    }

    std::atomic<int> state_{kNotRun};
    Mutex mutex_;
    Status failed_with_{};
    gs_error_info_t detail_{};
};

} // namespace gs
