// SPDX-License-Identifier: Apache-2.0
// Where a trace shows a stream. The front of the driver, which has no slots, knows it otherwise.
#pragma once

#include <cstdint>

namespace gs::trace {

struct StreamPlace {
    int32_t device = 0; // its number
    bool is_default = false;
};
// device: as a LogEntry has it. The stream may have ended.
StreamPlace place_of_stream(uint64_t stream, uint32_t device) noexcept;

} // namespace gs::trace
