// SPDX-License-Identifier: Apache-2.0
// The host engine's only worker, as a tool: while it is held all work waits, and once it has settled all that can run has run.
//
// With a single worker the pool is a queue. When a stream that becomes ready now has run, so have all that were ready
// before it, and each further round runs those that they made ready.
#pragma once

#include <condition_variable>
#include <mutex>

#include "oracle/ground.hpp"

namespace gs::oracle {

class Worker final : public Engine {
public:
    Worker() { note(gs_stream_create(0, 0, GS_STREAM_DEDICATED, &stream_)); }
    ~Worker() override {
        let_go();
        (void)gs_stream_destroy(stream_);
    }

    // From a settled state. Work submitted from now on waits behind it.
    void hold() override {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            held_ = true;
        }
        note(gs_stream_launch_host(stream_, &Worker::wait, this));
    }
    void release() override { let_go(); }
    void round() {
        note(gs_stream_launch_host(stream_, [](void *) {}, nullptr));
        note(gs_stream_synchronize(stream_));
    }
    void settle(int waits) override {
        for (int i = 0; i <= waits; ++i) round();
    }
    bool broken() const override { return broken_; }

private:
    void let_go() {
        std::lock_guard<std::mutex> lock(mutex_);
        held_ = false;
        changed_.notify_all();
    }
    static void wait(void *opaque) {
        auto *self = static_cast<Worker *>(opaque);
        std::unique_lock<std::mutex> lock(self->mutex_);
        self->changed_.wait(lock, [self] { return !self->held_; });
    }
    void note(gs_status_t status) { broken_ = broken_ || status != GS_OK; }

    gs_stream_t stream_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool held_ = false;
    bool broken_ = false;
};

} // namespace gs::oracle
