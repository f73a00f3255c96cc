// SPDX-License-Identifier: Apache-2.0
// The command line.
#pragma once

#include <cstdint>
#include <string>

#include "gpustream.h"

namespace pipeline {

struct Options {
    std::string file;
    int streams = 6;
    uint32_t chunk_bytes = 4u << 20;
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    std::string timeline; // empty: none is written
    bool progress = false;
    bool forget_wait = false; // a mistake to be found: see docs/guide/debugging.md
    bool help = false;
};

// Throws Failure(Exit::kUsage).
Options parse_options(int count, const char *const *arguments);

extern const char kUsageText[];

} // namespace pipeline
