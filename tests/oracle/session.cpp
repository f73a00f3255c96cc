// SPDX-License-Identifier: Apache-2.0
#include "oracle/session.hpp"

#include "core/slots.hpp"

namespace gs::oracle {
namespace {

std::atomic<uint32_t> g_numbers{0}; // the works of all sessions take their numbers from here

} // namespace

Session::Session(const Program &program) : program_(program), traces_(program.ops.size()) {
    for (int s = 0; s < program.streams; ++s) note(make_stream(s), "stream_create");
    for (int e = 0; e < program.events; ++e) note(gs_event_create(0, &events_[static_cast<size_t>(e)]), "event_create");
    for (int g = 0; g < program.gates; ++g) gates_.push_back(nullptr);
}

Session::~Session() {
    for (int s = 0; s < program_.streams; ++s)
        note(gs_stream_destroy(streams_[static_cast<size_t>(s)]), "stream_destroy");
    for (int e = 0; e < program_.events; ++e) note(gs_event_destroy(events_[static_cast<size_t>(e)]), "event_destroy");
}

void Session::note(gs_status_t status, const std::string &what) {
    gs_status_t none = GS_OK;
    if (status == GS_OK || !failed_.compare_exchange_strong(none, status)) return;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    const bool known = gs_last_error(&error) == GS_OK;
    failure_ = what + ": " + (known ? error.message : gs_status_name(status));
}

gs_status_t Session::make_stream(int stream) {
    return gs_stream_create(program_.device_of(stream), 0, 0, &streams_[static_cast<size_t>(stream)]);
}

gs_status_t Session::renew_event(int event) {
    gs_event_t &handle = events_[static_cast<size_t>(event)];
    const gs_status_t status = gs_event_destroy(handle);
    return status != GS_OK ? status : gs_event_create(0, &handle);
}

gs_status_t Session::renew_stream(int stream) {
    const gs_status_t status = gs_stream_destroy(streams_[static_cast<size_t>(stream)]);
    return status != GS_OK ? status : make_stream(stream);
}

gs_status_t Session::hold(const Op &op) {
    const int device = program_.device_of(op.stream);
    StreamSlot *slot = stream_slots().find(handle_bits(streams_[op.stream]));
    auto &gate = gates_[op.other];
    gate = std::make_unique<host::testing::Gate>(device);
    slot->used.store(true); // the gate bypasses the library, which would consider the stream never used
    return gate->hold(device, slot->native) ? GS_OK : GS_ERROR_INTERNAL;
}

void Session::open_gate(int gate) { gates_[static_cast<size_t>(gate)]->open(); }

void Session::run_work(void *opaque) {
    auto *work = static_cast<Work *>(opaque);
    if (work->number.exchange(g_numbers.fetch_add(1) + 1) != 0) work->again.store(true);
}

gs_status_t Session::call(const Op &op, bool *out_done) {
    gs_stream_t stream = streams_[op.stream];
    int32_t done = 1;
    gs_status_t status = GS_OK;
    switch (op.kind) {
    case Kind::Work: return gs_stream_launch_host(stream, run_work, &works_[op.other]);
    case Kind::Hold: return hold(op);
    case Kind::Record: return gs_event_record(events_[op.other], stream);
    case Kind::WaitEvent: return gs_stream_wait_event(stream, events_[op.other]);
    case Kind::WaitStream: return gs_stream_wait_stream(stream, streams_[op.other]);
    case Kind::QueryEvent: status = gs_event_query(events_[op.other], &done); break;
    case Kind::QueryStream: status = gs_stream_query(stream, &done); break;
    case Kind::SyncEvent: status = gs_event_synchronize(events_[op.other]); break;
    case Kind::SyncStream: status = gs_stream_synchronize(stream); break;
    case Kind::RenewEvent: return renew_event(op.other);
    case Kind::RenewStream: return renew_stream(op.stream);
    }
    *out_done = done != 0;
    return status;
}

void Session::execute(size_t index) {
    const Op &op = program_.ops[index];
    Trace &trace = traces_[index];
    trace.begin = clock_.fetch_add(1) + 1;
    const gs_status_t status = call(op, &trace.done);
    if (trace.done) trace.ran = ran();
    trace.end = clock_.fetch_add(1) + 1;
    trace.executed = true;
    if (status != GS_OK) note(status, "operation " + std::to_string(index) + ", " + describe(op));
}

uint64_t Session::ran() const {
    uint64_t set = 0;
    for (int w = 0; w < program_.works; ++w)
        if (works_[static_cast<size_t>(w)].number.load() != 0) set |= uint64_t{1} << w;
    return set;
}

bool Session::all_ran() const {
    for (int w = 0; w < program_.works; ++w)
        if (works_[static_cast<size_t>(w)].number.load() == 0) return false;
    return true;
}

std::string Session::trouble() const {
    if (failed_.load() != GS_OK) return failure_;
    for (int w = 0; w < program_.works; ++w)
        if (works_[static_cast<size_t>(w)].again.load()) return "work " + std::to_string(w) + " ran twice";
    return {};
}

Execution Session::finish() {
    Execution execution;
    execution.program = &program_;
    execution.traces = std::move(traces_);
    for (int w = 0; w < program_.works; ++w) execution.numbers.push_back(works_[static_cast<size_t>(w)].number.load());
    return execution;
}

} // namespace gs::oracle
