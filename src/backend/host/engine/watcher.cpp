// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/watcher.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "backend/host/engine/virtual_device.hpp"
#include "backend/host/ipc/ipc_arena.hpp"

namespace gs::host {
namespace {

constexpr long kShortestNapNs = 50000;
constexpr long kLongestNapNs = 1000000;

void nap(long ns) noexcept {
    timespec duration{};
    duration.tv_nsec = ns;
    nanosleep(&duration, nullptr);
}

} // namespace

bool Watcher::idle(void *self, uint64_t *turns) noexcept {
    auto &watcher = *static_cast<Watcher *>(self);
    *turns = 0;
    if (!watcher.thread_.is_started()) return true; // it could not be started
    MutexLock lock(watcher.mutex_);
    *turns = watcher.turns_;
    return watcher.resting_ && !watcher.fresh_ && !watcher.to_sweep_;
}

void Watcher::add(Stream &stream) noexcept {
    MutexLock lock(mutex_);
    stream.link = fresh_;
    fresh_ = &stream;
    added_.notify_all();
}

bool Watcher::answered(Stream &stream) noexcept {
    Op *op;
    {
        TinyGuard guard(stream.lock);
        op = stream.head;
    }
    if (health_of(*stream.device) == Result::Ok) {
        op->answer = op->ticket.arena->check(op->ticket);
        if (op->answer == Result::NotReady) return false;
    }
    return true;
}

void Watcher::sweep(const char *directory) noexcept {
    if (!ensure_started().ok()) return;
    MutexLock lock(mutex_);
    to_sweep_ = directory;
    added_.notify_all();
}

// Hands on the streams whose wait is over.
void Watcher::poll(Stream *&watched, long &nap_ns) noexcept {
    Stream *waiting = nullptr;
    while (Stream *stream = watched) {
        watched = stream->link;
        if (answered(*stream)) {
            pool_.ready(*stream);
            nap_ns = kShortestNapNs;
        } else {
            stream->link = waiting;
            waiting = stream;
        }
    }
    watched = waiting;
}

void Watcher::work() noexcept {
    Stream *watched = nullptr;
    long nap_ns = kShortestNapNs;
    bool sweeping = false;
    for (;;) {
        mutex_.lock();
        while (!watched && !fresh_ && !to_sweep_ && !sweeping) {
            resting_ = true;
            added_.wait(mutex_);
            resting_ = false;
            ++turns_;
        }
        if (fresh_) nap_ns = kShortestNapNs;
        while (Stream *stream = fresh_) {
            fresh_ = stream->link;
            stream->link = watched;
            watched = stream;
        }
        const char *directory = std::exchange(to_sweep_, nullptr);
        mutex_.unlock();

        if (directory) sweep_.begin(directory);
        if (directory || sweeping) sweeping = sweep_.step();
        poll(watched, nap_ns);
        if (!watched || sweeping) continue;
        nap(nap_ns);
        nap_ns = std::min(nap_ns * 2, kLongestNapNs);
    }
}

namespace {

constexpr uint64_t kShortestLookNs = 50'000; // between two looks at the words
constexpr uint64_t kLongestLookNs = 1'000'000;

Op &head_of(Stream &stream) noexcept {
    TinyGuard guard(stream.lock);
    return *stream.head;
}

} // namespace

// Streams that wait count as idle: if only threads of the library are left, only pending work elsewhere can write
// their words. But the program may have written one since the last look.
bool WordWaits::idle(void *self, uint64_t *turns) noexcept {
    auto &waits = *static_cast<WordWaits *>(self);
    MutexLock lock(waits.mutex_);
    *turns = waits.turns_;
    for (Stream *stream = waits.parked_; stream; stream = stream->link)
        if (is_met(head_of(*stream).word_wait)) return false;
    return true;
}

bool WordWaits::park(Stream &stream, Op &head) noexcept {
    MutexLock lock(mutex_);
    count_.fetch_add(1, std::memory_order_seq_cst);
    if (is_met(head.word_wait) || health_of(*stream.device) != Result::Ok) {
        count_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    if (!parked_) added_.notify_all();
    stream.link = parked_;
    parked_ = &stream;
    ++turns_;
    return true;
}

template <typename Choose>
bool WordWaits::release(Choose &&choose) noexcept {
    Stream *chosen = nullptr;
    MutexLock lock(mutex_);
    for (Stream **place = &parked_; *place;) {
        Stream *stream = *place;
        if (!choose(*stream, head_of(*stream))) {
            place = &stream->link;
            continue;
        }
        *place = stream->link;
        stream->link = chosen;
        chosen = stream;
        count_.fetch_sub(1, std::memory_order_relaxed);
        ++turns_;
    }
    pool_.ready_all(chosen); // with the mutex held: idle() must find each stream in one of the two places
    return chosen != nullptr;
}

void WordWaits::written(const void *address) noexcept {
    if (count_.load(std::memory_order_seq_cst) == 0) return;
    release([&](Stream &, Op &head) {
        if (head.word_wait.address == address && is_met(head.word_wait)) head.armed = true;
        return head.armed;
    });
}

void WordWaits::expire(const Device &device) noexcept {
    release([&](Stream &stream, Op &) { return stream.device == &device; });
}

void WordWaits::work() noexcept {
    uint64_t pause = kShortestLookNs;
    for (;;) {
        {
            MutexLock lock(mutex_);
            while (!parked_) {
                added_.wait(mutex_);
                pause = kShortestLookNs;
            }
            added_.wait_for(mutex_, pause);
        }
        const bool any = release([](Stream &, Op &head) {
            if (is_met(head.word_wait)) head.armed = true;
            return head.armed;
        });
        pause = any ? kShortestLookNs : std::min(pause * 2, kLongestLookNs);
    }
}

} // namespace gs::host
