// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <algorithm>
#include <cinttypes>
#include <vector>

#include "text.hpp"

namespace pipeline {
namespace {

constexpr size_t kBufferBytes = 1u << 20;

} // namespace

Digest sequential_pass(const FileReader &file, uint64_t offset, uint64_t length, Progress &progress) {
    std::vector<unsigned char> buffer(std::min<uint64_t>(length, kBufferBytes));
    Digest digest;
    while (digest.bytes() < length) {
        const size_t bytes = std::min<uint64_t>(length - digest.bytes(), buffer.size());
        file.read(offset + digest.bytes(), buffer.data(), bytes);
        digest.update(buffer.data(), bytes);
        progress.add(bytes);
    }
    return digest;
}

std::string difference(const Digest &pipeline, const Digest &sequential) {
    std::string text;
    if (pipeline.bytes() != sequential.bytes()) {
        text +=
            format("bytes: pipeline %" PRIu64 ", sequential pass %" PRIu64 "\n", pipeline.bytes(), sequential.bytes());
    }
    if (pipeline.crc32() != sequential.crc32()) {
        text += format("CRC-32: pipeline %08" PRIx32 ", sequential pass %08" PRIx32 "\n", pipeline.crc32(),
                       sequential.crc32());
    }
    for (size_t bin = 0; bin < kBins; ++bin) {
        const uint64_t ours = pipeline.histogram()[bin];
        const uint64_t theirs = sequential.histogram()[bin];
        if (ours == theirs) continue;
        text += format("histogram, first difference: byte %zu occurs %" PRIu64 " times in the pipeline, %" PRIu64
                       " in the sequential pass\n",
                       bin, ours, theirs);
        break;
    }
    return text;
}

} // namespace pipeline
