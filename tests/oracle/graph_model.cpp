// SPDX-License-Identifier: Apache-2.0
#include "oracle/graph_model.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace gs::oracle {
namespace {

struct Node {
    int work = -1; // what it does: a work,
    int out = -1;  // a record of that event,
    int in = -1;   // a wait for that event, or nothing
    std::vector<int> after;
};

struct Shape {
    std::vector<Node> nodes; // each behind those that it depends on
};

using Dependencies = std::vector<int>;

void add(Dependencies &to, const Dependencies &more) {
    for (const int node : more)
        if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

struct Captured {
    Shape shape;
    std::map<int, Dependencies> members; // by stream
};

struct EventState {
    Instances covers;
    int capture = -1; // else of that one, with these nodes
    Dependencies nodes;
};

class Model {
public:
    explicit Model(const GraphProgram &program) : program_(program) {
        result_.runs.assign(static_cast<size_t>(program.works), 0);
        capture_of_.fill(-1);
    }

    GraphExpectation run() {
        for (const GraphOp &op : program_.ops) {
            result_.covered.emplace_back();
            result_.behind_gate.push_back(false);
            apply(op);
        }
        return std::move(result_);
    }

private:
    Instances &before(int stream) { return before_[static_cast<size_t>(stream)]; }
    int &capture_of(int stream) { return capture_of_[static_cast<size_t>(stream)]; }
    Captured *capture(int stream) {
        return capture_of(stream) < 0 ? nullptr : &captures_[static_cast<size_t>(capture_of(stream))];
    }

    void apply(const GraphOp &op) {
        Captured *const into = capture(op.stream);
        EventState &event = events_[op.other < kAllEvents ? op.other : 0];
        switch (op.kind) {
        case GraphKind::Work:
            if (into)
                add_node(*into, op.stream, {op.work, -1, -1, {}});
            else
                before(op.stream) |= instance(op.work, before(op.stream));
            break;
        case GraphKind::Record:
            if (into)
                event = {{}, capture_of(op.stream), into->members[op.stream]};
            else
                event = {before(op.stream), -1, {}};
            break;
        case GraphKind::Wait: wait(op.stream, event); break;
        case GraphKind::Outside:
            add_node(*into, op.stream, {-1, op.flag ? op.other : -1, op.flag ? -1 : op.other, {}});
            break;
        case GraphKind::Begin:
            capture_of(op.stream) = static_cast<int>(captures_.size());
            captures_.emplace_back();
            captures_.back().members[op.stream] = {};
            break;
        case GraphKind::End:
            shapes_[op.other] = into->shape;
            last_[op.other].reset();
            for (const auto &member : into->members) capture_of_[static_cast<size_t>(member.first)] = -1;
            break;
        case GraphKind::Build:
        case GraphKind::Update: { // which leaves the order of the launches as it is
            const GraphShape shape = shape_of(op.shape);
            shapes_[op.other].nodes.clear();
            for (size_t i = 0; i < shape.size(); ++i)
                shapes_[op.other].nodes.push_back({op.work + static_cast<int>(i), -1, -1, shape[i]});
            break;
        }
        case GraphKind::Launch: launch(op.stream, op.other); break;
        case GraphKind::Query: result_.covered.back() = event.covers; break;
        case GraphKind::Hold: before(op.stream) |= instance(-1, {}); break;
        case GraphKind::Sync:
            result_.covered.back() = before(op.stream);
            result_.behind_gate.back() = gate_ >= 0 && before(op.stream)[static_cast<size_t>(gate_)];
            break;
        case GraphKind::Destroy: break;
        }
    }

    // One more run of the work; the set has it and all before it.
    Instances instance(int work, const Instances &earlier) {
        const size_t number = result_.instances.size();
        const int run = work < 0 ? 0 : result_.runs[static_cast<size_t>(work)]++;
        if (work < 0) gate_ = static_cast<int>(number);
        result_.instances.push_back({work, run, earlier});
        Instances all = earlier;
        all.set(number);
        return all;
    }

    static void add_node(Captured &into, int stream, Node node) {
        node.after = into.members[stream];
        into.members[stream] = {static_cast<int>(into.shape.nodes.size())};
        into.shape.nodes.push_back(std::move(node));
    }

    void wait(int stream, const EventState &event) {
        if (event.capture < 0) {
            before(stream) |= event.covers;
            return;
        }
        capture_of(stream) = event.capture;
        add(captures_[static_cast<size_t>(event.capture)].members[stream], event.nodes);
    }

    void launch(int stream, int exec) {
        const Shape &shape = shapes_[exec];
        if (shape.nodes.empty()) return; // a driver leaves such a launch out: not even the last one is waited for
        const Instances start = before(stream) | last_[exec];
        std::vector<Instances> done; // by node: it and all before it
        Instances all = start;
        for (const Node &node : shape.nodes) {
            Instances earlier = start;
            for (const int a : node.after) earlier |= done[static_cast<size_t>(a)];
            if (node.in >= 0) earlier |= events_[static_cast<size_t>(node.in)].covers;
            if (node.work >= 0) earlier = instance(node.work, earlier);
            if (node.out >= 0) events_[static_cast<size_t>(node.out)] = {earlier, -1, {}};
            done.push_back(earlier);
            all |= earlier;
        }
        last_[exec] = all;
        before(stream) = all;
    }

    const GraphProgram &program_;
    GraphExpectation result_;
    int gate_ = -1;
    std::array<Instances, kGraphStreams> before_;
    std::array<int, kGraphStreams> capture_of_{};
    std::array<EventState, kAllEvents> events_;
    std::array<Shape, kMostExecs> shapes_;
    std::array<Instances, kMostExecs> last_;
    std::vector<Captured> captures_;
};

} // namespace

GraphExpectation expect(const GraphProgram &program) { return Model(program).run(); }

} // namespace gs::oracle
