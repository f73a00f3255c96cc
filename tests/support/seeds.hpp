// SPDX-License-Identifier: Apache-2.0
// Which programs a test of random programs runs.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "support/long_form.hpp"

namespace gs::test {

struct Seeds {
    uint64_t first, count;
};

// From 1 on, `few` or in the long form `many`; if the variable names a seed, only that one.
inline Seeds seeds(const char *variable, uint64_t few, uint64_t many) {
    if (const char *one = std::getenv(variable)) return {std::strtoull(one, nullptr, 0), 1};
    return {1, long_form() ? many : few};
}

} // namespace gs::test
