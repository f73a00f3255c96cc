// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bench {

// Creating and destroying, and the current stream.
void add_gpustream_lives();

} // namespace bench
