// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LEAKS: one report, when the process exits, of what callers have not given back. Who keeps things adds a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/call_stack.hpp"

namespace gs {

void read_leaks_environment() noexcept; // once
// Once, if the variable asks for it or what has loaded the tools does. write: nullptr for stderr.
void watch_leaks(void (*write)(std::string_view text) noexcept = nullptr) noexcept;
bool reports_leaks() noexcept;

struct LeakPart {
    size_t count = 0;    // 0: the part says nothing
    std::string summary; // "7 objects"
    std::string lines;   // indented, each with its end
};
enum class Leaks { Objects, Blocks }; // the order of the parts
// Called when the process exits, on its last thread and with no lock held; asks no driver. May throw std::bad_alloc.
using FindLeaks = LeakPart (*)();
void add_leaks(Leaks which, FindLeaks find) noexcept; // again: no effect

// "1 block", "2 blocks"
std::string count_text(size_t count, const char *what);

// Which thread made an object or a block of memory, and from where.
struct Maker {
    uint64_t thread = 0; // the operating system's number; 0: not known
    Frames frames;
};
// Both may throw std::bad_alloc.
Maker this_maker();
std::string frame_lines(const Maker &maker);
void warn_of_unknown_maker() noexcept; // for want of memory; once

} // namespace gs
