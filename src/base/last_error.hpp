// SPDX-License-Identifier: Apache-2.0
// The two error records of a thread: pending (being built inside the library) and last (shown by gs_last_error).
#pragma once

#include "base/status.hpp"

namespace gs {

struct ThreadBlock;

// Makes the pending detail the thread's last error, with the public function's name and code.
// Called by the API boundary only, and only for codes other than OK and NOT_READY.
void commit_error(ThreadBlock &thread, const char *function, gs_status_t code) noexcept __attribute__((cold));

// Writes min(caller's, ours) bytes of the thread's last error. Answers also when the thread has no block.
Status read_last_error(gs_error_info_t *out) noexcept;

// The text of the failure now pending on this thread, "" if none: for logs of destroy paths.
const char *pending_text() noexcept;

} // namespace gs
