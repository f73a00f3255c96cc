// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

// Wrapping raw handles, and the current stream with another library's.
void add_gpustream_bridges();

} // namespace bench
