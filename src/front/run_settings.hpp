// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_RUN, which `gpustream run` sets for the program and for its children: parts with ';' between them,
// "driver=/lib/libcuda.so.1;folder=/tmp/gpustream-run.x;stats;log=1024".
#pragma once

#include <climits>
#include <cstdint>

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

} // namespace gs::front
