// SPDX-License-Identifier: Apache-2.0
#include "oracle/timeline_points.hpp"

#include <utility>

namespace gs::oracle {

gs_status_t TimelinePoints::make_one(gs_timeline_t &timeline, gs_ipc_handle_t &handle) {
    const gs_status_t status = gs_timeline_create(0, 0, GS_TIMELINE_INTERPROCESS, &timeline);
    return status == GS_OK ? gs_timeline_ipc_export(timeline, &handle) : status;
}

gs_status_t TimelinePoints::open(int streams, const gs_ipc_handle_t *handles) {
    gs_status_t status = GS_OK;
    for (int s = 0; s < streams && status == GS_OK; ++s) {
        gs_timeline_t &timeline = timelines_[static_cast<size_t>(s)];
        if (!timeline) status = gs_timeline_ipc_open(0, &handles[s], &timeline);
    }
    return status;
}

gs_status_t TimelinePoints::close() {
    gs_status_t first = GS_OK;
    for (gs_timeline_t &timeline : timelines_) {
        if (!timeline) continue;
        const gs_status_t status = gs_timeline_destroy(std::exchange(timeline, nullptr));
        if (first == GS_OK) first = status;
    }
    return first;
}

gs_status_t TimelinePoints::call(const Op &op, gs_stream_t on, SharedPoint &newest, bool *out_done) {
    if (op.kind == Kind::Record) {
        uint64_t &last = signalled_[op.stream]; // only its own process signals a stream's timeline
        const gs_status_t status = gs_stream_signal_timeline(on, timelines_[op.stream], last + 1);
        if (status == GS_OK) newest.store(++last << 8 | op.stream);
        return status;
    }
    const uint64_t point = newest.load(), value = point >> 8;
    *out_done = op.kind != Kind::WaitEvent;
    if (point == 0) return GS_OK; // never recorded
    gs_timeline_t timeline = timelines_[point & 0xFF];
    if (op.kind == Kind::WaitEvent) return gs_stream_wait_timeline(on, timeline, value);
    if (op.kind == Kind::SyncEvent) return gs_timeline_synchronize(timeline, value, -1);
    uint64_t now = 0;
    const gs_status_t status = gs_timeline_value(timeline, &now);
    *out_done = now >= value;
    return status;
}

} // namespace gs::oracle
