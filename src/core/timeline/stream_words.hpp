// SPDX-License-Identifier: Apache-2.0
// Stream memory operations on words of the program's own. All under the caller's CallMark.
#pragma once

#include "core/stream/captured.hpp"

namespace gs {

// CAPTURING: the stream is being captured. Else the failure of its device.
Status refuse_if_captured(ThreadBlock &thread, StreamSlot &stream) noexcept;
inline Status refuse_captured(ThreadBlock &thread, StreamSlot &stream) noexcept {
    GS_TRY(check_health(stream));
    return may_be_captured(stream) ? refuse_if_captured(thread, stream) : kOk;
}

Status write_value(ThreadBlock &thread, StreamSlot &stream, void *address, uint64_t value, uint32_t flags) noexcept;
Status wait_value(ThreadBlock &thread, StreamSlot &stream, void *address, uint64_t value, uint32_t flags) noexcept;
// count: at least 1, at most kMostValueOps.
inline constexpr size_t kMostValueOps = 255; // as cuStreamBatchMemOp has it
Status batch_values(ThreadBlock &thread, StreamSlot &stream, const gs_value_op_t *ops, size_t count) noexcept;

} // namespace gs
