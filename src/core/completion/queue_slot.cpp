// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "core/completion/queue.hpp"

namespace gs {
namespace {

// Two descriptors of one file have its flags in common. The one that is changed means nothing to an eventfd. Other ways to compare
// need another descriptor, and there may be none left, or a newer kernel.
bool same_file(int one, int other) noexcept {
    const int flags = fcntl(one, F_GETFL);
    if (flags < 0 || fcntl(other, F_GETFL) != flags) return false;
    fcntl(one, F_SETFL, flags ^ O_APPEND);
    const bool same = fcntl(other, F_GETFL) == (flags ^ O_APPEND);
    fcntl(one, F_SETFL, flags);
    return same;
}

} // namespace

Status QueueFd::get(int32_t *out_fd) noexcept {
    if (own_ < 0) {
        own_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (own_ < 0) return fail_system("eventfd", errno, "no file descriptor for the queue");
    }
    if (shown_ < 0) {
        shown_ = fcntl(own_, F_DUPFD_CLOEXEC, 0);
        if (shown_ < 0) return fail_system("fcntl", errno, "no file descriptor for the queue");
    }
    if (inherited_) GS_TRY(renew());
    apply();
    *out_fd = shown_;
    return kOk;
}

void QueueFd::set_readable(bool readable) noexcept {
    wanted_ = readable;
    if (own_ < 0) return;
    if (inherited_ && !renew().ok()) return; // the next change tries again
    apply();
}

// Another file under the same numbers: the parent would see what the child writes to its file.
Status QueueFd::renew() noexcept {
    const int fresh = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fresh < 0) return fail_system("eventfd", errno, "no file descriptor for the queue");
    if (shown_ >= 0 && same_file(own_, shown_)) dup3(fresh, shown_, O_CLOEXEC);
    dup3(fresh, own_, O_CLOEXEC);
    ::close(fresh);
    readable_ = inherited_ = false;
    return kOk;
}

void QueueFd::apply() noexcept {
    if (wanted_ == readable_) return;
    uint64_t count = 1;
    // Both calls return at once, and the counter cannot be full: it changes between 0 and 1 only.
    const ssize_t moved = wanted_ ? write(own_, &count, sizeof count) : read(own_, &count, sizeof count);
    if (moved == static_cast<ssize_t>(sizeof count) || errno == EAGAIN) readable_ = wanted_;
}

void QueueFd::close() noexcept {
    if (own_ < 0) return;
    if (shown_ >= 0 && same_file(own_, shown_)) ::close(shown_);
    ::close(own_);
    *this = {};
}

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
