// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/watcher.hpp"

#include <time.h>

#include <algorithm>

#include "backend/host/engine/virtual_device.hpp"
#include "backend/host/ipc/ipc_event.hpp"
#include "base/os_thread.hpp"

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

Status Watcher::start() noexcept {
    MutexLock lock(start_mutex_);
    if (started_.load(std::memory_order_relaxed)) return kOk;
    GS_TRY(start_thread("gs-host-watcher", thread_main, this));
    started_.store(true, std::memory_order_release);
    return kOk;
}

void Watcher::thread_main(void *self) noexcept { static_cast<Watcher *>(self)->work(); }

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
        op->answer = op->ticket.event->check(op->ticket);
        if (op->answer == Result::NotReady) return false;
    }
    return true;
}

void Watcher::work() noexcept {
    Stream *watched = nullptr;
    long nap_ns = kShortestNapNs;
    for (;;) {
        mutex_.lock();
        while (!watched && !fresh_) added_.wait(mutex_);
        if (fresh_) nap_ns = kShortestNapNs;
        while (Stream *stream = fresh_) {
            fresh_ = stream->link;
            stream->link = watched;
            watched = stream;
        }
        mutex_.unlock();

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
        if (!watched) continue;
        nap(nap_ns);
        nap_ns = std::min(nap_ns * 2, kLongestNapNs);
    }
}

} // namespace gs::host
