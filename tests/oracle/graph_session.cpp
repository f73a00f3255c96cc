// SPDX-License-Identifier: Apache-2.0
#include "oracle/graph_session.hpp"

#include "oracle/handles.hpp"
#include "support/nodes.hpp"

namespace gs::oracle {

GraphSession::GraphSession(const GraphProgram &program)
    : program_(program), expected_(expect(program)), works_(static_cast<size_t>(program.works)) {
    for (Work &work : works_) work.session = this;
    for (gs_stream_t &stream : streams_)
        if (gs_stream_create(0, 0, 0, &stream) != GS_OK) note("stream_create: " + text_of(GS_ERROR_INTERNAL));
    for (size_t e = 0; e < events_.size(); ++e) {
        const uint32_t flags = e >= kOutEvent ? uint32_t{GS_EVENT_EXTERNAL} : 0u;
        if (gs_event_create(flags, &events_[e]) != GS_OK) note("event_create: " + text_of(GS_ERROR_INTERNAL));
    }
}

GraphSession::~GraphSession() {
    for (gs_graph_exec_t exec : execs_)
        if (exec && gs_graph_exec_destroy(exec) != GS_OK) note("exec_destroy");
    for (gs_stream_t stream : streams_) (void)gs_stream_destroy(stream);
    for (gs_event_t event : events_) (void)gs_event_destroy(event);
}

void GraphSession::note(const std::string &what) {
    if (trouble_.empty()) trouble_ = what;
}

void GraphSession::run_work(void *opaque) {
    auto &work = *static_cast<Work *>(opaque);
    const auto run = static_cast<size_t>(work.runs.fetch_add(1));
    if (run >= kMostRuns) return; // judged by `runs`
    std::atomic<uint32_t> &clock = work.session->clock_;
    work.begin[run].store(++clock);
    work.end[run].store(++clock);
}

gs_status_t GraphSession::end_capture(const GraphOp &op) {
    gs_graph_t graph = nullptr;
    gs_status_t status = gs_stream_end_capture(streams_[op.stream], &graph);
    if (status != GS_OK) return status;
    status = gs_graph_instantiate(graph, 0, &execs_[op.other]);
    const gs_status_t destroyed = gs_graph_destroy(graph);
    return status != GS_OK ? status : destroyed;
}

gs_status_t GraphSession::build(const GraphOp &op, gs_graph_t *out) {
    gs_status_t status = gs_graph_create(0, 0, out);
    const GraphShape shape = shape_of(op.shape);
    std::vector<gs_node_t> nodes(shape.size());
    for (size_t i = 0; i < shape.size() && status == GS_OK; ++i) {
        std::vector<gs_node_t> after;
        for (const int earlier : shape[i]) after.push_back(nodes[static_cast<size_t>(earlier)]);
        status = gs_graph_add_node(*out, after.data(), after.size(),
                                   gs::test::host_node(run_work, &works_[op.work + i]), &nodes[i]);
    }
    return status;
}

gs_status_t GraphSession::build_exec(const GraphOp &op) {
    gs_graph_t graph = nullptr;
    gs_status_t status = build(op, &graph);
    if (status == GS_OK && op.kind == GraphKind::Build) status = gs_graph_instantiate(graph, 0, &execs_[op.other]);
    if (status == GS_OK && op.kind == GraphKind::Update) {
        gs_graph_update_t update{};
        update.struct_size = sizeof update;
        status = gs_graph_exec_update(execs_[op.other], graph, &update);
        if (update.reason != GS_UPDATE_OK)
            note("an update by the same shape was refused, reason " + std::to_string(update.reason));
    }
    const gs_status_t destroyed = graph ? gs_graph_destroy(graph) : GS_OK;
    return status != GS_OK ? status : destroyed;
}

gs_status_t GraphSession::call(const GraphOp &op, size_t index) {
    gs_stream_t stream = streams_[op.stream];
    switch (op.kind) {
    case GraphKind::Work: return gs_stream_launch_host(stream, run_work, &works_[op.work]);
    case GraphKind::Record: return gs_event_record(events_[op.other], stream);
    case GraphKind::Wait: return gs_event_wait(events_[op.other], stream);
    case GraphKind::Outside:
        return op.flag ? gs_event_record(events_[op.other], stream) : gs_event_wait(events_[op.other], stream);
    case GraphKind::Begin: return gs_stream_begin_capture(stream, op.other);
    case GraphKind::End: return end_capture(op);
    case GraphKind::Build:
    case GraphKind::Update: return build_exec(op);
    case GraphKind::Launch: return gs_graph_exec_launch(execs_[op.other], stream);
    case GraphKind::Destroy: {
        gs_graph_exec_t exec = execs_[op.other];
        execs_[op.other] = nullptr;
        return gs_graph_exec_destroy(exec);
    }
    case GraphKind::Query: {
        int32_t done = 0;
        const gs_status_t status = gs_event_query(events_[op.other], &done);
        if (status == GS_OK && done) check_covered(index);
        return status;
    }
    case GraphKind::Hold: gate_ = make_graph_gate(); return gate_ ? gate_->hold(stream) : GS_OK;
    case GraphKind::Sync: {
        if (gate_ && expected_.behind_gate[index]) return GS_OK;
        const gs_status_t status = gs_stream_synchronize(stream);
        if (status == GS_OK) check_covered(index);
        return status;
    }
    }
    return GS_ERROR_INTERNAL;
}

void GraphSession::execute(size_t index) {
    const GraphOp &op = program_.ops[index];
    const gs_status_t status = call(op, index);
    if (status != GS_OK) note("operation " + std::to_string(index) + ", " + describe(op) + ": " + text_of(status));
}

bool GraphSession::ended(size_t number) const {
    const Instance &instance = expected_.instances[number];
    if (instance.work < 0) return !gate_ || opened_ != 0;
    return works_[static_cast<size_t>(instance.work)].end[static_cast<size_t>(instance.run)].load() != 0;
}

void GraphSession::check_covered(size_t index) {
    const Instances &covered = expected_.covered[index];
    for (size_t i = 0; i < expected_.instances.size(); ++i)
        if (covered[i] && !ended(i))
            note("operation " + std::to_string(index) + ", " + describe(program_.ops[index]) +
                 ", reported done while work was pending");
}

std::string GraphSession::finish() {
    if (gate_) {
        opened_ = ++clock_;
        gate_->open();
    }
    for (gs_stream_t stream : streams_)
        if (const gs_status_t status = gs_stream_synchronize(stream); status != GS_OK)
            note("the last synchronize: " + text_of(status));
    if (trouble_.empty()) trouble_ = judge();
    return trouble_;
}

std::string GraphSession::judge() const {
    for (size_t w = 0; w < works_.size(); ++w)
        if (works_[w].runs.load() != expected_.runs[w])
            return "work " + std::to_string(w) + " ran " + std::to_string(works_[w].runs.load()) +
                   " times instead of " + std::to_string(expected_.runs[w]);
    const auto at = [&](const Instance &instance, bool end) {
        if (instance.work < 0) return opened_;
        const Work &work = works_[static_cast<size_t>(instance.work)];
        const auto run = static_cast<size_t>(instance.run);
        return end ? work.end[run].load() : work.begin[run].load();
    };
    for (const Instance &instance : expected_.instances) {
        if (instance.work < 0) continue;
        for (size_t i = 0; i < expected_.instances.size(); ++i) {
            if (!instance.before[i] || at(expected_.instances[i], true) < at(instance, false)) continue;
            const Instance &earlier = expected_.instances[i];
            return "run " + std::to_string(instance.run) + " of work " + std::to_string(instance.work) +
                   " began before the end of " +
                   (earlier.work < 0
                        ? std::string("the gate")
                        : "run " + std::to_string(earlier.run) + " of work " + std::to_string(earlier.work));
        }
    }
    return {};
}

} // namespace gs::oracle
