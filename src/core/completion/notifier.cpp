// SPDX-License-Identifier: Apache-2.0
#include "core/completion/notifier.hpp"

#include <new>

#include "core/completion/dispatcher.hpp"
#include "core/completion/mark.hpp"
#include "core/completion/scanner.hpp"

namespace gs {
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
