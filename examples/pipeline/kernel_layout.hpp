// SPDX-License-Identifier: Apache-2.0
// What host code, host kernel and CUDA kernel agree on. A chunk is cut into slices; one block of the grid processes one
// slice. The result of a chunk is an array of 32-bit words: first the 256 bins of the histogram, which the kernel adds
// to, then the raw CRC of each slice.
#pragma once

namespace pipeline {

constexpr unsigned kSliceBytes = 16384;
constexpr unsigned kThreadsPerBlock = 128;
constexpr unsigned kBytesPerThread = kSliceBytes / kThreadsPerBlock;
constexpr unsigned kBins = 256;

constexpr unsigned slice_count(unsigned bytes) { return bytes / kSliceBytes + (bytes % kSliceBytes != 0); }
constexpr unsigned result_words(unsigned bytes) { return kBins + slice_count(bytes); }

} // namespace pipeline
