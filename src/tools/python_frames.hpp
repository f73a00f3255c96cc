// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gs {

struct PythonFrame {
    std::string file; // the whole path
    std::string line, function;
};

// Of the calling thread, innermost first, at most so many. A process needs Python for that. No lock may be held:
// a collection of garbage may run code of the program.
std::vector<PythonFrame> python_frames(size_t most);
std::string place_text(const PythonFrame &frame); // "train.py:12 in step"

// The innermost place of the calling thread that is in no installed package; empty without Python.
std::string python_line();

// Where the code of the interpreter is; 0 without Python.
uintptr_t interpreter_base() noexcept;

} // namespace gs
