// SPDX-License-Identifier: Apache-2.0
// The identity by which other processes know this one.
#pragma once

#include "base/process_identity.hpp"
#include "base/status.hpp"

namespace gs {

// SYSTEM: /proc cannot be read. Only for calls that need a backend: a process that started one is not forked, so the
// number stays right.
Status this_process(ProcessIdentity *out) noexcept;

} // namespace gs
