// SPDX-License-Identifier: Apache-2.0
// The calling thread's call stack, and what its addresses mean.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gs {

// Of this library, ahead of its callers: the exported function. The front's are a jump and a template. The command reads the
// front's texts, "(/path/libname.so+0x3456) function+0x12", and finds the lines.
#if defined(GPUSTREAM_FRONT)
inline constexpr size_t kOwnFunctionsShown = 0;
inline constexpr bool kWholePaths = true;
#else
inline constexpr size_t kOwnFunctionsShown = 1;
inline constexpr bool kWholePaths = false;
#endif

using Frames = std::vector<uintptr_t>; // return addresses, innermost first

// Of the caller's callers. Does not ask the loader.
Frames capture_call_stack();
// One text for each frame: "function+0x12 (libname.so+0x3456)". Those inside this library are left out, but not the exported
// function, and so are those of Python's interpreter. Asks the loader: no lock may be held.
std::vector<std::string> describe_call_stack(const Frames &frames);

// Where a thread is, in C and in Python.
struct CallSite {
    Frames frames;
    std::vector<std::string> python; // "train.py:12 in step", innermost first; empty without Python
    auto operator<=>(const CallSite &) const = default;
};
CallSite capture_call_site(); // no lock may be held
// As describe_call_stack(), with Python's frames in place of its interpreter's.
std::vector<std::string> describe_call_site(const CallSite &site);

// The names of C++ functions as people write them.

// "space::function(int)" for "_ZN5space8functionEi". The symbol itself if it is of another language, or if the process has no C++
// library, whose demangler this is: one of our own would take 100 kB. Asks the loader: no lock may be held.
std::string demangle(const char *symbol);

struct PythonFrame {
    std::string file; // the whole path
    std::string line, function;
};

// Of the calling thread, innermost first, at most so many; the thread need not hold the interpreter's lock. Empty without Python. Asks the
// loader: no lock may be held.
std::vector<PythonFrame> python_frames(size_t most);
// The same for Python 3.10, 3.13 and 3.14; empty in others.
std::vector<PythonFrame> frames_in_memory(const void *thread_state, size_t most);
std::string place_text(const PythonFrame &frame); // "train.py:12 in step"

// The innermost place of the calling thread that is in no installed package; empty without Python.
std::string python_line();

// Where the code of the interpreter is; 0 without Python.
uintptr_t interpreter_base() noexcept;

} // namespace gs
