// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LOG_FILE: the log in a file that is mapped and shared, so that it outlives the process. Without it the same is in
// private memory, where core files have it.
//
// One process writes a file at a time. Its space is reserved before it is mapped, so that a full disk is an error here and no
// SIGBUS at a write. A forked child leaves the file alone. The child's calls are refused before they are logged; if the
// parent had started no backend, the child's log goes on in memory.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>

#include "tools/recorder/log_format.hpp"

namespace gs::recorder {

// Once, by the thread that decides about the log. path: nullptr for none. Warns, and keeps the log in memory, if the file cannot
// be used.
void open_log_file(const char *path, uint64_t entries) noexcept;
// For one more thread. Without a ring: the log is a trace's only, or there is no room.
LogFilePart add_ring_to_file() noexcept;
// The name that the object has now, if there is a log.
void keep_name_in_file(uint64_t handle) noexcept;
// The descriptor of the file that this process writes, if that is it; else -1. Closing another one would end the lock.
int own_log_file(const struct stat &file) noexcept;

// Paths in the environment that several processes may have.

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
