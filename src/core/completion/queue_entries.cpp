// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue_entries.hpp"

namespace gs {
namespace {

constexpr uint32_t kMostSpareEntries = 256; // entries that a queue keeps for its next adds, with their driver events

} // namespace

void refresh_fd(QueueSlot &queue) noexcept { queue.fd.set_readable(queue.ready.first() || queue.woken); }

bool make_entry_ready(QueueSlot &queue, QueueEntry &entry, const Outcome &outcome) noexcept {
    queue.pending.remove(entry);
    entry.state = EntryState::Ready;
    entry.result = outcome;
    queue.ready.append(entry);
    queue.turn.fetch_add(1, std::memory_order_release);
    refresh_fd(queue);
    return queue.changed.notify_later();
}

void recycle_entry(QueueSlot &queue, QueueEntry &entry, Surplus &surplus) noexcept {
    const bool ended = queue.handle.load(std::memory_order_relaxed) == 0;
    if (ended || queue.spare.count() == kMostSpareEntries) return surplus.add(entry);
    entry.clear();
    queue.spare.push(entry);
}

void forget_entry(QueueSlot &queue, QueueEntry &entry, Surplus &surplus) noexcept {
    entry.state = EntryState::Gone;
    if (!entry.watched) return recycle_entry(queue, entry, surplus);
    entry.dropped.store(true, std::memory_order_release);
}

size_t take_ready(QueueSlot &queue, gs_completion_t *out_entries, size_t capacity, Surplus &surplus) noexcept {
    size_t count = 0;
    queue.woken = false;
    while (count < capacity) {
        QueueEntry *entry = queue.ready.first();
        if (!entry) break;
        gs_completion_t completion{};
        completion.token = entry->token;
        completion.status = entry->result.status;
        completion.native_code = entry->result.native_code;
        completion.device = device_number(*entry->device);
        completion.time_ns = entry->result.time_ns;
        out_entries[count++] = completion;
        queue.ready.remove(*entry);
        --queue.undelivered;
        forget_entry(queue, *entry, surplus);
    }
    refresh_fd(queue);
    return count;
}

} // namespace gs
