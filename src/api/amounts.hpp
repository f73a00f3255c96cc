// SPDX-License-Identifier: Apache-2.0
// Checks of sizes that callers pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace gs::api {

// A negative number that was cast to size_t on its way.
inline Status check_bytes(size_t bytes) noexcept {
    if (bytes <= static_cast<size_t>(PTRDIFF_MAX)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes: larger than any object (a negative number?)", bytes);
}

} // namespace gs::api
