// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables.
#pragma once

#include <cstdint>

namespace gs {

const char *env_text(const char *name) noexcept; // nullptr when unset
// As env_text, but nullptr when the process runs with raised privileges (setuid and the like). For library paths.
const char *env_trusted(const char *name) noexcept;
// A decimal integer within [least, greatest]; fallback when the variable is unset. Logs and ignores a malformed value.
int64_t env_number(const char *name, int64_t fallback, int64_t least, int64_t greatest) noexcept;

} // namespace gs
