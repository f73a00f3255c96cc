// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace gs_node {

enum class Loaded { Good, NotFound, WrongAbi, Already };

// Opens the library from a file, or by the search if the path is empty. The text is the file in use, or what is wrong.
Loaded load(const std::string &path, std::string *text);

} // namespace gs_node
