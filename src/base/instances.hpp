// SPDX-License-Identifier: Apache-2.0
// How many copies of the library this process has mapped. Two copies mean two states: a packaging fault.
#pragma once

#include <cstdint>

namespace gs {

int32_t count_instances() noexcept; // at least 1, this one

} // namespace gs
