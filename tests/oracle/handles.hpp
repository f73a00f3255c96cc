// SPDX-License-Identifier: Apache-2.0
// The streams and events of a program in execution, and the operations that are plain calls on them.
#pragma once

#include <array>
#include <string>

#include "gpustream.h"
#include "oracle/program.hpp"

namespace gs::oracle {

struct Handles {
    std::array<gs_stream_t, kMaxStreams> streams{};
    std::array<gs_event_t, kMaxEvents> events{};
    gs_queue_t queue = nullptr; // of programs with points

    gs_stream_t &stream(int index) { return streams[static_cast<size_t>(index)]; }
    gs_event_t &event(int index) { return events[static_cast<size_t>(index)]; }

    // INTERNAL for an operation that is more than a call on handles.
    gs_status_t call(const Op &op, bool *out_done) const;
};

// What the calling thread's failed call said, else the status's name.
std::string text_of(gs_status_t status);

} // namespace gs::oracle
