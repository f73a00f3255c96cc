// SPDX-License-Identifier: Apache-2.0
#include "core/work/notifier.hpp"

#include <new>

#include "base/condition.hpp"
#include "base/last_thread.hpp"
#include "base/os_thread.hpp"
#include "core/event/spare_events.hpp"

namespace gs {
namespace {

struct Notification {
    Device *device;
    uintptr_t event;
    void (*fn)(void *, gs_status_t);
    void *arg;
    uint64_t stream_key; // callbacks of one stream run in its order
    Notification *next;
};

struct Queue {
    Notification *first = nullptr;
    Notification **last = &first;

    void push(Notification *item) noexcept {
        item->next = nullptr;
        *last = item;
        last = &item->next;
    }
};

Mutex g_notifier_mutex;
Condition g_wake;
Queue g_inbox GS_GUARDED_BY(g_notifier_mutex);
bool g_running GS_GUARDED_BY(g_notifier_mutex) = false;
bool g_resting GS_GUARDED_BY(g_notifier_mutex) = false; // the dispatcher waits without a limit
uint64_t g_turns GS_GUARDED_BY(g_notifier_mutex) = 0;

constexpr long kShortestNapNs = 20'000;
constexpr long kLongestNapNs = 500'000;
constexpr int kEagerRounds = 50; // rounds without a nap after the last progress

// Returns true when the notification was delivered.
bool deliver_if_done(ThreadBlock &thread, Notification &item) noexcept {
    bool done = false;
    Status status = check_health(*item.device);
    if (status.ok()) status = item.device->backend->event_query(thread, item.device->ordinal, item.event, &done);
    if (status.ok() && !done) return false;
    give_native_event(*item.device, 0, item.event);
    item.fn(item.arg, status.code);
    return true;
}

// The notifications of one stream, in its order: only the first one can be due.
struct Lane {
    uint64_t stream_key = 0;
    Queue queue;
    Lane *next = nullptr;
};

// The lanes with pending notifications. Used by the dispatcher only.
class Pending {
public:
    bool empty() const noexcept { return lanes_ == nullptr; }

    // Returns false when there is no memory for a new lane; the item is not taken then.
    bool add(Notification *item) noexcept {
        Lane *lane = lanes_;
        while (lane && lane->stream_key != item->stream_key) lane = lane->next;
        if (!lane) {
            lane = new (std::nothrow) Lane;
            if (!lane) return false;
            lane->stream_key = item->stream_key;
            lane->next = lanes_;
            lanes_ = lane;
        }
        lane->queue.push(item);
        return true;
    }

    // Returns true when anything was delivered.
    bool deliver(ThreadBlock &thread) noexcept {
        bool progress = false;
        Lane **place = &lanes_;
        while (Lane *lane = *place) {
            while (Notification *item = lane->queue.first) {
                if (!deliver_if_done(thread, *item)) break;
                lane->queue.first = item->next;
                delete item;
                progress = true;
            }
            if (lane->queue.first) {
                place = &lane->next;
            } else {
                *place = lane->next;
                delete lane;
            }
        }
        return progress;
    }

private:
    Lane *lanes_ = nullptr;
};

// Waits for new notifications, for at most nap_ns while some are pending, and takes the inbox over.
void take_inbox(Pending &pending, long nap_ns) noexcept {
    MutexLock lock(g_notifier_mutex);
    if (pending.empty()) {
        while (!g_inbox.first) {
            g_resting = true;
            g_wake.wait(g_notifier_mutex);
            g_resting = false;
            ++g_turns;
        }
    } else if (nap_ns > 0 && !g_inbox.first) {
        g_wake.wait_for(g_notifier_mutex, static_cast<uint64_t>(nap_ns));
    }
    while (Notification *item = g_inbox.first) {
        Notification *rest = item->next;
        if (!pending.add(item)) break; // stays in the inbox until there is memory
        g_inbox.first = rest;
    }
    if (!g_inbox.first) g_inbox.last = &g_inbox.first;
}

void dispatch(void *) {
    ThreadBlock *thread = this_thread(); // start_thread() has reserved it
    thread->dispatching = true;
    Pending pending;
    int idle_rounds = 0;
    for (;;) {
        long nap_ns = 0;
        if (idle_rounds > kEagerRounds) {
            nap_ns = kShortestNapNs * (idle_rounds - kEagerRounds);
            if (nap_ns > kLongestNapNs) nap_ns = kLongestNapNs;
        }
        take_inbox(pending, nap_ns);
        idle_rounds = pending.deliver(*thread) ? 0 : idle_rounds + 1;
    }
}

bool idle(void *, uint64_t *turns) noexcept {
    MutexLock lock(g_notifier_mutex);
    *turns = g_turns;
    return g_resting && !g_inbox.first;
}

Service g_service{idle, nullptr};

Status start_dispatcher() noexcept GS_REQUIRES(g_notifier_mutex) {
    if (g_running) return kOk;
    GS_TRY(add_service(g_service));
    GS_TRY(start_thread("gs-dispatcher", dispatch, nullptr));
    g_running = true;
    return kOk;
}

Status enqueue(Notification *item) noexcept {
    MutexLock lock(g_notifier_mutex);
    GS_TRY(start_dispatcher());
    g_inbox.push(item);
    g_wake.notify_all();
    return kOk;
}

uint64_t key_of(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    const uint64_t place = static_cast<uint64_t>(stream.device->index) << 56;
    const uint64_t word = stream.kind == StreamKind::PerThread ? thread.serial << 2 | 2 : stream.native;
    return place ^ word;
}

Status record_for(ThreadBlock &thread, StreamSlot &stream, Notification *item) noexcept {
    GS_TRY(take_native_event(*stream.device, 0, &item->event));
    mark_used(stream);
    Status status = stream.backend->event_record(thread, item->event, stream.ref(), false);
    if (status.ok()) status = enqueue(item);
    // A failed record may have taken effect. Its event is spare all the same: its next owner asks about it only after a
    // record of its own, and a record replaces the one before.
    if (!status.ok()) give_native_event(*stream.device, 0, item->event);
    return status;
}

} // namespace

Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept {
    GS_TRY(check_health(stream));
    bool capturing = false;
    GS_TRY(stream.backend->stream_is_capturing(thread, stream.ref(), &capturing));
    if (capturing)
        return fail(GS_ERROR_CAPTURING, "a notification cannot be part of a graph: the stream is being captured");
    auto *item = new (std::nothrow) Notification{stream.device, 0, fn, arg, key_of(thread, stream), nullptr};
    if (!item) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a notification");
    thread.counters.notifications.add();
    const Status status = record_for(thread, stream, item);
    if (!status.ok()) delete item;
    return status;
}

} // namespace gs
