// SPDX-License-Identifier: Apache-2.0
// When a process says by itself what its streams wait for: at a signal (GPUSTREAM_DUMP_SIGNAL), or once, when a call fails
// (GPUSTREAM_DUMP_ON).
#pragma once

#include "gpustream.h"

namespace gs::recorder {

// Only warns if the signal cannot be caught, or the program catches it.
void install_dump_signal() noexcept;

// The function returns that code, STICKY or TIMEOUT. With no lock held. errno stays.
void dump_on_failure(const char *function, gs_status_t code) noexcept __attribute__((cold));

} // namespace gs::recorder
