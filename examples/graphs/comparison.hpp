// SPDX-License-Identifier: Apache-2.0
// The same file twice: each chunk submitted call by call, and as one launch of a graph.
#pragma once

#include <string>

#include "chunk_work.hpp"
#include "digest.hpp"
#include "file_reader.hpp"

namespace graphs {

struct Pass {
    pipeline::Digest digest;
    double submit_us = 0; // of this thread, for one chunk, on average
    double wall_ms = 0;   // with reading and waiting
};

struct Comparison {
    Pass calls;
    Pass graph;
    uint64_t chunks = 0;
    std::string dot;
};

Comparison compare(gpustream::device device, const pipeline::FileReader &file, uint32_t chunk_bytes);

} // namespace graphs
