// SPDX-License-Identifier: Apache-2.0
// Runs programs on the library, one step at a time, each on its thread.
#pragma once

#include "checker/program.hpp"
#include "checker/reports.hpp"
#include "support/logical_thread.hpp"

namespace gs::check::test {

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
    gs_stream_t stream(int index);                 // the calling thread's, if it is the per-thread stream
    gs::test::LogicalThread others_[kThreads - 1]; // thread 0 is the caller's
    Stream streams_[kStreams];
    Event events_[kEvents];
    uint64_t clocks_[kClocks] = {};
    bool used_ = false;
};

} // namespace gs::check::test
