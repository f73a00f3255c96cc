// SPDX-License-Identifier: Apache-2.0
// The part of a PTX compiler that a driver's caller can see: entry points with their parameters, and messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gs::simulated {

struct PtxEntry {
    std::string name;
    std::vector<size_t> parameters; // bytes of each
};

struct PtxResult {
    std::vector<PtxEntry> entries;
    std::string log; // not empty: it does not compile
};

PtxResult parse_ptx(const char *text);

} // namespace gs::simulated
