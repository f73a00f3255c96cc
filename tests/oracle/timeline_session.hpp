// SPDX-License-Identifier: Apache-2.0
// Runs one program of timelines on the default backend, through the public functions, and compares it with the witness.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "gpustream.h"
#include "oracle/graph_session.hpp"
#include "oracle/timeline_program.hpp"

namespace gs::oracle {

class TimelineSession {
public:
    // stuck_ns: what has not ended by then counts as stuck.
    TimelineSession(const TimelineProgram &program, int64_t stuck_ns);
    ~TimelineSession();
    TimelineSession(const TimelineSession &) = delete;
    TimelineSession &operator=(const TimelineSession &) = delete;

    // Empty, or what went wrong.
    std::string run();

private:
    // By place in the witness: when it began and ended. What the host does ends when it begins.
    struct Moment {
        TimelineSession *session = nullptr;
        TimelineKind kind = TimelineKind::Read;
        std::atomic<uint32_t> begin{0}, end{0};
        std::atomic<int> runs{0};
    };
    static void run_work(void *opaque);

    gs_status_t call(const TimelineOp &op);
    gs_status_t signal_by_host(const TimelineOp &op);
    gs_status_t read(const TimelineOp &op);
    // All that has a moment in the set is over.
    void check_ended(const TimelineSet &set, const std::string &what);
    void execute(const TimelineOp &op);
    void finish();
    void judge();
    static bool has_moment(TimelineKind kind);
    void note(const std::string &what);

    const TimelineProgram &program_;
    const int64_t stuck_ns_;
    std::array<Moment, kMostTimelineOps> moments_;
    std::atomic<uint32_t> clock_{0};
    std::unique_ptr<GraphGate> gate_;
    std::array<gs_stream_t, kTimelineStreams> streams_{};
    std::array<gs_timeline_t, kTimelines> timelines_{};
    std::array<gs_event_t, kTimelineEvents> events_{};
    std::string trouble_;
};

} // namespace gs::oracle
