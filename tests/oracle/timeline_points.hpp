// SPDX-License-Identifier: Apache-2.0
// Timelines of several processes in place of interprocess events: each stream has one, a record signals its next value, and
// an event's newest record is that value. As streams do not share a timeline, nothing is ordered that events would not order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "gpustream.h"
#include "oracle/program.hpp"

namespace gs::oracle {

// Between processes; zero at first. The stream is in the lowest byte, the value above it; 0: never recorded.
using SharedPoint = std::atomic<uint64_t>;

class TimelinePoints {
public:
    // mine(stream): the stream is this process's, which makes its timeline and exports it.
    template <typename Mine>
    gs_status_t make(int streams, Mine &&mine, gs_ipc_handle_t *handles) {
        gs_status_t status = GS_OK;
        for (int s = 0; s < streams && status == GS_OK; ++s)
            if (mine(s)) status = make_one(timelines_[static_cast<size_t>(s)], handles[s]);
        return status;
    }
    gs_status_t open(int streams, const gs_ipc_handle_t *handles); // those of the others
    gs_status_t close();
    // An operation on an event, on the stream if it has one.
    gs_status_t call(const Op &op, gs_stream_t on, SharedPoint &newest, bool *out_done);

private:
    static gs_status_t make_one(gs_timeline_t &timeline, gs_ipc_handle_t &handle);

    std::array<gs_timeline_t, kMaxStreams> timelines_{};
    std::array<uint64_t, kMaxStreams> signalled_{};
};

} // namespace gs::oracle
