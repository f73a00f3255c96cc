// SPDX-License-Identifier: Apache-2.0
#include "oracle/session.hpp"

#include <sched.h>

#include <utility>

#include "core/slots.hpp"
#include "oracle/neighbour.hpp"

namespace gs::oracle {

Session::Session(const Program &program, std::unique_ptr<Ground> ground)
    : program_(program), ground_(std::move(ground)), traces_(program.ops.size()) {
    for (int s = 0; s < program.streams; ++s) note(make_stream(s), "stream_create");
    for (int e = 0; e < program.events; ++e) note(gs_event_create(0, &handles_.event(e)), "event_create");
    if (program.points > 0) note(gs_queue_create(kMaxPoints, 0, &handles_.queue), "queue_create");
}

Session::~Session() {
    for (int s = 0; s < program_.streams; ++s) note(gs_stream_destroy(handles_.stream(s)), "stream_destroy");
    for (int e = 0; e < program_.events; ++e) note(gs_event_destroy(handles_.event(e)), "event_destroy");
    if (program_.points > 0) note(gs_queue_destroy(handles_.queue), "queue_destroy");
}

void Session::note(gs_status_t status, const std::string &what) {
    gs_status_t none = GS_OK;
    if (status == GS_OK || !failed_.compare_exchange_strong(none, status)) return;
    failure_ = what + ": " + text_of(status);
}

void Session::complain(const std::string &what) {
    gs_status_t none = GS_OK;
    if (failed_.compare_exchange_strong(none, GS_ERROR_INTERNAL)) failure_ = what;
}

gs_status_t Session::make_stream(int stream) {
    gs_stream_t &handle = handles_.stream(stream);
    const gs_status_t status = gs_stream_create(program_.device_of(stream), 0, 0, &handle);
    // All threads of an interleaved program are one thread to the library, which must not take the streams for that one's alone.
    if (status == GS_OK) stream_slots().find(handle_bits(handle))->owner.store(kManyOwners);
    return status;
}

gs_status_t Session::renew_event(int event) {
    gs_event_t &handle = handles_.event(event);
    const gs_status_t status = gs_event_destroy(handle);
    return status != GS_OK ? status : gs_event_create(0, &handle);
}

gs_status_t Session::renew_stream(int stream) {
    const gs_status_t status = gs_stream_destroy(handles_.stream(stream));
    return status != GS_OK ? status : make_stream(stream);
}

gs_status_t Session::call_on_current(const Op &op) {
    std::string wrong;
    const auto enqueue = [&]() -> gs_status_t {
        if (op.kind == Kind::Record) return gs_event_record(handles_.event(op.other), GS_STREAM_CURRENT);
        if (op.kind == Kind::WaitEvent) return gs_event_wait(handles_.event(op.other), GS_STREAM_CURRENT);
        gs_stream_t now = nullptr; // the ground asks for its device
        const gs_status_t status = gs_current_stream(GS_DEVICE_CURRENT, &now);
        return status != GS_OK ? status : ground_->work(now, op.other);
    };
    const gs_status_t status = Neighbour::instance().with_current(op, program_.device_of(op.stream),
                                                                  handles_.stream(op.stream), enqueue, &wrong);
    if (!wrong.empty()) complain(describe(op) + ": " + wrong);
    return status;
}

gs_status_t Session::call(const Op &op, bool *out_done) {
    if (op.by != By::Handle && !Neighbour::inside()) return call_on_current(op);
    gs_stream_t stream = handles_.streams[op.stream];
    switch (op.kind) {
    case Kind::Work: return ground_->work(stream, op.other);
    case Kind::Hold: return ground_->hold(stream, program_.device_of(op.stream), op.other);
    case Kind::RenewEvent: return renew_event(op.other);
    case Kind::RenewStream: return renew_stream(op.stream);
    default: return handles_.call(op, out_done);
    }
}

void Session::execute(size_t index) {
    const Op &op = program_.ops[index];
    Trace &trace = traces_[index];
    trace.begin = clock_.fetch_add(1) + 1;
    const gs_status_t status = call(op, &trace.done);
    if (trace.done) trace.ran = ground_->ran();
    trace.end = clock_.fetch_add(1) + 1;
    trace.executed = true;
    if (status != GS_OK) note(status, "operation " + std::to_string(index) + ", " + describe(op));
    take_entries();
}

void Session::take_entries() {
    if (program_.points == 0) return;
    std::lock_guard<std::mutex> lock(entries_);
    gs_completion_t entries[kMaxPoints];
    size_t count = 0;
    note(gs_queue_poll(handles_.queue, entries, kMaxPoints, &count), "queue_poll");
    for (size_t i = 0; i < count; ++i) {
        for (size_t op = 0; op < program_.ops.size(); ++op) {
            const Kind kind = program_.ops[op].kind;
            if ((kind != Kind::AddStream && kind != Kind::AddEvent) || program_.ops[op].other != entries[i].token)
                continue;
            Trace &trace = traces_[op];
            if (trace.told != 0) note(GS_ERROR_INTERNAL, "a second entry for " + describe(program_.ops[op]));
            trace.told = ++entries_taken_;
            trace.ran = ground_->ran();
        }
        note(entries[i].status, "an entry");
    }
}

bool Session::all_ran() const {
    const uint64_t all = (uint64_t{1} << program_.works) - 1;
    return ground_->ran() == all;
}

std::string Session::trouble() const { return failed_.load() != GS_OK ? failure_ : ground_->trouble(); }

Execution Session::finish() {
    // All works have run, so the entries are on their way. A lost one shows as the test's time limit.
    const auto left = [this] {
        std::lock_guard<std::mutex> lock(entries_);
        return entries_taken_ < static_cast<uint32_t>(program_.points);
    };
    while (left() && failed_.load() == GS_OK) {
        take_entries();
        sched_yield();
    }
    Execution execution;
    execution.program = &program_;
    execution.traces = std::move(traces_);
    execution.ran = ground_->ran();
    execution.seen = ground_->seen();
    return execution;
}

} // namespace gs::oracle
