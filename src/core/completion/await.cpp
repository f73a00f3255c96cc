// SPDX-License-Identifier: Apache-2.0
#include "core/completion/completion_calls.hpp"

#include <sys/prctl.h>

#include <algorithm>

#include "base/lock.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

constexpr unsigned long kWaiterSlackNs = 1'000;
constexpr int kWaiterPauses = 4; // between two questions while spinning

} // namespace

ExactTimers::~ExactTimers() {
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_), 0, 0, 0);
}

void ExactTimers::use() noexcept {
    if (before_ != 0) return;
    before_ = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, kWaiterSlackNs, 0, 0, 0);
}

bool Waiter::pass(const Learner::Window &window, bool told, uint32_t signal) noexcept {
    const uint64_t now = monotonic_ns();
    const uint64_t elapsed = now - begin_ns_;
    if (is_over(elapsed)) return false;
    bool spun = false;
    if (told && limit_.mode != GS_WAIT_SPIN) {
        sleep(elapsed, kLongestRestNs, signal);
    } else if (spins(window, elapsed)) {
        spun = true;
        for (int i = 0; i < kWaiterPauses; ++i) cpu_relax();
        spun_ns_ += monotonic_ns() - (spun_last_ ? asked_ns_ : now); // with the question before
    } else {
        nap(elapsed);
    }
    asked_ns_ = monotonic_ns();
    spun_last_ = spun;
    return true;
}

bool Waiter::rest(uint32_t signal, uint64_t longest_ns) noexcept {
    const uint64_t elapsed = elapsed_ns();
    if (is_over(elapsed)) return false;
    if (longest_ns < kLongestRestNs) timers_.use();
    sleep(elapsed, longest_ns, signal);
    spun_last_ = false;
    return true;
}

bool Waiter::spins(const Learner::Window &window, uint64_t elapsed) noexcept {
    if (limit_.mode == GS_WAIT_SPIN) return true;
    const Step step = next_step(window, elapsed, spun_ns_, wait_share_percent());
    sleep_ns_ = step.sleep_ns;
    return step.spin && limit_.mode != GS_WAIT_BLOCK;
}

void Waiter::nap(uint64_t elapsed) noexcept {
    timers_.use();
    sleep(elapsed, std::max(sleep_ns_, kShortestNapNs / 2), thread_.signal.load(std::memory_order_acquire));
}

void Waiter::sleep(uint64_t elapsed, uint64_t ns, uint32_t signal) noexcept {
    if (limit_.timeout_ns >= 0) ns = std::min(ns, static_cast<uint64_t>(limit_.timeout_ns) - elapsed);
    futex_wait(thread_.signal, signal, std::max<uint64_t>(ns, 1));
}

namespace {

Status ask_awaited(ThreadBlock &thread, const Awaited &one, bool *out_done) noexcept {
    *out_done = one.event == 0;
    if (*out_done) return kOk;
    const CallMark mark(thread); // a reset of the device waits for the question
    GS_TRY(check_health(*one.device));
    return one.device->backend->event_query(thread, one.device->ordinal, one.event, out_done);
}

// Asks the backend to tell this thread. False: it has to be asked.
bool tell_thread(ThreadBlock &thread, const Awaited &one) noexcept {
    Backend &backend = *one.device->backend;
    return (backend.caps() & kCapWakes) != 0 && backend.event_signal(one.event, thread.signal).ok();
}

} // namespace

Status await_all(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit) noexcept {
    Waiter waiter(thread, limit);
    for (size_t i = 0; i < count; ++i) {
        bool waited = false, told = false;
        for (;;) {
            const uint32_t signal = thread.signal.load(std::memory_order_acquire);
            bool done = false;
            GS_TRY(ask_awaited(thread, list[i], &done));
            if (done) break;
            if (!waited) told = tell_thread(thread, list[i]);
            waited = true;
            if (!waiter.pass(learner_of(list[i].device->index).window(), told, signal)) return Status{GS_ERROR_TIMEOUT};
        }
        // Work that was done before the wait began does not show its duration.
        if (waited && i == 0) learner_of(list[i].device->index).add(waiter.elapsed_ns());
    }
    return kOk;
}

Status await_any(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit, size_t *out_index) noexcept {
    Waiter waiter(thread, limit);
    bool told = true;
    for (bool first = true;; first = false) {
        const uint32_t signal = thread.signal.load(std::memory_order_acquire);
        Learner::Window soonest;
        for (size_t i = 0; i < count; ++i) {
            bool done = false;
            const Status status = ask_awaited(thread, list[i], &done);
            if (!status.ok() || done) {
                *out_index = i;
                return status;
            }
            if (first) told = tell_thread(thread, list[i]) && told;
            const Learner::Window window = learner_of(list[i].device->index).window();
            if (window.known && (!soonest.known || window.low_ns < soonest.low_ns)) soonest = window;
        }
        if (!waiter.pass(soonest, told, signal)) return Status{GS_ERROR_TIMEOUT};
    }
}

} // namespace gs
