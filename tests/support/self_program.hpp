// SPDX-License-Identifier: Apache-2.0
// How this program is started once more: by itself, or, where it is for another processor, by the emulator that runs it.
#pragma once

#include <string>
#include <vector>

namespace gs::test {

// The command without further arguments. GPUSTREAM_TEST_EMULATOR is the path of an emulator (tests/packages/foreign).
std::vector<std::string> self_command();

} // namespace gs::test
