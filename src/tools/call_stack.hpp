// SPDX-License-Identifier: Apache-2.0
// The calling thread's call stack, and what its addresses mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gs {

using Frames = std::vector<uintptr_t>; // return addresses, innermost first

// Of the caller's callers. Does not ask the loader.
Frames capture_call_stack();
// One text for each frame: "function+0x12 (libname.so+0x3456)". Those inside this library are left
// out, but not the exported function. Asks the loader: no lock may be held.
std::vector<std::string> describe_call_stack(const Frames &frames);

} // namespace gs
