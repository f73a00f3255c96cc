// SPDX-License-Identifier: Apache-2.0
// Texts that leave the library are UTF-8 without control bytes, also where they quote what a caller, a driver or the environment
// gave: a terminal would obey those.
#pragma once

#include <cstddef>
#include <string>

namespace gs {

enum class Lines : bool { Many, One }; // Many: newlines and tabs stay

// Length of the printable character that begins here, 0 if none does. *out_cut: one may begin, but the text ends within it.
size_t printable_character(const char *at, Lines lines, bool *out_cut) noexcept;

// A byte that belongs to no printable character becomes '?'. An incomplete character at the end, as truncation leaves it, is
// removed. The text never grows.
void make_printable(char *text, Lines lines = Lines::Many) noexcept;
inline std::string printable(std::string text, Lines lines = Lines::Many) {
    make_printable(text.data(), lines);
    text.resize(std::char_traits<char>::length(text.c_str()));
    return text;
}

} // namespace gs
