// SPDX-License-Identifier: Apache-2.0
// Failing calls of the fake driver as steps of a program, and what the driver's side must look like at its end. On other
// backends such a step does nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/api/calls.hpp"

namespace gs::fuzz {

// While it lives, no call of this thread fails: the harness asks something itself.
class WithoutFaults {
public:
    WithoutFaults();
    ~WithoutFaults();
    WithoutFaults(const WithoutFaults &) = delete;
    WithoutFaults &operator=(const WithoutFaults &) = delete;
};

// The row that is no function of the header: the n-th driver call of this thread fails.
Call fault_call();

// A fault ends with the program. Returns how many calls it made fail.
uint64_t end_faults();

// Live objects of the driver, by kind; none on other backends.
std::vector<size_t> driver_objects();
// Ends the process if a rule for callers of the driver was broken.
void check_violations();

} // namespace gs::fuzz
