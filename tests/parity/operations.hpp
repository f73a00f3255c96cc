// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call.hpp"

namespace parity {

Result call_library(void *library, const std::string &name, Arguments &arguments);
Result call_own(void *native, const std::string &name, Arguments &arguments);

} // namespace parity
