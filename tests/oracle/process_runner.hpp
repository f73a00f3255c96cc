// SPDX-License-Identifier: Apache-2.0
// Runs random programs whose streams and events are spread over processes, and judges them.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/runner.hpp"
#include "oracle/shared_run.hpp"
#include "support/seeded_bug.hpp"

namespace gs::oracle {

enum class Turns {
    Taken, // one operation at a time, in the program's order: no two overlap, so the judge is at its strictest
    Free,  // each process at its own pace
};

// seeded: the number of a testing::SeededBug. Stops after the batch in which the
// first failure shows.
std::vector<Failure> run_in_processes(uint64_t first_seed, uint64_t count, Turns turns, int seeded = 0,
                                      Between between = Between::Events);

} // namespace gs::oracle
