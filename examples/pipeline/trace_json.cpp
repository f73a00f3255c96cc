// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>

#include "text.hpp"
#include "timeline.hpp"

namespace pipeline {

std::string trace_json(const Timeline &timeline) {
    const RunResult &run = timeline.run;
    std::string json =
        "{\"displayTimeUnit\": \"ms\",\n \"otherData\": {\"title\": \"" + json_escape(timeline.title) +
        "\", \"result\": \"" + json_escape(timeline.subtitle) + "\",\n  " +
        format("\"chunks\": %" PRIu64 ", \"chunks_in_trace\": %zu},\n", run.chunks, run.spans.size() / kStages) +
        " \"traceEvents\": [\n";
    json += "  {\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"pipeline\"}}";
    const std::vector<std::string> names = stream_names(run.lanes);
    for (size_t i = 0; i < names.size(); ++i) {
        json += format(
            ",\n  {\"ph\": \"M\", \"pid\": 1, \"tid\": %zu, \"name\": \"thread_name\", \"args\": {\"name\": \"%s\"}}",
            i + 1, json_escape(names[i]).c_str());
    }
    for (const Span &span : run.spans) {
        // The format counts in microseconds.
        json += format(",\n  {\"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"name\": \"%s\", \"ts\": %.3f, \"dur\": %.3f, "
                       "\"args\": {\"chunk\": %" PRIu64 ", \"bytes\": %" PRIu64 "}}",
                       span.stream + 1, kStageNames[static_cast<size_t>(span.stage)],
                       (span.start_ms - run.first_ms) * 1e3, span.duration_ms * 1e3, span.chunk, span.bytes);
    }
    return json + "\n ]}\n";
}

} // namespace pipeline
