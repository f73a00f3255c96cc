// SPDX-License-Identifier: Apache-2.0
// The sequential specification: which work must have run before which, given when each call began and ended.
//
// A stream runs its calls in their order; calls that overlap have none. Of two records that overlap either may be the
// later one, but for all who look afterwards it is the same: one of the orders must explain everything that was seen. A
// wait binds to a record that was current at some moment of the call: where several may be meant, only what all of them
// cover is demanded. So the oracle never refuses what a correct library may do, whatever the threads' timing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/program.hpp"

namespace gs::oracle {

// What happened to one operation.
struct Trace {
    uint32_t begin = 0; // moments of a clock that every call advances, twice
    uint32_t end = 0;
    bool done = false; // a query said so, or a synchronisation returned
    uint64_t ran = 0;  // the works that had run by then
    bool executed = false;
};

struct Execution {
    const Program *program = nullptr;
    std::vector<Trace> traces;     // one for each op
    std::vector<uint32_t> numbers; // by work: the number it took when it ran; 0: never
};

// Empty, or what went wrong.
std::string judge(const Execution &execution);

} // namespace gs::oracle
