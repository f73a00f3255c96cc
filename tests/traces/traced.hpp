// SPDX-License-Identifier: Apache-2.0
// The text of a trace.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "support/objects.hpp"
#include "support/status_matchers.hpp"

namespace gs::check::test {

using gs::test::Event;
using gs::test::make_event;
using gs::test::make_stream;
using gs::test::Stream;

inline gs_status_t append(void *text, const char *piece, size_t bytes) {
    static_cast<std::string *>(text)->append(piece, bytes);
    return GS_OK;
}

inline std::string written(uint64_t trace = 0) {
    std::string text;
    EXPECT_OK(gs_trace_write(trace, append, &text));
    return text;
}

inline gs_trace_options_t options(uint32_t flags = 0, uint64_t operations = 0) {
    return {sizeof(gs_trace_options_t), flags, operations};
}

// The events of the trace, a line each, that have all of these parts.
inline std::vector<std::string> lines_with(const std::string &text, const std::vector<std::string> &parts) {
    std::vector<std::string> found;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        const bool all = std::all_of(parts.begin(), parts.end(),
                                     [&](const std::string &part) { return line.find(part) != std::string::npos; });
        if (all && line.rfind("{\"ph\"", 0) == 0) found.push_back(line);
        at = end + 1;
    }
    return found;
}

inline double number_in(const std::string &text, const std::string &name) {
    std::smatch found;
    const std::regex pattern("\"" + name + "\": (-?[0-9.]+)");
    if (!std::regex_search(text, found, pattern)) {
        ADD_FAILURE() << "no " << name << " in " << text;
        return -1;
    }
    return std::stod(found[1]);
}

inline uint64_t g_trace = 0; // the last that start_trace() has started

inline gs_status_t start_trace(const gs_trace_options_t *wanted = nullptr) {
    uint64_t number = 0;
    const gs_status_t status = gs_trace_begin(wanted, &number);
    if (status == GS_OK) g_trace = number;
    return status;
}

inline gs_status_t stop_trace() { return gs_trace_end(g_trace); }

struct StopAtEnd {
    ~StopAtEnd() {
        (void)stop_trace(); // the test may have stopped it
        EXPECT_OK(gs_set_trace_callback(nullptr, nullptr));
    }
};

} // namespace gs::check::test
