// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/word_waits.hpp"

#include <algorithm>

#include "backend/host/engine/virtual_device.hpp"
#include "base/log.hpp"
#include "base/os_thread.hpp"

namespace gs::host {
namespace {

constexpr uint64_t kShortestLookNs = 50'000; // between two looks at the words
constexpr uint64_t kLongestLookNs = 1'000'000;

Op &head_of(Stream &stream) noexcept {
    TinyGuard guard(stream.lock);
    return *stream.head;
}

} // namespace

Status WordWaits::start() noexcept {
    LaterMessages later;
    MutexLock lock(start_mutex_);
    if (started_.load(std::memory_order_relaxed)) return kOk;
    GS_TRY(add_service(service_));
    GS_TRY(start_thread("gs-host-words", thread_main, this));
    started_.store(true, std::memory_order_release);
    return kOk;
}

void WordWaits::thread_main(void *self) noexcept { static_cast<WordWaits *>(self)->work(); }

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
