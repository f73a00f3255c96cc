// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_DUMP_SIGNAL: a signal that makes the process say what its streams wait for.
#pragma once

namespace gs::recorder {

// Only warns if the signal cannot be caught, or the program catches it.
void install_dump_signal() noexcept;

} // namespace gs::recorder
