// SPDX-License-Identifier: Apache-2.0
// The names of C++ functions as people write them.
#pragma once

#include <string>

namespace gs {

// "space::function(int)" for "_ZN5space8functionEi". The symbol itself if it is of another language, or if the process has no C++
// library, whose demangler this is: one of our own would take 100 kB. Asks the loader: no lock may be held.
std::string demangle(const char *symbol);

} // namespace gs
