// SPDX-License-Identifier: Apache-2.0
#include "core/completion/dispatcher.hpp"

#include <new>

#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/os_thread.hpp"
#include "base/thread_block.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/mark.hpp"
#include "core/completion/scanner.hpp"

namespace gs {
namespace {

Mutex g_dispatcher_mutex;
Condition g_wake;
Call *g_first GS_GUARDED_BY(g_dispatcher_mutex) = nullptr;
Call **g_last GS_GUARDED_BY(g_dispatcher_mutex) = &g_first;
bool g_resting GS_GUARDED_BY(g_dispatcher_mutex) = false;
uint64_t g_turns GS_GUARDED_BY(g_dispatcher_mutex) = 0;
std::atomic<bool> g_running{false};

Call *take() noexcept {
    MutexLock lock(g_dispatcher_mutex);
    while (!g_first) {
        g_resting = true;
        g_wake.wait(g_dispatcher_mutex);
        g_resting = false;
        ++g_turns;
    }
    Call *call = g_first;
    g_first = call->next;
    if (!g_first) g_last = &g_first;
    return call;
}

void run_dispatcher(void *) {
    this_thread()->may_not_block |= kDispatching; // start_thread() has reserved the block
    for (;;) {
        Call *call = take();
        call->run(*call);
    }
}

bool idle(void *, uint64_t *turns) noexcept {
    MutexLock lock(g_dispatcher_mutex);
    *turns = g_turns;
    if (!g_running.load(std::memory_order_relaxed)) return true; // it could not be started
    return g_resting && !g_first;
}

Service g_service{idle, nullptr};

} // namespace

Status start_dispatcher() noexcept {
    if (g_running.load(std::memory_order_acquire)) return kOk;
    LaterMessages later;
    MutexLock lock(g_dispatcher_mutex);
    if (g_running.load(std::memory_order_relaxed)) return kOk;
    GS_TRY(add_service(g_service));
    GS_TRY(start_thread("gs-dispatcher", run_dispatcher, nullptr));
    g_running.store(true, std::memory_order_release);
    return kOk;
}

void dispatch(Call &call) noexcept {
    MutexLock lock(g_dispatcher_mutex);
    call.next = nullptr;
    *g_last = &call;
    g_last = &call.next;
    g_wake.notify_all();
}

namespace {

struct Notification : Point, Call {
    void (*fn)(void *, gs_status_t) = nullptr;
    void *arg = nullptr;
};

void run_notification(Call &call) noexcept {
    auto &notification = static_cast<Notification &>(call);
    void (*fn)(void *, gs_status_t) = notification.fn;
    void *arg = notification.arg;
    const gs_status_t status = notification.outcome.status;
    delete &notification;
    fn(arg, status);
}

void on_notification_reached(Point &point, bool) noexcept { dispatch(static_cast<Notification &>(point)); }

} // namespace

Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept {
    GS_TRY(start_scanner());
    GS_TRY(start_dispatcher());
    auto *notification = new (std::nothrow) Notification;
    if (!notification) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a notification");
    notification->fn = fn;
    notification->arg = arg;
    notification->reached = on_notification_reached;
    notification->run = run_notification;
    thread.counters.notifications.add();
    const Status status = mark_stream(thread, stream, *notification);
    if (!status.ok()) {
        delete notification;
        return status;
    }
    watch_point(*notification);
    return kOk;
}

} // namespace gs
