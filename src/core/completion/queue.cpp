// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue.hpp"

#include "base/clock.hpp"
#include "base/fork_state.hpp"
#include "core/completion/pace.hpp"
#include "core/completion/point.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/names.hpp"
#include "core/runtime.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

constinit SlotMap<QueueSlot, Kind::Queue> g_queues;
Mutex g_queues_mutex;
FreeSlots<QueueSlot> g_free_queues GS_GUARDED_BY(g_queues_mutex);

// Queues need no backend: a child of a process without one uses its parent's queues and makes its own.
void take_queue_locks() noexcept GS_UNANALYSED {
    g_queues_mutex.lock(); // no slot is added until it is free
    const uint32_t last = g_queues.last_index();
    for (uint32_t index = 1; index <= last; ++index) g_queues.at(index)->mutex.lock();
}

void give_queue_locks(bool in_child) noexcept GS_UNANALYSED {
    const uint32_t last = g_queues.last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        QueueSlot &slot = *g_queues.at(index);
        if (in_child) {
            slot.waiting = 0; // those threads are the parent's
            slot.fd.inherit();
            slot.mutex.inherit();
        }
        slot.mutex.unlock();
    }
    g_queues_mutex.unlock();
}

constexpr ForkLocks kQueueForkLocks{take_queue_locks, give_queue_locks};

QueueSlot *take_queue_slot() noexcept {
    MutexLock lock(g_queues_mutex);
    return g_free_queues.take(g_queues);
}

// body(slot) under the lock of the queue that the handle names.
template <typename Body>
Status with_queue(uint64_t handle, Body &&body) noexcept {
    QueueSlot *slot = g_queues.find(handle);
    if (!slot) return no_such_object(Kind::Queue, handle);
    BriefGuard lock(slot->mutex);
    if (slot->handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Queue, handle);
    return body(*slot);
}

void on_entry_reached(Point &point, bool dropped) noexcept {
    auto &entry = static_cast<QueueEntry &>(point);
    QueueSlot &queue = *entry.queue;
    Surplus surplus;
    bool awaited = false;
    {
        BriefGuard lock(queue.mutex);
        entry.watched = false;
        if (!dropped && entry.state == EntryState::Pending)
            awaited = make_entry_ready(queue, entry, entry.outcome);
        else if (entry.state == EntryState::Gone)
            recycle_entry(queue, entry, surplus);
    }
    if (awaited) queue.changed.wake();
}

void on_entry_soon(Point &point) noexcept {
    QueueSlot &queue = *static_cast<QueueEntry &>(point).queue;
    {
        BriefGuard lock(queue.mutex);
        if (queue.waiting == 0 || !queue.changed.notify_later()) return;
        ++queue.alerts;
    }
    queue.changed.wake();
}

// After an alert: the waiting thread keeps its processor until there is something to see, for so long at most. The lock
// is released for that time.
void await_turn(QueueSlot &queue, uint64_t share) noexcept GS_REQUIRES(queue.mutex) {
    const uint32_t turn = queue.turn.load(std::memory_order_relaxed);
    const uint64_t begin = monotonic_ns();
    queue.mutex.unlock();
    while (queue.turn.load(std::memory_order_acquire) == turn && monotonic_ns() - begin < share) cpu_relax();
    queue.mutex.lock();
}

// Makes room for an entry and puts it among the pending ones.
Status admit_entry(uint64_t handle, uint64_t token, QueueEntry **out) noexcept {
    return with_queue(handle, [&](QueueSlot &queue) -> Status {
        if (queue.undelivered >= queue.capacity)
            return fail(GS_ERROR_FULL, "the queue has %u undelivered entries", queue.undelivered);
        QueueEntry *entry = queue.spare.pop();
        if (entry) {
            entry->renew();
            if (!queue.spare.empty()) queue.spare.first()->fetch(); // comes while this one is recorded
        } else {
            entry = new (std::nothrow) QueueEntry(queue);
            if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for an entry of a queue");
            entry->reached = on_entry_reached;
            entry->soon = on_entry_soon;
        }
        ++queue.undelivered;
        entry->token = token;
        queue.pending.append(*entry);
        *out = entry;
        return kOk;
    });
}

// Marking the point failed: as if the entry had never been.
void withdraw_entry(QueueEntry &entry) noexcept {
    QueueSlot &queue = *entry.queue;
    Surplus surplus;
    BriefGuard lock(queue.mutex);
    entry.watched = false;
    if (entry.state == EntryState::Gone) return recycle_entry(queue, entry, surplus); // the queue has ended in between
    queue.pending.remove(entry);
    --queue.undelivered;
    forget_entry(queue, entry, surplus);
}

template <typename Mark>
Status add_entry(uint64_t handle, uint64_t token, Mark &&mark) noexcept {
    GS_TRY(start_scanner());
    QueueEntry *entry = nullptr;
    GS_TRY(admit_entry(handle, token, &entry));
    const Status status = mark(*entry);
    if (!status.ok()) return withdraw_entry(*entry), status;
    entry->adding.store(false, std::memory_order_release);
    watch_point(*entry);
    return kOk;
}

} // namespace

Status create_queue(uint32_t capacity, uint64_t *out_handle) noexcept {
    register_fork_locks(kQueueForkLocks);
    QueueSlot *slot = take_queue_slot();
    if (!slot) return no_slot(Kind::Queue);
    {
        BriefGuard lock(slot->mutex);
        slot->capacity = capacity;
        slot->undelivered = 0;
        slot->waiting = 0;
        slot->woken = false;
        slot->users.store(1, std::memory_order_relaxed);
        *out_handle = g_queues.next_handle(*slot, 0);
        slot->handle.store(*out_handle, std::memory_order_seq_cst);
    }
    // With no lock held: a fork takes the locks of queues after the one that this takes.
    note_birth(*slot, *out_handle);
    return kOk;
}

bool queue_lives(uint64_t handle) noexcept { return g_queues.find(handle) != nullptr; }

Status retain_queue(uint64_t handle) noexcept {
    return with_queue(handle, [](QueueSlot &queue) -> Status {
        add_user(queue); // there is one, as the slot has its handle
        return kOk;
    });
}

Status release_queue(uint64_t handle) noexcept {
    QueueSlot *ended = nullptr;
    Surplus surplus;
    GS_TRY(with_queue(handle, [&](QueueSlot &queue) -> Status {
        if (drop_user(queue) > 1) return kOk;
        queue.handle.store(0, std::memory_order_seq_cst);
        const auto forget_all = [&](auto &list) {
            while (QueueEntry *entry = list.first()) {
                list.remove(*entry);
                forget_entry(queue, *entry, surplus);
            }
        };
        forget_all(queue.pending);
        forget_all(queue.ready);
        queue.pending.trim();
        while (QueueEntry *entry = queue.spare.pop()) surplus.add(*entry);
        queue.fd.close();
        queue.turn.fetch_add(1, std::memory_order_release);
        queue.changed.notify_all();
        ended = &queue;
        return kOk;
    }));
    if (!ended) return kOk;
    MutexLock lock(g_queues_mutex);
    g_free_queues.give(*ended);
    return kOk;
}

Status queue_fd(uint64_t handle, int32_t *out_fd) noexcept {
    return with_queue(handle, [&](QueueSlot &queue) { return queue.fd.get(out_fd); });
}

Status queue_add_stream(ThreadBlock &thread, uint64_t handle, StreamSlot &stream, uint64_t token) noexcept {
    return add_entry(handle, token, [&](QueueEntry &entry) { return mark_stream(thread, stream, entry); });
}

Status queue_add_event(ThreadBlock &thread, uint64_t handle, EventSlot &event, uint64_t token) noexcept {
    // Of an event that was never recorded. A process that has started nothing may fork: its child would lack the scanner.
    if (!event.device.load(std::memory_order_relaxed)) GS_TRY(ensure_initialized());
    return add_entry(handle, token, [&](QueueEntry &entry) { return mark_event(thread, event, entry); });
}

Status cancel_in_queue(uint64_t handle, uint64_t token, size_t *out_count) noexcept {
    return with_queue(handle, [&](QueueSlot &queue) -> Status {
        size_t count = 0;
        bool awaited = false;
        const Outcome cancelled{GS_ERROR_CANCELLED, 0, monotonic_ns()};
        queue.pending.visit(token, [&](QueueEntry &entry) {
            if (entry.adding.load(std::memory_order_acquire)) return;
            awaited |= make_entry_ready(queue, entry, cancelled);
            entry.dropped.store(true, std::memory_order_release);
            ++count;
        });
        if (awaited) queue.changed.wake();
        *out_count = count;
        return kOk;
    });
}

Status wake_queue(uint64_t handle) noexcept {
    return with_queue(handle, [](QueueSlot &queue) -> Status {
        ++queue.wakes;
        if (queue.waiting == 0) queue.woken = true;
        queue.turn.fetch_add(1, std::memory_order_release);
        refresh_fd(queue);
        queue.changed.notify_all();
        return kOk;
    });
}

Status poll_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, size_t *out_count) noexcept {
    Surplus surplus;
    return with_queue(handle, [&](QueueSlot &queue) -> Status {
        *out_count = take_ready(queue, out_entries, capacity, surplus);
        return kOk;
    });
}

Status wait_queue(uint64_t handle, gs_completion_t *out_entries, size_t capacity, int64_t timeout_ns,
                  size_t *out_count) noexcept {
    const uint64_t begin = monotonic_ns();
    const auto limit = static_cast<uint64_t>(timeout_ns);
    Surplus surplus;
    return with_queue(handle, [&](QueueSlot &queue) GS_UNANALYSED -> Status { // with_queue() holds the mutex
        const uint64_t wakes = queue.wakes;
        bool woken = queue.woken;
        while (!queue.ready.first() && !woken) {
            uint64_t left = 0; // no limit
            if (timeout_ns >= 0) {
                const uint64_t passed = monotonic_ns() - begin;
                if (passed >= limit) return Status{GS_ERROR_TIMEOUT};
                left = limit - passed;
            }
            ++queue.waiting;
            const uint64_t alerts = queue.alerts;
            queue.changed.wait_for(queue.mutex, left);
            if (queue.alerts != alerts && !queue.ready.first() && wait_mode() != GS_WAIT_BLOCK)
                await_turn(queue, alerted_spin_ns(monotonic_ns() - begin, wait_share_percent(), timeout_ns));
            // The slot's next queue counts its own.
            if (queue.handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Queue, handle);
            --queue.waiting;
            woken = queue.wakes != wakes;
        }
        *out_count = take_ready(queue, out_entries, capacity, surplus);
        return kOk;
    });
}

} // namespace gs
