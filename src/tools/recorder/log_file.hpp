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
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "core/open_ranges.hpp"

namespace gs::recorder {

// The log file: a page with the header, a table of names, then for each thread a page with its ranges and its ring. It is read
// by the version of the library that wrote it.
//
// Without a file the same is in memory, where core files have it. The header then has its own address, which no copy of
// it has, and behind the names are the addresses of the threads' parts.

inline constexpr char kLogMagic[8] = {'G', 'P', 'U', 'S', 'L', 'O', 'G', '\0'};
inline constexpr uint32_t kLogVersion = 4;
inline constexpr uint32_t kLogByteOrder = 0x01020304;
inline constexpr size_t kLogPage = 4096;

struct LogFileHeader {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t process;
    uint64_t entries; // of each ring
    uint64_t rings;   // how many threads there are: raised when the part of one is complete
    uint64_t self;    // address; 0: this is a file
};

// A place of a ring, as LogRing writes it.
struct LogFilePlace {
    uint64_t number; // 0: none, or it is being written
    uint64_t time_ns;
    uint64_t stream;
    uint64_t object;
    uint64_t value;
    uint64_t call_and_thread; // and devices
};
// What is above the thread's number there.
inline constexpr uint32_t kLogCallMask = 0xFF, kLogDeviceMask = 0xFFF;

struct LogFileName {
    uint64_t handle; // 0: none
    char text[kNameBytes];
};

// The ranges that a thread has open, as OpenRanges writes them. A page.
inline constexpr uint32_t kLogFileRanges = OpenRanges::kNamed;
struct LogFileRanges {
    uint64_t thread;
    uint64_t open;
    uint64_t set;
    struct {
        uint64_t number; // 0: it is being written
        char text[kNameBytes];
    } names[kLogFileRanges];
};
static_assert(sizeof(LogFileRanges) == sizeof(OpenRanges) && sizeof(LogFileRanges) <= kLogPage);

inline constexpr size_t kLogFileNames = 1024;
inline constexpr size_t kLogFileRings = 1024; // threads beyond these log to memory
inline constexpr uint64_t kMostLogEntries = uint64_t{1} << 20;

// Zeroed memory for the ranges and the ring of a thread; nullptr: none.
struct LogFilePart {
    void *ranges;
    void *ring;
    uint64_t entries;
};

constexpr size_t whole_pages(size_t bytes) noexcept { return (bytes + kLogPage - 1) / kLogPage * kLogPage; }
inline constexpr size_t kLogNamesAt = kLogPage;
inline constexpr size_t kLogRingsAt = kLogNamesAt + whole_pages(kLogFileNames * sizeof(LogFileName));
// In memory:
inline constexpr size_t kLogPartsAt = kLogRingsAt;
inline constexpr size_t kLogMemoryBytes = kLogPartsAt + whole_pages(kLogFileRings * sizeof(uint64_t));
constexpr size_t log_part_bytes(uint64_t entries) noexcept {
    return kLogPage + whole_pages(entries * sizeof(LogFilePlace));
}

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
