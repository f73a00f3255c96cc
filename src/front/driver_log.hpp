// SPDX-License-Identifier: Apache-2.0
// The numbers of the driver's objects in the log.
#pragma once

#include <cstdint>

namespace gs::front {

bool is_default_stream(uint64_t stream) noexcept; // of a context, or of a thread

} // namespace gs::front
