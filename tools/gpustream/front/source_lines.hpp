// SPDX-License-Identifier: Apache-2.0
// The lines of C and C++ in the front's texts.
#pragma once

#include <string>

namespace command {

// With "file.cpp:12 in function" for each "(/path/program+0x3456) function+0x12", as far as the program has DWARF and one of
// addr2line and llvm-symbolizer is installed; else with "function+0x12 (program+0x3456)".
std::string with_source_lines(const std::string &text);

} // namespace command
