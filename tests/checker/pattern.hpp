// SPDX-License-Identifier: Apache-2.0
// Three streams, two events and a buffer: what the patterns of races are made of.
#pragma once

#include "checker/reports.hpp"

namespace gs::check::test {

class CheckPattern : public ::testing::Test {
protected:
    static gs_status_t write(gs_stream_t stream, const char *label) {
        return gs_check_write(stream, &buffer, sizeof buffer, label);
    }
    static gs_status_t read(gs_stream_t stream, const char *label) {
        return gs_check_read(stream, &buffer, sizeof buffer, label);
    }
    static inline char buffer[256];

    Stream copy = make_stream(0), compute = make_stream(0), side = make_stream(0);
    Event event = make_event(), other = make_event();
};

} // namespace gs::check::test
