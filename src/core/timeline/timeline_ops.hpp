// SPDX-License-Identifier: Apache-2.0
// What is done with timelines: signals and waits of streams and of the host.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Under the caller's CallMark. The values are below 2^63 - 1.
Status signal_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t timeline, uint64_t value) noexcept;
Status wait_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t timeline, uint64_t value) noexcept;

Status signal_timeline(ThreadBlock &thread, uint64_t timeline, uint64_t value) noexcept;
Status timeline_value(ThreadBlock &thread, uint64_t timeline, uint64_t *out_value) noexcept;
// What it began with: no signal of this process is needed to reach that.
Status timeline_first_value(uint64_t timeline, uint64_t *out_value) noexcept;
// TIMEOUT without a text.
Status synchronize_timeline(ThreadBlock &thread, uint64_t timeline, uint64_t value, int64_t timeout_ns) noexcept;

} // namespace gs
