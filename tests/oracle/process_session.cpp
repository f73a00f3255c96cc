// SPDX-License-Identifier: Apache-2.0
#include "oracle/process_session.hpp"

#include "core/slots.hpp"

namespace gs::oracle {

ProcessSession::ProcessSession(const Program &program, SharedRun &run, SharedProgram &shared, int process,
                               Between between)
    : program_(program), run_(run), shared_(shared), process_(process), between_(between) {
    for (int s = 0; s < program.streams; ++s)
        if (process_of(s) == process) check(gs_stream_create(0, 0, 0, &handles_.stream(s)), "stream");
    for (int e = 0; e < program.events; ++e) {
        if (between != Between::Events || process_of(e) != process) continue;
        gs_event_t &event = handles_.event(e);
        check(gs_event_create(GS_EVENT_INTERPROCESS, &event), "event");
        check(gs_event_ipc_export(event, &shared.handles[e]), "export");
    }
    for (int w = 0; w < kMaxWorks; ++w) works_[static_cast<size_t>(w)] = {&run, &shared, w};
}

ProcessSession::~ProcessSession() {
    for (int s = 0; s < program_.streams; ++s)
        if (process_of(s) == process_) check(gs_stream_destroy(handles_.stream(s)), "stream_destroy");
    for (int e = 0; e < program_.events && between_ == Between::Events; ++e)
        check(gs_event_destroy(handles_.event(e)), "event_destroy");
}

void ProcessSession::open_events() {
    for (int e = 0; e < program_.events && between_ == Between::Events; ++e)
        if (process_of(e) != process_) check(gs_event_ipc_open(0, &shared_.handles[e], &handles_.event(e)), "open");
}

void ProcessSession::check(gs_status_t status, const std::string &what) {
    if (status == GS_OK) return;
    run_.fail("process " + std::to_string(process_) + ", seed " + std::to_string(program_.seed) + ", " + what + ": " +
              text_of(status));
}

gs_status_t ProcessSession::hold(const Op &op) {
    StreamSlot *slot = stream_slots().find(handle_bits(handles_.streams[op.stream]));
    auto &gate = gates_[op.other];
    gate = std::make_unique<host::testing::Gate>(0);
    slot->use.store(StreamUse::Some); // the gate bypasses the library, which would consider the stream never used
    return gate->hold(0, slot->native) ? GS_OK : GS_ERROR_INTERNAL;
}

void ProcessSession::open_gate(int gate) {
    if (auto &held = gates_[static_cast<size_t>(gate)]) held->open();
}

void ProcessSession::run_work(void *opaque) {
    const auto *work = static_cast<Work *>(opaque);
    if (work->shared->numbers[work->number].exchange(work->run->numbers.fetch_add(1) + 1) != 0)
        work->shared->again.store(1);
}

gs_status_t ProcessSession::call(const Op &op, bool *out_done) {
    switch (op.kind) {
    case Kind::Work: return gs_stream_launch_host(handles_.streams[op.stream], run_work, &works_[op.other]);
    case Kind::Hold: return hold(op);
    case Kind::Record:
    case Kind::WaitEvent:
    case Kind::QueryEvent:
    case Kind::SyncEvent:
        if (between_ == Between::Tokens)
            return call_by_token(op, handles_.streams[op.stream], shared_.tokens[op.other], out_done);
        [[fallthrough]];
    default: return handles_.call(op, out_done); // programs for processes renew nothing
    }
}

void ProcessSession::execute(size_t index) {
    const Op &op = program_.ops[index];
    Trace &trace = shared_.traces[index];
    trace.begin = run_.clock.fetch_add(1) + 1;
    const gs_status_t status = call(op, &trace.done);
    if (trace.done) trace.ran = ran();
    trace.end = run_.clock.fetch_add(1) + 1;
    trace.executed = true;
    check(status, "operation " + std::to_string(index) + ", " + describe(op));
}

uint64_t ProcessSession::ran() const {
    uint64_t set = 0;
    for (int w = 0; w < program_.works; ++w)
        if (shared_.numbers[w].load() != 0) set |= uint64_t{1} << w;
    return set;
}

bool ProcessSession::all_ran() const {
    for (int w = 0; w < program_.works; ++w)
        if (shared_.numbers[w].load() == 0) return false;
    return true;
}

} // namespace gs::oracle
