// SPDX-License-Identifier: Apache-2.0
// The log is on in this executable. The library asks the environment at its first call, in each process once.
#include <cstdlib>

namespace gs::check::test {
namespace {

[[maybe_unused]] const bool g_is_set = [] {
    setenv("GPUSTREAM_LOG", "256", 1);
    setenv("GPUSTREAM_DUMP_SIGNAL", "12", 1); // SIGUSR2
    return true;
}();

} // namespace
} // namespace gs::check::test
