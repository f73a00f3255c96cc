// SPDX-License-Identifier: Apache-2.0
#include "oracle/timeline_session.hpp"

#include <algorithm>

#include "oracle/handles.hpp"

namespace gs::oracle {
TimelineSession::TimelineSession(const TimelineProgram &program, int64_t stuck_ns)
    : program_(program), stuck_ns_(stuck_ns) {
    for (const TimelineOp &op : program.ops)
        if (op.kind != TimelineKind::Circle) moments_[op.witness].kind = op.kind;
    for (Moment &moment : moments_) moment.session = this;
    for (gs_stream_t &stream : streams_)
        if (gs_stream_create(0, 0, 0, &stream) != GS_OK) note("stream_create");
    for (gs_timeline_t &timeline : timelines_)
        if (gs_timeline_create(0, 0, 0, &timeline) != GS_OK) note("timeline_create");
    for (gs_event_t &event : events_)
        if (gs_event_create(0, &event) != GS_OK) note("event_create");
}

TimelineSession::~TimelineSession() {
    for (gs_stream_t stream : streams_) (void)gs_stream_destroy(stream);
    for (gs_timeline_t timeline : timelines_) (void)gs_timeline_destroy(timeline);
    for (gs_event_t event : events_) (void)gs_event_destroy(event);
}

void TimelineSession::note(const std::string &what) {
    if (trouble_.empty()) trouble_ = what;
}

bool TimelineSession::has_moment(TimelineKind kind) {
    return kind == TimelineKind::Work || kind == TimelineKind::Hold || kind == TimelineKind::HostSignal;
}

void TimelineSession::run_work(void *opaque) {
    auto &moment = *static_cast<Moment *>(opaque);
    ++moment.runs;
    moment.begin.store(++moment.session->clock_);
    moment.end.store(++moment.session->clock_);
}

void TimelineSession::check_ended(const TimelineSet &set, const std::string &what) {
    for (size_t i = 0; i < moments_.size(); ++i)
        if (set[i] && has_moment(moments_[i].kind) && moments_[i].end.load() == 0)
            note(what + " while operation " + std::to_string(i) + " was pending");
}

gs_status_t TimelineSession::signal_by_host(const TimelineOp &op) {
    uint16_t before = 0;
    for (const TimelineOp &other : program_.ops) {
        const bool signals = other.kind == TimelineKind::Signal || other.kind == TimelineKind::HostSignal;
        if (signals && other.object == op.object && other.value < op.value) before = std::max(before, other.value);
    }
    const gs_status_t status = gs_timeline_synchronize(timelines_[op.object], before, stuck_ns_);
    if (status != GS_OK) return status;
    check_ended(op.before, "operation " + describe(op) + " found its predecessor reached");
    moments_[op.witness].begin.store(++clock_);
    moments_[op.witness].end.store(moments_[op.witness].begin.load());
    return gs_timeline_signal(timelines_[op.object], op.value);
}

gs_status_t TimelineSession::read(const TimelineOp &op) {
    uint64_t value = 0;
    const gs_status_t status = gs_timeline_value(timelines_[op.object], &value);
    if (status != GS_OK || value == 0) return status;
    for (const TimelineOp &signal : program_.ops) {
        const bool signals = signal.kind == TimelineKind::Signal || signal.kind == TimelineKind::HostSignal;
        if (!signals || signal.object != op.object || signal.value != value) continue;
        check_ended(signal.before, "operation " + describe(op) + " read " + std::to_string(value));
        return GS_OK;
    }
    note("operation " + describe(op) + " read " + std::to_string(value) + ", which is not signalled");
    return GS_OK;
}

gs_status_t TimelineSession::call(const TimelineOp &op) {
    gs_stream_t stream = streams_[op.stream];
    switch (op.kind) {
    case TimelineKind::Hold:
        gate_ = make_graph_gate();
        if (gate_) return gate_->hold(stream);
        moments_[op.witness].end.store(++clock_); // nothing is held
        return GS_OK;
    case TimelineKind::Work: return gs_stream_launch_host(stream, run_work, &moments_[op.witness]);
    case TimelineKind::Signal: return gs_stream_signal_timeline(stream, timelines_[op.object], op.value);
    case TimelineKind::Wait: return gs_stream_wait_timeline(stream, timelines_[op.object], op.value);
    case TimelineKind::HostSignal: return signal_by_host(op);
    case TimelineKind::Circle: {
        const gs_status_t status = gs_stream_signal_timeline(stream, timelines_[op.object], op.value);
        if (status != GS_ERROR_DEADLOCK) return status == GS_OK ? GS_ERROR_INTERNAL : status;
        return GS_OK;
    }
    case TimelineKind::Read: return read(op);
    case TimelineKind::Record: return gs_event_record(events_[op.object], stream);
    case TimelineKind::WaitEvent: return gs_event_wait(events_[op.object], stream);
    }
    return GS_ERROR_INTERNAL;
}

void TimelineSession::execute(const TimelineOp &op) {
    const gs_status_t status = call(op);
    if (status != GS_OK) note("operation " + describe(op) + ": " + text_of(status));
}

void TimelineSession::finish() {
    for (const TimelineOp &op : program_.ops)
        if (op.kind == TimelineKind::Hold && gate_) {
            moments_[op.witness].begin.store(++clock_);
            moments_[op.witness].end.store(moments_[op.witness].begin.load());
        }
    if (gate_) gate_->open();
    for (gs_stream_t stream : streams_)
        if (const gs_status_t status = gs_stream_synchronize_for(stream, stuck_ns_); status != GS_OK) {
            note("the last synchronize: " + text_of(status));
            // Streams that wait for what never comes would keep the session's memory in use.
            for (gs_timeline_t timeline : timelines_) (void)gs_timeline_abort(timeline, GS_ERROR_ABORTED);
            (void)gs_stream_synchronize(stream);
        }
    for (size_t t = 0; t < timelines_.size() && trouble_.empty(); ++t) {
        uint64_t value = 0;
        const gs_status_t status = gs_timeline_value(timelines_[t], &value);
        if (status != GS_OK || value != program_.reached[t])
            note("timeline " + std::to_string(t) + " ends at " + std::to_string(value));
    }
}

void TimelineSession::judge() {
    for (const TimelineOp &op : program_.ops) {
        if (op.kind != TimelineKind::Work) continue;
        const Moment &work = moments_[op.witness];
        if (work.runs.load() != 1)
            note("operation " + describe(op) + " ran " + std::to_string(work.runs.load()) + " times");
        for (size_t i = 0; i < moments_.size(); ++i) {
            if (!op.before[i] || !has_moment(moments_[i].kind) || moments_[i].end.load() < work.begin.load()) continue;
            note("operation " + describe(op) + " ran before operation " + std::to_string(i) + ", which it must follow");
        }
    }
}

std::string TimelineSession::run() {
    for (const TimelineOp &op : program_.ops) {
        if (!trouble_.empty()) break;
        execute(op);
    }
    const bool whole = trouble_.empty();
    finish();
    if (whole && trouble_.empty()) judge();
    return trouble_;
}

} // namespace gs::oracle
