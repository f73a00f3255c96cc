// SPDX-License-Identifier: Apache-2.0
// Collects the results of the lanes.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "digest.hpp"
#include "progress.hpp"
#include "stages.hpp"

namespace pipeline {

struct RunResult {
    Digest digest;
    std::array<StageTotal, kStages> stages{};
    double first_ms = 0; // start of the first stage of all
    double last_ms = 0;  // end of the last
    uint64_t chunks = 0;
    std::vector<Span> spans; // of the chunks delivered first, at most kMostSpans
    std::vector<LanePlan> lanes;

    double wall_ms() const { return last_ms - first_ms; }
};

// Memory stays bounded however long the file is.
inline constexpr size_t kMostSpans = 300'000;

class Collector {
public:
    Collector(uint64_t total_bytes, Progress *progress) : total_bytes_(total_bytes), progress_(progress) {}

    // A finished chunk; from any thread.
    void add(const Chunk &chunk, const uint32_t *result, const std::array<Span, kStages> &spans);
    // To be called when no lane is running any more.
    RunResult take() { return std::move(result_); }

private:
    const uint64_t total_bytes_;
    Progress *const progress_; // may be null
    std::mutex mutex_;
    RunResult result_;
};

} // namespace pipeline
