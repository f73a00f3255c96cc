// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_DUMP_ON: a dump that a process writes once, by itself, when a call fails.
#pragma once

#include "gpustream.h"

namespace gs::recorder {

// The function returns that code, STICKY or TIMEOUT. With no lock held. errno stays.
void dump_on_failure(const char *function, gs_status_t code) noexcept __attribute__((cold));

} // namespace gs::recorder
