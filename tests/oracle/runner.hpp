// SPDX-License-Identifier: Apache-2.0
// Runs programs, many at once so that they share the waiting, and judges the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/ground.hpp"

namespace gs::oracle {

enum class Mode {
    // One OS thread. The seed interleaves the program's threads: around driver calls (support/instrumented), whole
    // operations of other threads run. Replayed exactly by the seed.
    Interleaved,
    // As many OS threads as the program has.
    Parallel,
};

struct Failure {
    uint64_t seed;
    std::string text; // the program and what it did
};

// Process-wide: sites that run programs at the same time must agree.
enum class Elision { Both, On, Off };

// Runs the programs of `count` seeds from `first_seed` on, each with elision, without it, or first with and then
// without it. Stops after the batch in which the first failure shows.
std::vector<Failure> run_programs(Site &site, uint64_t first_seed, uint64_t count, Mode mode,
                                  Elision elision = Elision::Both);

} // namespace gs::oracle
