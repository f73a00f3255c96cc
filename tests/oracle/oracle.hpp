// SPDX-License-Identifier: Apache-2.0
// The sequential specification: which work must have run before which, given when each call began and ended.
//
// A stream runs its calls in their order; calls that overlap have none. Of two records that overlap either may be the
// later one, but it is the same for all later observers: one of the orders must explain everything that was observed. A
// wait binds to a record that was current at some moment of the call: if several are possible, only the works that
// all of them cover are required. The oracle therefore never rejects what a correct library may do, with any timing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/program.hpp"

namespace gs::oracle {

// The trace of one operation.
struct Trace {
    uint32_t begin = 0; // moments of a clock that every call advances, twice
    uint32_t end = 0;
    bool done = false; // a query reported it, or a synchronisation returned
    uint64_t ran = 0;  // the works that had run by then
    uint32_t told = 0; // of an add to the queue: when its entry came, from 1
    bool executed = false;
};

struct Execution {
    const Program *program = nullptr;
    std::vector<Trace> traces;  // one for each op
    uint64_t ran = 0;           // the works that have run
    std::vector<uint64_t> seen; // by work: the works that had run when it did
};

// The same from numbers that the works took one after the other as they ran; 0: never.
std::vector<uint64_t> seen_by_number(const std::vector<uint32_t> &numbers);

// Empty, or what went wrong.
std::string judge(const Execution &execution);

} // namespace gs::oracle
