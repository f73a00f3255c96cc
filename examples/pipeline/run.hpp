// SPDX-License-Identifier: Apache-2.0
// One run of the pipeline over the beginning of a file.
#pragma once

#include "collector.hpp"
#include "file_reader.hpp"
#include "kernels.hpp"

namespace pipeline {

struct RunPlan {
    gpustream::device device;
    int streams;
    uint32_t chunk_bytes; // no more than length
    uint64_t length;      // bytes of the file to process, at least 1
    bool forget_wait;     // see Options
};

// Throws the failure of the lane that failed first.
RunResult run(const RunPlan &plan, const Kernels &kernels, const FileReader &file, Progress *progress);

} // namespace pipeline
