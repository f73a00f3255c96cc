// SPDX-License-Identifier: Apache-2.0
// The numbers of the driver's objects in the log.
#pragma once

#include <cstdint>

#include "base/thread_block.hpp"
#include "front/call.hpp"

namespace gs::front {

uint64_t logged_stream(ThreadBlock &thread, const Call &call) noexcept;
bool is_default_stream(uint64_t stream) noexcept; // of a context, or of a thread

} // namespace gs::front
