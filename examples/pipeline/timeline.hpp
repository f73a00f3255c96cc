// SPDX-License-Identifier: Apache-2.0
// A run as a picture and as a trace.
#pragma once

#include <string>

#include "collector.hpp"

namespace pipeline {

struct Timeline {
    std::string title;
    std::string subtitle;
    const RunResult &run;
};

// Above, a row for each stream with the stages of the first chunks; below, the whole run.
std::string timeline_svg(const Timeline &timeline);
// In the format of Chrome's trace viewer, which Perfetto reads as well.
std::string trace_json(const Timeline &timeline);

} // namespace pipeline
