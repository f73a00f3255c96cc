// SPDX-License-Identifier: Apache-2.0
// The bridges that the library knows by name. Their libraries are looked for in the process and never loaded.
#pragma once

#include "base/status.hpp"

namespace gs {

// Registers the built-in bridge with this name. INVALID_ARGUMENT: there is none. UNAVAILABLE: its library is not in the
// process, or is none that the bridge can use.
Status register_built_in(const char *name, int32_t *out_id) noexcept;

} // namespace gs
