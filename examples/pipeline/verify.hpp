// SPDX-License-Identifier: Apache-2.0
// The plain sequential pass that the pipeline's result is checked against.
#pragma once

#include <string>

#include "digest.hpp"
#include "file_reader.hpp"
#include "progress.hpp"

namespace pipeline {

// Digest of [offset, offset + length) of the file, on this thread, without gpustream.
Digest sequential_pass(const FileReader &file, uint64_t offset, uint64_t length, Progress &progress);

// Empty if both are equal, else what differs.
std::string difference(const Digest &pipeline, const Digest &sequential);

} // namespace pipeline
