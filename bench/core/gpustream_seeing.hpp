// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

// Ranges, and calls while a trace runs.
void add_gpustream_seeing();

} // namespace bench
