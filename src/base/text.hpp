// SPDX-License-Identifier: Apache-2.0
// Texts: numbers in them, which bytes may leave the library, and those of the system's errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace gs {

std::string decimal(uint64_t number);

// Texts that leave the library are UTF-8 without control bytes, also where they quote what a caller, a driver or the environment
// gave: a terminal would obey those.
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

// strerror_r for all C libraries. That of glibc returns the text, which may lie outside the buffer. That of POSIX, in
// musl, fills the buffer and returns a number.
inline const char *filled_text(const char *returned, const char *) noexcept { return returned; }
inline const char *filled_text(int returned, const char *buffer) noexcept {
    return returned == 0 ? buffer : "unknown error";
}

template <size_t size>
const char *system_error_text(int number, char (&buffer)[size]) noexcept {
    return filled_text(strerror_r(number, buffer, size), buffer);
}

} // namespace gs
