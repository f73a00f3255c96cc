// SPDX-License-Identifier: Apache-2.0
// Paths in the environment that several processes may have.
#pragma once

#include <unistd.h>

#include <climits>
#include <cstdio>

namespace gs::recorder {

// "%p" is the process's number, "%%" a percent sign. False: too long.
inline bool expand_path(const char *path, char (&out)[PATH_MAX]) noexcept {
    constexpr size_t kLongestPart = 24;
    size_t used = 0;
    for (; *path != '\0'; ++path) {
        if (used + kLongestPart > sizeof out) return false;
        if (path[0] == '%' && path[1] == 'p') {
            used += static_cast<size_t>(std::snprintf(out + used, kLongestPart, "%d", static_cast<int>(getpid())));
            ++path;
            continue;
        }
        if (path[0] == '%' && path[1] == '%') ++path;
        out[used++] = *path;
    }
    out[used] = '\0';
    return true;
}

} // namespace gs::recorder
