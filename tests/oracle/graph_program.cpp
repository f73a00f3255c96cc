// SPDX-License-Identifier: Apache-2.0
#include "oracle/graph_program.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gs::oracle {
namespace {

constexpr int kNone = -1, kLive = -2;

// What is legal depends on who takes part in which capture, and on which events are of which.
class Generator {
public:
    explicit Generator(uint64_t seed) : random_(seed) {
        program_.seed = seed;
        capture_of_.fill(kNone);
        event_of_.fill(kNone);
        program_.elide = random_.percent(50);
    }

    GraphProgram run() {
        if (random_.percent(60)) add(GraphKind::Hold, random_.below(kGraphStreams), 0);
        const int count = 16 + random_.below(40);
        for (int i = 0; i < count; ++i) step();
        for (int s = 0; s < kGraphStreams; ++s)
            if (is_origin(s)) end(s);
        for (int x = 0; x < execs_; ++x)
            if (launchable(x)) add(GraphKind::Launch, random_.below(kGraphStreams), x);
        return std::move(program_);
    }

private:
    struct Exec {
        bool live = false;
        int launches = 0;
        int works = 0;      // instances of each launch
        int outs = 0;       // bits of the out events that it records
        uint32_t shape = 0; // if it was built by hand
    };
    struct Capture {
        int origin = kNone;
        int thread = kNone; // that must end it; kNone: any
        int works = 0;
        int outs = 0;
    };

    GraphOp &add(GraphKind kind, int stream, int other) {
        if (random_.percent(12)) thread_ = random_.below(kMaxThreads);
        GraphOp op;
        op.kind = kind;
        op.thread = static_cast<uint8_t>(thread_);
        op.stream = static_cast<uint8_t>(stream);
        op.other = static_cast<uint8_t>(other);
        program_.ops.push_back(op);
        return program_.ops.back();
    }

    int &capture_of(int stream) { return capture_of_[static_cast<size_t>(stream)]; }
    Capture &capture(int id) { return captures_[static_cast<size_t>(id)]; }
    bool is_origin(int stream) { return capture_of(stream) != kNone && capture(capture_of(stream)).origin == stream; }
    bool launchable(int x) {
        const Exec &exec = exec_at(x);
        return exec.live && exec.launches < kMostRuns && instances_ + exec.works < kMostInstances;
    }
    Exec &exec_at(int x) { return exec_list_[static_cast<size_t>(x)]; }

    void step() {
        const int stream = random_.below(kGraphStreams);
        const int what = random_.below(100);
        if (what < 26) return work(stream);
        if (what < 44) return record(stream, random_.below(kGraphEvents));
        if (what < 66) return wait(stream, random_.below(kGraphEvents));
        if (what < 72) return outside(stream);
        if (what < 80)
            return capture_of(stream) == kNone ? begin(stream) : is_origin(stream) ? end(stream) : work(stream);
        if (what < 91) return launch(stream);
        if (what < 93) return build();
        if (what < 95) return update();
        if (what < 96) return destroy();
        if (what < 98) return query(random_.below(kGraphEvents));
        if (capture_of(stream) == kNone) add(GraphKind::Sync, stream, 0);
    }

    void work(int stream) {
        if (instances_ + 1 >= kMostInstances) return;
        add(GraphKind::Work, stream, 0).work = static_cast<uint16_t>(program_.works++);
        if (capture_of(stream) == kNone)
            ++instances_;
        else
            ++capture(capture_of(stream)).works;
    }

    void record(int stream, int event) {
        add(GraphKind::Record, stream, event);
        event_of_[static_cast<size_t>(event)] = capture_of(stream) == kNone ? kLive : capture_of(stream);
    }

    void wait(int stream, int event) {
        const int from = event_of_[static_cast<size_t>(event)];
        const int to = capture_of(stream);
        if (from == kNone) return; // never recorded, or in a capture that has ended
        if (from == kLive && to != kNone) return;
        if (from != kLive && to != kNone && to != from) return;
        add(GraphKind::Wait, stream, event);
        if (from != kLive) capture_of(stream) = from;
    }

    // A graph records each out event once at most: its branches have no order.
    void outside(int stream) {
        const bool out = random_.percent(50);
        const int event = random_.below(2) + (out ? kOutEvent : kInEvent);
        if (capture_of(stream) == kNone) {
            if (!out || (launched_ >> event & 1) != 0) add(out ? GraphKind::Wait : GraphKind::Record, stream, event);
            return;
        }
        int &outs = capture(capture_of(stream)).outs;
        if (out && (outs >> event & 1) != 0) return;
        if (out) outs |= 1 << event;
        add(GraphKind::Outside, stream, event).flag = out;
    }

    void begin(int stream) {
        if (execs_ + open_ >= kMostExecs) return;
        const int mode = random_.below(3);
        add(GraphKind::Begin, stream, mode);
        capture_of(stream) = static_cast<int>(captures_.size());
        captures_.push_back({stream, mode == 2 ? kNone : thread_, 0, 0});
        ++open_;
    }

    void end(int stream) {
        const int id = capture_of(stream);
        for (int s = 0; s < kGraphStreams; ++s) {
            if (s == stream || capture_of(s) != id) continue;
            add(GraphKind::Record, s, kJoinEvent);
            add(GraphKind::Wait, stream, kJoinEvent);
        }
        const int x = execs_++;
        GraphOp &op = add(GraphKind::End, stream, x);
        if (capture(id).thread != kNone) op.thread = static_cast<uint8_t>(capture(id).thread);
        op.flag = random_.percent(50); // the graph is destroyed at once
        exec_at(x) = {true, 0, capture(id).works, capture(id).outs, 0};
        for (int s = 0; s < kGraphStreams; ++s)
            if (capture_of(s) == id) capture_of(s) = kNone;
        for (int &of : event_of_)
            if (of == id) of = kNone;
        --open_;
    }

    void launch(int stream) {
        if (execs_ == 0 || capture_of(stream) != kNone) return; // a launch cannot be captured
        const int x = random_.below(execs_);
        if (!launchable(x)) return;
        Exec &exec = exec_at(x);
        ++exec.launches;
        launched_ |= exec.outs;
        instances_ += exec.works;
        add(GraphKind::Launch, stream, x);
    }

    void build() {
        if (execs_ + open_ >= kMostExecs) return;
        const int x = execs_++;
        const auto shape = static_cast<uint32_t>(1 + random_.below(1 << 30));
        GraphOp &op = add(GraphKind::Build, 0, x);
        exec_at(x) = {true, 0, use_shape(op, shape), 0, shape};
    }

    int use_shape(GraphOp &op, uint32_t shape) {
        const int count = static_cast<int>(shape_of(shape).size());
        op.shape = shape;
        op.work = static_cast<uint16_t>(program_.works);
        program_.works += count;
        return count;
    }

    void update() {
        if (execs_ == 0) return;
        const int x = random_.below(execs_);
        const Exec &exec = exec_at(x);
        if (exec.live && exec.shape != 0) use_shape(add(GraphKind::Update, 0, x), exec.shape);
    }

    void destroy() {
        if (execs_ == 0) return;
        Exec &exec = exec_at(random_.below(execs_));
        if (!exec.live) return;
        exec.live = false;
        add(GraphKind::Destroy, 0, static_cast<int>(&exec - exec_list_.data()));
    }

    void query(int event) {
        if (event_of_[static_cast<size_t>(event)] == kLive) add(GraphKind::Query, 0, event);
        const int out = kOutEvent + random_.below(2);
        if ((launched_ >> out & 1) != 0) add(GraphKind::Query, 0, out);
    }

    Random random_;
    GraphProgram program_;
    int thread_ = 0, execs_ = 0, open_ = 0, instances_ = 0;
    // Out events that a launch has recorded. Before, their driver events may be ones that were last used in a capture.
    int launched_ = 0;
    std::array<int, kGraphStreams> capture_of_{};
    std::array<int, kGraphEvents + 1> event_of_{};
    std::array<Exec, kMostExecs> exec_list_{};
    std::vector<Capture> captures_;
};

constexpr const char *kGraphOpNames[] = {"work",   "record", "wait",    "outside", "begin", "end", "build",
                                         "update", "launch", "destroy", "query",   "hold",  "sync"};

} // namespace

GraphShape shape_of(uint32_t shape) {
    Random random(shape);
    GraphShape nodes(static_cast<size_t>(1 + random.below(9)));
    for (size_t i = 1; i < nodes.size(); ++i)
        for (int n = random.below(4); n > 0; --n) {
            const int earlier = random.below(static_cast<int>(i));
            if (std::find(nodes[i].begin(), nodes[i].end(), earlier) == nodes[i].end()) nodes[i].push_back(earlier);
        }
    return nodes;
}

GraphProgram generate_graphs(uint64_t seed) { return Generator(seed).run(); }

std::string describe(const GraphOp &op) {
    return "thread " + std::to_string(op.thread) + ": " + kGraphOpNames[static_cast<int>(op.kind)] + "(s" +
           std::to_string(op.stream) + ", " + std::to_string(op.other) + (op.flag ? ", flag" : "") + ", w" +
           std::to_string(op.work) + ")";
}

std::string describe(const GraphProgram &program) {
    std::string text = "seed " + std::to_string(program.seed) + (program.elide ? ", elision on\n" : ", elision off\n");
    for (size_t i = 0; i < program.ops.size(); ++i)
        text += "  " + std::to_string(i) + " " + describe(program.ops[i]) + "\n";
    return text;
}

} // namespace gs::oracle
