// SPDX-License-Identifier: Apache-2.0
// The log file: a page with the header, a table of names, then one ring for each thread. It is read by the version of the
// library that wrote it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/names.hpp"

namespace gs::recorder {

inline constexpr char kLogMagic[8] = {'G', 'P', 'U', 'S', 'L', 'O', 'G', '\0'};
inline constexpr uint32_t kLogVersion = 1;
inline constexpr uint32_t kLogByteOrder = 0x01020304;
inline constexpr size_t kLogPage = 4096;

struct LogFileHeader {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t process;
    uint64_t entries; // of each ring
    uint64_t rings;   // how many there are: raised when one is complete
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

struct LogFileName {
    uint64_t handle; // 0: none
    char text[kNameBytes];
};

inline constexpr size_t kLogFileNames = 1024;
inline constexpr size_t kLogFileRings = 1024; // threads beyond these log to memory
inline constexpr uint64_t kMostLogEntries = uint64_t{1} << 20;

// Zeroed memory for a ring; nullptr: none.
struct LogFilePart {
    void *memory;
    uint64_t entries;
};

constexpr size_t whole_pages(size_t bytes) noexcept { return (bytes + kLogPage - 1) / kLogPage * kLogPage; }
inline constexpr size_t kLogNamesAt = kLogPage;
inline constexpr size_t kLogRingsAt = kLogNamesAt + whole_pages(kLogFileNames * sizeof(LogFileName));
constexpr size_t log_ring_bytes(uint64_t entries) noexcept { return whole_pages(entries * sizeof(LogFilePlace)); }

} // namespace gs::recorder
