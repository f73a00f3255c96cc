// SPDX-License-Identifier: Apache-2.0
// Holds a stream until the test releases it: no sleeping, no assumptions about how long work takes.
//
// A gate is a host function that waits. Drivers may run all host functions of a process on one thread, so while a gate is
// closed nothing else of the test may depend on another host function. Mark progress by fills and copies instead, and open
// gates in the order in which they were put into streams.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <set>

#include "gpustream.h"

namespace gs::test {

class Gate {
public:
    Gate() {
        std::lock_guard<std::mutex> lock(list_mutex_);
        all_.insert(this);
    }
    // No work may be left waiting for a destroyed gate.
    ~Gate() {
        {
            // A test that ended early: another gate may hold this one up.
            std::lock_guard<std::mutex> lock(list_mutex_);
            all_.erase(this);
            if (::testing::Test::HasFatalFailure())
                for (Gate *gate : all_) gate->open();
        }
        std::unique_lock<std::mutex> lock(mutex_);
        open_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return inside_ == submitted_ && left_ == submitted_; });
    }
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;

    // Later work of the stream waits until open(). The status is gs_stream_launch_host's.
    gs_status_t hold(gs_stream_t stream) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            ++submitted_;
        }
        const gs_status_t status = gs_stream_launch_host(stream, &Gate::wait, this);
        if (status != GS_OK) {
            std::lock_guard<std::mutex> lock(mutex_);
            --submitted_;
        }
        return status;
    }

    void open() {
        std::lock_guard<std::mutex> lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }

    // Blocks until the stream has reached the gate.
    void wait_until_reached() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return inside_ > 0; });
    }

private:
    static void wait(void *self) {
        Gate &gate = *static_cast<Gate *>(self);
        std::unique_lock<std::mutex> lock(gate.mutex_);
        ++gate.inside_;
        gate.changed_.notify_all();
        gate.changed_.wait(lock, [&gate] { return gate.open_; });
        ++gate.left_;
        gate.changed_.notify_all();
    }

    static inline std::mutex list_mutex_;
    static inline std::set<Gate *> all_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false;
    int submitted_ = 0;
    int inside_ = 0;
    int left_ = 0;
};

} // namespace gs::test
