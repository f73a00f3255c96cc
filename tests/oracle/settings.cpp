// SPDX-License-Identifier: Apache-2.0
// One worker makes the order in which the engine runs streams the same every time, so that a seed reproduces a failure.
#include <cstdlib>

namespace gs::test {
namespace {

// Before main, and so before the library reads the variable.
[[maybe_unused]] const int g_one_worker = setenv("GPUSTREAM_HOST_WORKERS", "1", 1);

} // namespace
} // namespace gs::test
