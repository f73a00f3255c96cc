// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/worker_pool.hpp"

#include <new>

#include "base/log.hpp"
#include "base/os_thread.hpp"

namespace gs::host {

void WorkerPool::configure(int32_t workers, Run run, void *owner) noexcept {
    workers_ = workers;
    run_ = run;
    owner_ = owner;
}

void WorkerPool::thread_main(void *self) noexcept { static_cast<WorkerPool *>(self)->work(); }

Status WorkerPool::start() noexcept {
    LaterMessages later;
    MutexLock lock(start_mutex_);
    if (started_.load(std::memory_order_relaxed)) return kOk;
    GS_TRY(add_service(service_));
    for (int32_t i = 0; i < workers_; ++i) {
        const Status status = start_thread("gs-host-worker", thread_main, this);
        if (status.ok()) continue;
        if (i == 0) return status;
        log_message(GS_LOG_WARNING, "the host backend runs on %d of %d workers: the system refused more threads", i,
                    workers_);
        break;
    }
    started_.store(true, std::memory_order_release);
    return kOk;
}

bool WorkerPool::idle(void *self, uint64_t *turns) noexcept {
    auto &pool = *static_cast<WorkerPool *>(self);
    MutexLock lock(pool.mutex_);
    *turns = pool.turns_;
    for (const Stream *first : pool.first_)
        if (first) return false;
    return pool.sleeping_ == pool.running_;
}

void WorkerPool::push(Stream &stream) noexcept {
    const int32_t level = stream.priority - kGreatestPriority;
    stream.link = nullptr;
    if (last_[level])
        last_[level]->link = &stream;
    else
        first_[level] = &stream;
    last_[level] = &stream;
}

Stream *WorkerPool::pop() noexcept {
    for (int32_t level = 0; level < kLevels; ++level) {
        while (Stream *stream = first_[level]) {
            first_[level] = stream->link;
            if (!first_[level]) last_[level] = nullptr;
            stream->link = nullptr;
            if (!stream->share || enter(*stream)) return stream;
        }
    }
    return nullptr;
}

// False: the streams of its share use all of their workers. The stream waits for one of them.
bool WorkerPool::enter(Stream &stream) noexcept {
    Share &share = *stream.share;
    if (share.running < share.most) {
        ++share.running;
        return true;
    }
    (share.first ? share.last->link : share.first) = &stream;
    share.last = &stream;
    return false;
}

void WorkerPool::finished(Share &share) noexcept {
    --share.running;
    if (Stream *waiting = share.first) {
        share.first = waiting->link;
        push(*waiting);
        // This worker may find something of higher priority.
        if (sleeping_ > called_) {
            ++called_;
            calls_.fetch_add(1, std::memory_order_relaxed);
            futex_wake(calls_, 1);
        }
    }
    if (share.running == 0 && share.users == 0) delete &share;
}

Share *WorkerPool::make_share(int32_t most) noexcept {
    auto *share = new (std::nothrow) Share;
    if (share) share->most = most;
    return share;
}

void WorkerPool::join(Share &share) noexcept {
    MutexLock lock(mutex_);
    ++share.users;
}

void WorkerPool::leave(Share &share) noexcept {
    MutexLock lock(mutex_);
    if (--share.users == 0 && share.running == 0) delete &share;
}

void WorkerPool::ready(Stream &stream) noexcept {
    stream.link = nullptr;
    ready_all(&stream);
}

void WorkerPool::ready_all(Stream *list) noexcept {
    if (!list) return;
    int32_t wanted = 0;
    {
        MutexLock lock(mutex_);
        while (list) {
            Stream *next = list->link;
            push(*list);
            list = next;
            if (sleeping_ > called_) {
                ++called_;
                ++wanted;
            }
        }
        if (wanted > 0) calls_.fetch_add(1, std::memory_order_relaxed);
    }
    if (wanted > 0) futex_wake(calls_, wanted);
}

void WorkerPool::work() noexcept {
    mutex_.lock();
    ++running_;
    for (;;) {
        Stream *stream = pop();
        if (!stream) {
            ++sleeping_;
            const uint32_t calls = calls_.load(std::memory_order_relaxed); // a call from now on changes it
            mutex_.unlock();
            futex_wait(calls_, calls);
            mutex_.lock();
            --sleeping_;
            ++turns_;
            if (called_ > 0) --called_; // perhaps another one's, which then gets one wake-up too many
            continue;
        }
        Share *share = stream->share; // the stream may end while it runs
        mutex_.unlock();
        run_(owner_, *stream);
        mutex_.lock();
        if (share != nullptr) finished(*share);
    }
}

} // namespace gs::host
