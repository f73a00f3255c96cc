// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_RUN, which `gpustream run` sets for the program and for its children: parts with ';' between them,
// "driver=/lib/libcuda.so.1;folder=/tmp/gpustream-run.x;stats;log=1024".
#pragma once

#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

namespace gs::front {

enum Watch : uint32_t {
    kStats = 1u << 0,
    kLog = 1u << 1,
    kSyncs = 1u << 2,
    kLeaks = 1u << 3,
    kCaptures = 1u << 4,
    kDelays = 1u << 5,
    kTrace = 1u << 6, // the log also has where each call began and ended; together with kLog
    kCheck = 1u << 7,
    kCheckKernels = 1u << 8, // also what kernels may access; together with kCheck
    kDeviceTimes = 1u << 9,  // together with kTrace
    kLearn = 1u << 10,
};

struct Settings {
    char driver[PATH_MAX] = {}; // the real one
    char folder[PATH_MAX] = {}; // in which the command finds what it wants to know
    char log[PATH_MAX] = {};    // the log's file, if it is to have a place of its own
    char delays[PATH_MAX] = {}; // see delays.hpp
    char learn[PATH_MAX] = {};  // the file to add to, see learnt_uses.hpp
    char learnt[PATH_MAX] = {}; // and the one to read
    uint64_t entries = 0;       // of the log, for each thread
    uint32_t watch = 0;
};
extern Settings g_settings;
// Once, when the library is loaded. False: the variable is missing, or of another version.
bool read_settings() noexcept;

inline bool watches(uint32_t what) noexcept { return (g_settings.watch & what) != 0; }

// Texts for the user. The command finds the lines of their frames and writes them to stderr once the program has ended.

// "gpustream: process 4711 (python3): WHAT\n"
std::string report_head(const char *what);
// Of this process, in the run's folder. Opened for each text: a program may close all descriptors, and use the number again.
class ReportFile {
public:
    ReportFile() noexcept;
    ~ReportFile();
    ReportFile(const ReportFile &) = delete;
    ReportFile &operator=(const ReportFile &) = delete;
    int fd() const noexcept { return fd_; }

private:
    int fd_ = 2; // stderr, where the folder is out of reach
};
void write_report(std::string_view text) noexcept;
bool is_front(uintptr_t address) noexcept; // code of this library
// The callers of this library's functions, one text: "(/path/libx.so+0x34) launch+0x12, from ...", and the line of Python that the thread
// is in, if there is one, ahead of them. May throw std::bad_alloc.
std::string callers_text();

} // namespace gs::front
