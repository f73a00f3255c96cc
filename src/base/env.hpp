// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables.
#pragma once

#include <cstdint>

namespace gs {

const char *env_text(const char *name) noexcept; // nullptr when unset
// nullptr as well when the process runs with raised privileges (setuid and the like): for paths of libraries.
const char *env_trusted(const char *name) noexcept;
// A whole decimal number within [least, greatest]; fallback when unset. A malformed value is logged once and ignored.
int64_t env_number(const char *name, int64_t fallback, int64_t least, int64_t greatest) noexcept;

} // namespace gs
