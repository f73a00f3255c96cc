// SPDX-License-Identifier: Apache-2.0
// Order inside a launch of a graph, and between it and other work.
#include "core/check/graph_plan.hpp"
#include "core/check/stream_order.hpp"

namespace gs::check {
namespace {

// The lines of one launch. The first one is the stream's own, so that a graph without branches needs no other.
struct LaunchLine {
    uint32_t line = 0;
    uint64_t epoch = 0, first = 0;
};

constexpr bool has_foreign_order(int32_t kind) noexcept {
    return kind == GS_NODE_RECORD || kind == GS_NODE_WAIT || kind == GS_NODE_OTHER;
}

} // namespace

// A launch comes after the work of its stream so far and after the executable's last launch, in whatever stream that was;
// without nodes it is nothing.
void Order::launch(ThreadLine &thread, StreamLine &stream, uint64_t exec, const GraphPlan &plan, NodeVisit visit,
                   void *context) {
    submit(thread, stream);
    if (plan.nodes.empty()) return advance(stream); // a driver leaves such a launch out
    VectorClock &last = launches_[exec];
    stream.clock.merge(last);
    stream.clock.settle();
    const VectorClock begin = stream.clock;
    std::vector<LaunchLine> lines(plan.lines);
    for (uint32_t i = 0; i < plan.lines; ++i) {
        const Lines::Start start = i == 0 ? Lines::Start{stream.line, stream.epoch + 1} : lines_.begin();
        lines[i] = {start.line, start.epoch, i == 0 ? stream.first : start.epoch};
    }
    std::vector<VectorClock> clocks(plan.nodes.size());
    std::vector<uint32_t> open(
        plan.nodes.size()); // successors that are not reached yet: a clock is kept as long as these are
    for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
        const PlanNode &node = plan.nodes[i];
        open[i] = node.successors;
        VectorClock clock = node.after.empty() ? begin : VectorClock();
        for (const uint32_t before : node.after) {
            clock.merge(clocks[before]);
            if (--open[before] == 0) clocks[before] = VectorClock();
        }
        LaunchLine &line = lines[node.line];
        clock.set(line.line, line.epoch);
        if (has_foreign_order(node.kind)) clock.merge(foreign_);
        visit(context, node, {line.line, line.epoch, line.first, &clock});
        if (has_foreign_order(node.kind)) foreign_.merge(clock);
        if (node.kind == GS_NODE_HOST) notes_.merge(clock);
        ++line.epoch;
        if (open[i] == 0)
            stream.clock.merge(clock);
        else
            clocks[i] = std::move(clock);
    }
    for (uint32_t i = 1; i < plan.lines; ++i) lines_.end(lines[i].line, lines[i].epoch);
    if (plan.lines > 0) stream.epoch = lines[0].epoch - 1;
    last = stream.clock;
    advance(stream);
}

} // namespace gs::check
