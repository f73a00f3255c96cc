// SPDX-License-Identifier: Apache-2.0
// Whether tests run in their long form: GPUSTREAM_TEST_FULL=1, which scripts/test --full sets.
#pragma once

#include <cstdlib>
#include <cstring>

namespace gs::test {

inline bool long_form() {
    const char *value = std::getenv("GPUSTREAM_TEST_FULL");
    return value && std::strcmp(value, "1") == 0;
}

} // namespace gs::test
