// SPDX-License-Identifier: Apache-2.0
// One run of a scenario with one fault, in a process of its own, and everything that must hold afterwards.
#pragma once

#include <string>
#include <vector>

#include "fault/scenario.hpp"
#include "support/fake_cuda/fake_cuda.h"

namespace gs::test {

struct Injection {
    uint64_t nth = 0; // among the calls of the scenario's thread; 0: none
    int code = 0;
    int phase = 0; // FAKE_CUDA_*
    int mode = 0;
};

// Live objects of each kind that a clean run leaves after gs_trim.
struct Baseline {
    size_t live[FAKE_CUDA_KINDS] = {};
    int depth = 0;                  // of the thread's contexts: scenarios that set the current device leave one
    std::vector<std::string> calls; // symbols, in order
};

// In a child of a process that has not called the library. Prints what is wrong; returns true if nothing is.
bool measure(const Scenario &scenario); // prints the baseline for parse_baseline
bool parse_baseline(const std::string &output, Baseline *out);
bool run_injected(const Scenario &scenario, const Injection &injection, const Baseline &baseline);

} // namespace gs::test
