// SPDX-License-Identifier: Apache-2.0
// A file of its own: the front and the simulated driver, which are no copies, have the other files of this folder.
// Counts the copies of the library in this process. Two copies mean two separate states: a packaging fault.
#pragma once

#include <cstdint>

namespace gs {

int32_t count_instances() noexcept; // at least 1, this one

// What to add to the message about an unknown handle: it may be another copy's. Empty if this is the only copy.
const char *advice_about_instances() noexcept;

} // namespace gs
