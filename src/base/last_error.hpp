// SPDX-License-Identifier: Apache-2.0
// The two error records of a thread: pending (being built inside the library) and last (returned by gs_last_error).
#pragma once

#include "base/status.hpp"

namespace gs {

struct ThreadBlock;

// Makes the pending detail the thread's last error and adds the public function's name and the code.
// Called only by the API boundary, for codes other than OK and NOT_READY.
void commit_error(ThreadBlock &thread, const char *function, gs_status_t code) noexcept __attribute__((cold));

// Writes min(caller's, ours) bytes of the thread's last error. Works also for a thread without a block.
Status read_last_error(gs_error_info_t *out) noexcept;

// The text of the failure that is pending on this thread, or "". Destroy paths log it.
const char *pending_text() noexcept;

} // namespace gs
