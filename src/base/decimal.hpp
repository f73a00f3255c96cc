// SPDX-License-Identifier: Apache-2.0
// Numbers in texts. std::to_string brings tables and a function for each type.
#pragma once

#include <cstdint>
#include <string>

namespace gs {

std::string decimal(uint64_t number);

} // namespace gs
