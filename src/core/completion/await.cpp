// SPDX-License-Identifier: Apache-2.0
#include "core/completion/await.hpp"

#include "handle/grace.hpp"

namespace gs {
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
            if (!waiter.pass(list[i].history.window(), told, signal)) return Status{GS_ERROR_TIMEOUT};
        }
        // Work that was done before the wait began does not show its duration.
        if (waited && i == 0) list[i].history.add(waiter.elapsed_ns());
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
            const Learner::Window window = list[i].history.window();
            if (window.known && (!soonest.known || window.low_ns < soonest.low_ns)) soonest = window;
        }
        if (!waiter.pass(soonest, told, signal)) return Status{GS_ERROR_TIMEOUT};
    }
}

} // namespace gs
