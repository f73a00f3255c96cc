// SPDX-License-Identifier: Apache-2.0
// Runs the threads of a program on one OS thread, in an order that its seed decides.
//
// Where the library yields, inside a record, a wait or a query, whole operations of other threads may run. Objects are
// not destroyed there: to the library they are one thread, which may reuse at once what only it has used.
//
// The engine is held while operations are submitted, and released for those that block, so a query returns
// the same each time the program runs.
#pragma once

#include <array>
#include <vector>

#include "base/testing.hpp"
#include "oracle/session.hpp"

namespace gs::oracle {

class Interleaver {
public:
    Interleaver(Session &session, Engine &engine);
    void run_phase(int phase);

private:
    static void on_yield(testing::Yield where);
    void collect(int phase);
    bool step();
    void execute(size_t op);
    int pick_thread();

    static constexpr int kDeepest = 2;

    Session &session_;
    Engine &engine_;
    Random random_;
    std::array<std::vector<size_t>, kMaxThreads> queues_; // in reverse, the next operation last
    std::array<bool, kMaxThreads> inside_{};              // the thread is within an operation
    int depth_ = 0;
};

} // namespace gs::oracle
