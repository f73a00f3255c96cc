// SPDX-License-Identifier: Apache-2.0
// Runs programs on the library, one step at a time, each on its thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <thread>

#include "checker/program.hpp"
#include "checker/reports.hpp"

namespace gs::check::test {

// A thread that does one thing after the other, while the caller waits.
class Hand {
public:
    Hand();
    ~Hand();
    void run(const std::function<void()> &work);

private:
    void loop();
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()> *work_ = nullptr;
    bool ending_ = false;
    std::thread thread_;
};

struct Outcome {
    bool race = false;   // says the model
    size_t reported = 0; // says the library
};

class Runner {
public:
    Runner();
    Outcome run(const Program &program);

private:
    void step(const Step &step, bool *out_done);
    gs_stream_t stream(int index); // the calling thread's, if it is the per-thread stream
    Hand hands_[kThreads - 1];     // thread 0 is the caller's
    Stream streams_[kStreams];
    Event events_[kEvents];
    uint64_t clocks_[kClocks] = {};
    bool used_ = false;
};

} // namespace gs::check::test
