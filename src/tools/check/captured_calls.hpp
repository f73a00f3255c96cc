// SPDX-License-Identifier: Apache-2.0
// Calls on streams that are being captured: what they access belongs to a node of the graph.
#pragma once

#include "base/thread_block.hpp"
#include "tools/check/checker.hpp"

namespace gs::check {

enum class CapturedAs : uint8_t {
    Declared, // beside the work
    Call,     // by the call that has just been captured
};

// The stream's latest call has been captured. False: the stream is not being captured, or by other code.
bool saw_captured(ThreadBlock &thread, uint64_t stream) noexcept;
void saw_captured_access(ThreadBlock &thread, uint64_t stream, CapturedAs as, AccessKind kind, Range range,
                         const char *label) noexcept;

} // namespace gs::check
