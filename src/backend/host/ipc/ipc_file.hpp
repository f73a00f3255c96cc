// SPDX-License-Identifier: Apache-2.0
// The file behind an arena.
#pragma once

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_handle.hpp"
#include "backend/host/ipc/ipc_layout.hpp"

namespace gs::host {

// Creates the file (mode 0600, must not exist, space reserved) and maps it. System failures leave their detail in the
// thread's pending record.
Result create_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                         IpcShared **out) noexcept;
// Maps another process's arena after checking owner, kind, mode and size.
Result open_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                       IpcShared **out) noexcept;
void unmap_arena(IpcShared *shared) noexcept;
void unlink_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept;

} // namespace gs::host
