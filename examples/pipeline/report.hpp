// SPDX-License-Identifier: Apache-2.0
// The speed of a run.
#pragma once

#include <string>

#include "collector.hpp"

namespace pipeline {

// Bytes by time, 10^9 bytes per second; 0 if no time was measured.
double gigabytes_per_second(uint64_t bytes, double ms);
// How many times longer one stream takes for the same bytes.
double overlap_factor(const RunResult &result, const RunResult &one_stream);
// "1.5 GiB", "4 MiB", "17 bytes"
std::string human_bytes(uint64_t bytes);

struct Report {
    std::string file;
    std::string device;
    int streams;
    uint32_t chunk_bytes;
    const RunResult &result;
    const RunResult &one_stream;

    std::string headline() const; // file, size, chunks, streams, device
    std::string speed() const;    // wall time, rate, overlap factor
    std::string table() const;    // one row per stage
};

} // namespace pipeline
