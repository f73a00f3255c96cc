// SPDX-License-Identifier: Apache-2.0
#include "support/self_program.hpp"

#include <cstdlib>
#include <filesystem>

namespace gs::test {

std::vector<std::string> self_command() {
    const char *emulator = std::getenv("GPUSTREAM_TEST_EMULATOR");
    if (!emulator || !*emulator) return {"/proc/self/exe"};
    // The link is that of this program only as long as an emulator says so.
    return {emulator, std::filesystem::read_symlink("/proc/self/exe")};
}

} // namespace gs::test
