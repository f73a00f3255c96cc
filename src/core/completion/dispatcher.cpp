// SPDX-License-Identifier: Apache-2.0
#include "core/completion/completion_calls.hpp"

#include <new>

#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "base/thread_block.hpp"
#include "core/completion/point.hpp"
#include "core/stream/captured.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

Mutex g_dispatcher_mutex;
Condition g_wake;
DispatchedCall *g_first GS_GUARDED_BY(g_dispatcher_mutex) = nullptr;
DispatchedCall **g_last GS_GUARDED_BY(g_dispatcher_mutex) = &g_first;
bool g_resting GS_GUARDED_BY(g_dispatcher_mutex) = false;
uint64_t g_turns GS_GUARDED_BY(g_dispatcher_mutex) = 0;

DispatchedCall *take() noexcept {
    MutexLock lock(g_dispatcher_mutex);
    while (!g_first) {
        g_resting = true;
        g_wake.wait(g_dispatcher_mutex);
        g_resting = false;
        ++g_turns;
    }
    DispatchedCall *call = g_first;
    g_first = call->next;
    if (!g_first) g_last = &g_first;
    return call;
}

void run_dispatcher(void *) {
    this_thread()->may_not_block |= kDispatching; // start_thread() has reserved the block
    for (;;) {
        DispatchedCall *call = take();
        call->run(*call);
    }
}

bool idle(void *, uint64_t *turns) noexcept;

constinit ServiceThread g_dispatcher{"gs-dispatcher", run_dispatcher, idle, nullptr};

bool idle(void *, uint64_t *turns) noexcept {
    MutexLock lock(g_dispatcher_mutex);
    *turns = g_turns;
    if (!g_dispatcher.is_started()) return true; // it could not be started
    return g_resting && !g_first;
}

} // namespace

Status start_dispatcher() noexcept { return g_dispatcher.ensure_started(); }

void dispatch(DispatchedCall &call) noexcept {
    MutexLock lock(g_dispatcher_mutex);
    call.next = nullptr;
    *g_last = &call;
    g_last = &call.next;
    g_wake.notify_all();
}

namespace {

struct Notification : Point, DispatchedCall {
    void (*fn)(void *, gs_status_t) = nullptr;
    void *arg = nullptr;
};

void run_notification(DispatchedCall &call) noexcept {
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

namespace {

struct Keep : SlotBase, DispatchedCall {
    void (*release)(void *) = nullptr;
    void *arg = nullptr;
    Keep *next = nullptr;
};

Mutex g_keeps_mutex;
SlotMap<Keep, Kind::HostCall> g_keeps;
FreeSlots<Keep> g_free_keeps GS_GUARDED_BY(g_keeps_mutex);

Keep *take_keep() noexcept {
    MutexLock lock(g_keeps_mutex);
    return g_free_keeps.take(g_keeps);
}

void give_keep(Keep &keep) noexcept {
    MutexLock lock(g_keeps_mutex);
    g_free_keeps.give(keep);
}

// On the dispatcher.
void run_release(DispatchedCall &call) noexcept {
    auto &keep = static_cast<Keep &>(call);
    void (*release)(void *) = keep.release;
    void *arg = keep.arg;
    give_keep(keep);
    release(arg);
}

// On a thread of the driver, or on that of the call that ended the last user.
void ended(void *opaque) {
    auto number = reinterpret_cast<uint64_t>(opaque);
    Keep &keep = *g_keeps.at(handle_index(number));
    if (keep.handle.compare_exchange_strong(number, 0, std::memory_order_acq_rel)) dispatch(keep);
}

// tie(ended, number, out): the backend's call.
template <typename Tie>
Status keep_tied(void (*release)(void *), void *arg, bool *out_kept, const Tie &tie) noexcept {
    *out_kept = false;
    GS_TRY(start_dispatcher());
    Keep *keep = take_keep();
    if (!keep) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to keep something for a graph");
    keep->release = release;
    keep->arg = arg;
    keep->run = run_release;
    uint64_t number = g_keeps.next_handle(*keep, 0);
    keep->handle.store(number, std::memory_order_release);
    const Status status = tie(ended, reinterpret_cast<void *>(number), out_kept); // NOLINT
    if (status.ok() && *out_kept) return kOk;
    // The driver may have called it all the same: then the release is on its way, and the call has succeeded.
    *out_kept = true;
    if (!keep->handle.compare_exchange_strong(number, 0, std::memory_order_acq_rel)) return kOk;
    *out_kept = false;
    give_keep(*keep);
    return status;
}

} // namespace

Status keep_for_graph(ThreadBlock &thread, Graphs &graphs, uintptr_t graph, void (*release)(void *),
                      void *arg) noexcept {
    bool kept = false;
    return keep_tied(release, arg, &kept, [&](void (*end)(void *), void *number, bool *out_kept) {
        *out_kept = true;
        return graphs.graph_keep(thread, graph, end, number);
    });
}

Status keep_in_capture(ThreadBlock &thread, StreamSlot &stream, void (*release)(void *), void *arg,
                       bool *out_kept) noexcept {
    *out_kept = false;
    bool capturing = false;
    GS_TRY(is_captured(thread, stream, &capturing));
    if (!capturing) return kOk;
    Graphs *graphs = stream.backend->graphs();
    StreamCapture capture;
    if (graphs) {
        GS_TRY(graphs->capture(thread, stream.ref(), &capture));
        if (!capture.capturing()) return kOk;
    }
    if (capture.id == 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "the stream is being captured, and its graph cannot keep a function");
    CapturePin pin;
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->pin(thread, capture.id, &pin));
    return keep_tied(release, arg, out_kept, [&](void (*end)(void *), void *number, bool *out) {
        return graphs->capture_keep(thread, stream.ref(), capture.id, end, number, out);
    });
}

} // namespace gs
