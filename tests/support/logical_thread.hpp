// SPDX-License-Identifier: Apache-2.0
// A thread of a program. One of them runs at a time, so that the same program always means the same calls in the same order.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gs::test {

// An operating system thread that runs one task at a time.
class LogicalThread {
public:
    LogicalThread() : thread_([this] { serve(); }) {}
    ~LogicalThread() {
        tell(nullptr);
        thread_.join();
    }
    LogicalThread(const LogicalThread &) = delete;
    LogicalThread &operator=(const LogicalThread &) = delete;

    template <typename Task>
    void run(Task task) {
        const std::function<void()> wrapped = task;
        tell(&wrapped);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !pending_; });
    }

private:
    void tell(const std::function<void()> *task) {
        const std::lock_guard lock(mutex_);
        task_ = task;
        pending_ = true;
        changed_.notify_all();
    }
    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return pending_; });
            if (!task_) return;
            (*task_)();
            pending_ = false;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()> *task_ = nullptr;
    bool pending_ = false;
    std::thread thread_; // last: it uses all of the above
};

} // namespace gs::test
