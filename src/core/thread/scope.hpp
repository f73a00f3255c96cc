// SPDX-License-Identifier: Apache-2.0
// Pushes and pops the current stream. A scope restores the device, the streams of both devices and the driver's context.
#pragma once

#include "core/thread/thread_state.hpp"

namespace gs {

// handle: the one under which the caller found the stream. INVALID_HANDLE when it is destroyed during the call.
Status push_scope(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                  uint64_t *out_token) noexcept;
// token 0: the innermost scope. SCOPE, with no effect, unless it is this thread's innermost.
Status pop_scope(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;
// Pops all scopes up to and including the token's. SCOPE when this thread has no such scope.
Status unwind_scopes(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;

// What the scope restores; false: this thread has no scope at that depth, from 1.
bool scope_at(const CoreThread &core, int32_t depth, const Scope **out) noexcept;
// Ends the innermost scope without restoring anything: what was set inside it stays. depth > 0.
void keep_innermost(CoreThread &core) noexcept;

} // namespace gs
