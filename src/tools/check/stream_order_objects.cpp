// SPDX-License-Identifier: Apache-2.0
// Order inside a launch of a graph, and between it and other work.
#include <algorithm>

#include "tools/check/graph_plan.hpp"
#include "tools/check/stream_order.hpp"

namespace gs::check {
namespace {

constexpr bool has_foreign_order(int32_t kind) noexcept {
    return kind == GS_NODE_RECORD || kind == GS_NODE_WAIT || kind == GS_NODE_OTHER;
}

} // namespace

// Each node, with the clock of what is ordered before it; what comes after the launch knows the result.
template <typename Visit>
VectorClock Order::walk(const GraphPlan &plan, const VectorClock &begin, LaunchLines &lines, Visit &&visit) {
    VectorClock end;
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
        visit(node, line, clock);
        ++line.epoch;
        if (open[i] == 0)
            end.merge(clock);
        else
            clocks[i] = std::move(clock);
    }
    return end;
}

// A launch comes after the work of its stream so far and after the executable's last launch, in whatever stream that was.
VectorClock Order::begin_launch(ThreadLine &thread, StreamLine &stream, uint64_t exec) {
    submit(thread, stream);
    VectorClock begin = stream.clock;
    begin.merge(launches_[exec]);
    begin.settle();
    return begin;
}

// Those that were announced, or new ones. Other threads may have submitted something to the stream since.
Order::LaunchLines Order::lines_of(const ThreadLine &thread, const StreamLine &stream, uint64_t exec,
                                   const GraphPlan &plan) {
    LaunchLines lines;
    if (const auto found = announced_.find({exec, thread.serial}); found != announced_.end()) {
        if (found->second.size() == plan.lines)
            lines = std::move(found->second);
        else
            withdraw_launch(thread, exec); // another thread has updated the executable since
        announced_.erase({exec, thread.serial});
    }
    for (size_t i = lines.size(); i < plan.lines; ++i) {
        const Lines::Start start = i == 0 ? Lines::Start{} : lines_.begin();
        lines.push_back({start.line, start.epoch, start.epoch});
    }
    if (!lines.empty()) lines[0] = {stream.line, stream.epoch + 1, stream.first};
    return lines;
}

void Order::announce_launch(ThreadLine &thread, StreamLine &stream, uint64_t exec, const GraphPlan &plan) {
    const bool calls = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                   [](const PlanNode &node) { return node.kind == GS_NODE_HOST; });
    if (!calls) return;
    const VectorClock begin = begin_launch(thread, stream, exec);
    LaunchLines lines = lines_of(thread, stream, exec, plan);
    announced_[{exec, thread.serial}] = lines;
    walk(plan, begin, lines, [this](const PlanNode &node, const LaunchLine &, const VectorClock &clock) {
        if (node.kind == GS_NODE_HOST) notes_.merge(clock);
    });
}

void Order::withdraw_launch(const ThreadLine &thread, uint64_t exec) noexcept {
    const auto found = announced_.find({exec, thread.serial});
    if (found == announced_.end()) return;
    for (size_t i = 1; i < found->second.size(); ++i) lines_.end(found->second[i].line, found->second[i].epoch);
    announced_.erase(found);
}

// Without nodes it is nothing.
void Order::launch(ThreadLine &thread, StreamLine &stream, uint64_t exec, const GraphPlan &plan, NodeVisit visit,
                   void *context) {
    VectorClock begin = begin_launch(thread, stream, exec);
    if (plan.nodes.empty()) return advance(stream); // a driver leaves such a launch out
    LaunchLines lines = lines_of(thread, stream, exec, plan);
    const VectorClock end =
        walk(plan, begin, lines, [&](const PlanNode &node, const LaunchLine &line, VectorClock &clock) {
            if (has_foreign_order(node.kind)) clock.merge(foreign_);
            visit(context, node, {line.line, line.epoch, line.first, &clock});
            if (has_foreign_order(node.kind)) foreign_.merge(clock);
            if (node.kind == GS_NODE_HOST) notes_.merge(clock);
        });
    stream.clock = std::move(begin);
    stream.clock.merge(end);
    for (uint32_t i = 1; i < plan.lines; ++i) lines_.end(lines[i].line, lines[i].epoch);
    stream.epoch = lines[0].epoch - 1;
    launches_[exec] = stream.clock;
    advance(stream);
}

// Order that timelines make, and words of the program's own.

// Leaves out waits that are open: what met them, if they are, is part of it.
VectorClock Order::everything() {
    VectorClock all;
    for (auto &[key, stream] : streams_) {
        all.merge_epochs(stream->clock);
        advance(*stream);
    }
    for (const auto &[address, device] : devices_) all.merge_epochs(device.ended);
    for (const auto &[serial, thread] : threads_) all.merge_epochs(thread.clock);
    all.merge_epochs(ended_threads_);
    all.merge_epochs(foreign_);
    return all;
}

OpenWait Order::wait_of(const ThreadLine &thread, const StreamLine &stream, uint64_t value) {
    OpenWait wait;
    wait.thread = thread.serial;
    wait.line = stream.line;
    wait.epoch = stream.epoch;
    wait.value = value;
    return wait;
}

bool Order::is_own(const OpenWait &wait, const ThreadLine &thread, const StreamLine &stream) noexcept {
    return wait.thread == thread.serial && wait.line == stream.line && wait.epoch >= stream.first;
}

uint64_t Order::signal(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value) {
    submit(thread, stream);
    stream.clock.merge(timelines_.before(timeline, value));
    bool late = false; // then the larger one's stream has waited for this one
    const uint64_t number = timelines_.announce(timeline, value, stream.clock, &late);
    advance(stream);
    return number;
}

// A signal of the host may come before one of a stream that has a larger value and is known already: waits have learnt that
// one's clock only. It is rare, and then all learn this one's.
uint64_t Order::signal_by_host(ThreadLine &thread, uint64_t timeline, uint64_t value) {
    VectorClock clock = timelines_.before(timeline, value);
    clock.merge(thread.clock);
    bool late = false;
    const uint64_t number = timelines_.announce(timeline, value, clock, &late);
    if (late) {
        ended_threads_.merge(clock);
        ++ends_;
    }
    return number;
}

void Order::wait_timeline(ThreadLine &thread, StreamLine &stream, uint64_t timeline, uint64_t value, bool reached) {
    submit(thread, stream);
    timelines_.wait(timeline, wait_of(thread, stream, value), reached, stream.clock);
}

void Order::wait_ended_timeline(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    stream.clock.merge(everything());
}

void Order::know_timeline(ThreadLine &thread, uint64_t timeline, uint64_t value, bool exact) {
    know(thread, timelines_.reached(timeline, value, exact));
}

void Order::end_timeline(uint64_t timeline) { timelines_.close(timeline, everything()); }

void Order::wait_word(ThreadLine &thread, StreamLine &stream) {
    submit(thread, stream);
    // One for all of the thread's in the stream: it learns of them at once.
    for (const std::shared_ptr<OpenWait> &wait : stream.clock.open())
        if (wait->for_word && is_own(*wait, thread, stream)) return;
    OpenWait wait = wait_of(thread, stream, 0);
    wait.for_word = true;
    stream.clock.add_open(std::make_shared<OpenWait>(std::move(wait)));
}

// Only of waits that the thread itself submitted is it certain that they came before what it has seen to be done.
void Order::pass_waits(const ThreadLine &thread, const StreamLine &stream) {
    for (const std::shared_ptr<OpenWait> &wait : stream.clock.open()) {
        if (wait->met || !is_own(*wait, thread, stream)) continue;
        wait->before = everything();
        wait->met = true;
    }
}

} // namespace gs::check
