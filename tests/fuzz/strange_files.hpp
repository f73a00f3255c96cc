// SPDX-License-Identifier: Apache-2.0
// Files whose names programs may be given by mistake.
#pragma once

#include <string>

namespace gs::fuzz {

void make_strange_files();                         // in a folder that goes at exit
std::string strange_path(const std::string &text); // "@0" is the first of them, any other text is itself

} // namespace gs::fuzz
