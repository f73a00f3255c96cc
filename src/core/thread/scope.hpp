// SPDX-License-Identifier: Apache-2.0
// Pushing and popping the current stream. A scope restores the device, both devices' streams and the driver's context.
#pragma once

#include "core/thread/current_stream.hpp"

namespace gs {

// handle: the number under which the caller found the stream. INVALID_HANDLE when it is destroyed meanwhile.
Status push_scope(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                  uint64_t *out_token) noexcept;
// token 0: the innermost. SCOPE, and nothing changes, unless it is this thread's innermost.
Status pop_scope(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;
// Pops up to and including the token's scope. SCOPE when this thread has no such scope.
Status unwind_scopes(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;

// The driver's current context has just been changed from `previous`, and stays so. The innermost scope puts it back,
// unless it has an earlier one to put back. Nothing to do where no scope is open.
void save_context(CoreThread &core, const Backend &backend, uintptr_t previous) noexcept;

} // namespace gs
