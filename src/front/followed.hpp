// SPDX-License-Identifier: Apache-2.0
// What goes on while a delayed call is late: the first operation of another stream that nothing orders behind it.
#pragma once

#include "front/call.hpp"
#include "front/delay_plan.hpp"

namespace gs::front {

// From now on; the one before is followed no more.
void follow(const Call &call, const CallName &name, uint64_t stream) noexcept;
void saw_followed(const Call &call) noexcept;
uint64_t number_of_stream(const Call &call) noexcept; // delays.cpp

} // namespace gs::front
