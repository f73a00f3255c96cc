// SPDX-License-Identifier: Apache-2.0
// What goes on while a delayed call is late: the first operation of another stream that nothing orders behind it.
#pragma once

#include <vector>

#include "front/call.hpp"
#include "front/delay_plan.hpp"

namespace gs::front {

// From now on; the one before is followed no more.
void follow(const Call &call, const CallName &name, uint64_t stream) noexcept;
void saw_followed(const Call &call) noexcept;
// What the call was given, of a kernel all that may be an address. May throw std::bad_alloc.
std::vector<uint64_t> addresses_of(const Call &call);
uint64_t number_of_stream(const Call &call) noexcept; // delays.cpp

} // namespace gs::front
