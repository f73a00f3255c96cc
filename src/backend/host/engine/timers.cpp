// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/watcher.hpp"

#include "backend/host/engine/virtual_device.hpp"
#include "base/clock.hpp"

namespace gs::host {
namespace {

Stream *meld(Stream *a, Stream *b) noexcept {
    if (!a) return b;
    if (!b) return a;
    if (b->deadline_ns < a->deadline_ns) {
        Stream *swap = a;
        a = b;
        b = swap;
    }
    b->timer_sibling = a->timer_child;
    a->timer_child = b;
    return a;
}

// The usual two passes: meld pairs from the left, then all of them from the right.
Stream *meld_siblings(Stream *first) noexcept {
    Stream *pairs = nullptr;
    while (first) {
        Stream *a = first;
        Stream *b = a->timer_sibling;
        first = b ? b->timer_sibling : nullptr;
        a->timer_sibling = nullptr;
        if (b) b->timer_sibling = nullptr;
        Stream *pair = meld(a, b);
        pair->timer_sibling = pairs;
        pairs = pair;
    }
    Stream *root = nullptr;
    while (pairs) {
        Stream *next = pairs->timer_sibling;
        pairs->timer_sibling = nullptr;
        root = meld(root, pairs);
        pairs = next;
    }
    return root;
}

} // namespace

bool Timers::idle(void *self, uint64_t *turns) noexcept {
    auto &timers = *static_cast<Timers *>(self);
    *turns = 0;
    if (!timers.thread_.is_started()) return true; // it could not be started
    MutexLock lock(timers.mutex_);
    *turns = timers.turns_;
    return timers.resting_ && !timers.root_;
}

bool Timers::add(Stream &stream, uint64_t deadline_ns) noexcept {
    stream.deadline_ns = deadline_ns;
    stream.timer_child = nullptr;
    stream.timer_sibling = nullptr;
    MutexLock lock(mutex_);
    // Asked here, since expire() may have looked for sleepers between the worker's own question and this.
    if (health_of(*stream.device) != Result::Ok) return false;
    root_ = meld(root_, &stream);
    if (root_ == &stream) changed_.notify_all();
    return true;
}

void Timers::expire(const Device &device) noexcept {
    Stream *expired = nullptr;
    {
        MutexLock lock(mutex_);
        Stream *kept = nullptr;
        while (root_) {
            Stream *stream = pop();
            if (stream->device == &device) {
                stream->link = expired;
                expired = stream;
            } else {
                kept = meld(kept, stream);
            }
        }
        root_ = kept;
    }
    pool_.ready_all(expired);
}

Stream *Timers::pop() noexcept {
    Stream *first = root_;
    root_ = meld_siblings(first->timer_child);
    first->timer_child = nullptr;
    return first;
}

void Timers::work() noexcept {
    mutex_.lock();
    for (;;) {
        if (!root_) {
            resting_ = true;
            changed_.wait(mutex_);
            resting_ = false;
            ++turns_;
            continue;
        }
        const uint64_t now = monotonic_ns();
        if (root_->deadline_ns > now) {
            changed_.wait_for(mutex_, root_->deadline_ns - now);
            continue;
        }
        Stream *due = pop();
        mutex_.unlock();
        pool_.ready(*due);
        mutex_.lock();
    }
}

} // namespace gs::host
