// SPDX-License-Identifier: Apache-2.0
// The library's own end of core/seam/core_services.inc: calls of functions of the core, by the table that it has given.
#pragma once

namespace gs {

struct CoreServices;

// Before anything else here runs. False: this library serves another copy of the core already.
bool bind_core(const CoreServices *core) noexcept;

} // namespace gs
