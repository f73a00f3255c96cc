// SPDX-License-Identifier: Apache-2.0
// strerror_r for all C libraries. That of glibc returns the text, which may lie outside the buffer. That of POSIX, in
// musl, fills the buffer and returns a number.
#pragma once

#include <cstddef>
#include <cstring>

namespace gs {

inline const char *filled_text(const char *returned, const char *) noexcept { return returned; }
inline const char *filled_text(int returned, const char *buffer) noexcept {
    return returned == 0 ? buffer : "unknown error";
}

template <size_t size>
const char *system_error_text(int number, char (&buffer)[size]) noexcept {
    return filled_text(strerror_r(number, buffer, size), buffer);
}

} // namespace gs
