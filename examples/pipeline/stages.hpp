// SPDX-License-Identifier: Apache-2.0
// The three stages of a chunk, which streams they run on, and what is known about them afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pipeline {

enum Stage : int { kCopyIn, kKernel, kCopyOut };
inline constexpr int kStages = 3;
inline constexpr std::array<const char *, kStages> kStageNames = {"copy-in", "kernel", "copy-out"};

// A piece of the file, counted from 0.
struct Chunk {
    uint64_t index;
    uint64_t offset;
    uint32_t bytes;
};

// A lane is a worker thread with 1 to 3 of the run's streams. With 3, each stage has a stream of its own; with 2, both
// copies share one; with 1, everything does.
struct LanePlan {
    int first_stream;
    int streams;

    int stream_of(Stage stage) const {
        if (stage == kKernel) return first_stream + (streams > 1 ? 1 : 0);
        return first_stream + (stage == kCopyOut && streams == 3 ? 2 : 0);
    }
};

// Distributes the streams over as few lanes as can use them, as evenly as possible.
std::vector<LanePlan> plan_lanes(int streams);
// "stream 3, copy-in" and the like, one for each stream of the plan.
std::vector<std::string> stream_names(const std::vector<LanePlan> &lanes);

// One stage of one chunk, as its two events saw it. Times in ms since the run's first event.
struct Span {
    Stage stage;
    int stream;
    uint64_t chunk;
    uint64_t bytes;
    double start_ms;
    double duration_ms;

    double end_ms() const { return start_ms + duration_ms; }
};

struct StageTotal {
    uint64_t bytes = 0;
    double ms = 0;
};

} // namespace pipeline
