// SPDX-License-Identifier: Apache-2.0
// What streams wait for, as text. Async-signal-safe: no lock, no allocation, no driver call, no error record.
#pragma once

#include "base/status.hpp"

namespace gs::recorder {

// SYSTEM: a write failed.
Status write_dump(int fd) noexcept;

} // namespace gs::recorder
