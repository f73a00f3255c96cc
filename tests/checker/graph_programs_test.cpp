// SPDX-License-Identifier: Apache-2.0
// In graphs each race is reported, and only races: random graphs, launched among other work in streams, and each program with one
// edge, wait or synchronize taken away. The model compares every pair of accesses by sets of what came before.
//
// GPUSTREAM_TEST_FULL=1 runs a hundred thousand. A failure prints its seed; GPUSTREAM_CHECK_SEED=<seed> runs only that one.
#include <gtest/gtest.h>

#include <bitset>
#include <cstdlib>

#include "checker/graphs.hpp"
#include "oracle/program.hpp"
#include "support/long_form.hpp"

namespace gs::check::test {
namespace {

using oracle::Random;

constexpr int kGraphStreams = 3, kExecs = 2, kMostNodes = 6;
constexpr size_t kMostAccesses = 512;
using Set = std::bitset<kMostAccesses>;

// Nodes access one range each, as fills do, or copy from one to another, or are declared to do so. Edges lead to nodes with larger numbers.
struct NodeOf {
    uint8_t dst = 0, src = 0;
    bool copies = false;
    bool declared = false;       // the library knows the accesses because they are declared, as those of kernels
    bool edges[kMostNodes] = {}; // from these
};
struct GraphOf {
    std::vector<NodeOf> nodes;
};
enum class Act : uint8_t { Write, Read, Launch, Wait, Synchronize };
struct GraphStep {
    Act what = Act::Write;
    uint8_t stream = 0, other = 0; // executable, other stream or range
};
struct GraphProgram {
    GraphOf graphs[kExecs];
    std::vector<GraphStep> steps;
};

constexpr uint8_t kRanges = 4;

class GraphModel {
public:
    explicit GraphModel(const GraphProgram &program) : program_(program) {}
    // Whether one of its accesses races with one before.
    bool take(const GraphStep &step) {
        Set &line = lines_[step.stream];
        switch (step.what) {
        case Act::Wait: line |= lines_[step.other] | known_; return false;
        case Act::Synchronize: known_ |= line; return false;
        case Act::Launch: return launch(step);
        default: break;
        }
        line |= known_;
        const bool races = access(step.other, step.what == Act::Write, line);
        line.set(accesses_.size() - 1);
        return races;
    }

private:
    struct One {
        uint8_t range;
        bool writes;
    };
    bool access(uint8_t range, bool writes, const Set &before) {
        bool races = false;
        for (size_t i = 0; i < accesses_.size(); ++i)
            races = races || (accesses_[i].range == range && (writes || accesses_[i].writes) && !before[i]);
        accesses_.push_back({range, writes});
        return races;
    }
    bool launch(const GraphStep &step) {
        Set &line = lines_[step.stream];
        line |= known_ | last_[step.other];
        const Set begin = line;
        std::vector<Set> after;
        bool races = false;
        for (const NodeOf &node : program_.graphs[step.other].nodes) {
            Set before = begin;
            for (size_t i = 0; i < after.size(); ++i)
                if (node.edges[i]) before |= after[i];
            const Set outside = before; // the two accesses of a copy are of one node
            if (node.copies) {
                races = access(node.src, false, outside) || races;
                before.set(accesses_.size() - 1);
            }
            races = access(node.dst, true, before) || races;
            before.set(accesses_.size() - 1);
            after.push_back(before);
            line |= before;
        }
        last_[step.other] = line;
        return races;
    }
    const GraphProgram &program_;
    std::vector<One> accesses_;
    Set lines_[kGraphStreams], last_[kExecs], known_;
};

GraphProgram random_program(uint64_t seed) {
    Random random(seed);
    const auto below = [&](int n) { return static_cast<uint8_t>(random.below(n)); };
    GraphProgram program;
    for (GraphOf &graph : program.graphs) {
        graph.nodes.resize(1 + static_cast<size_t>(random.below(kMostNodes)));
        for (size_t i = 0; i < graph.nodes.size(); ++i) {
            NodeOf &node = graph.nodes[i];
            node.dst = below(kRanges);
            node.copies = random.percent(40);
            node.src = static_cast<uint8_t>((node.dst + 1 + below(kRanges - 1)) % kRanges);
            node.declared = random.percent(40);
            for (size_t before = 0; before < i; ++before) node.edges[before] = random.percent(55);
        }
    }
    const int steps = 4 + random.below(12);
    for (int i = 0; i < steps; ++i) {
        GraphStep step;
        step.stream = below(kGraphStreams);
        const int kind = random.below(10);
        step.what = kind < 3             ? Act::Launch
                    : kind < 7           ? Act::Wait
                    : kind < 8           ? Act::Synchronize
                    : random.percent(50) ? Act::Write
                                         : Act::Read;
        step.other = step.what == Act::Launch ? below(kExecs)
                     : step.what == Act::Wait
                         ? static_cast<uint8_t>((step.stream + 1 + below(kGraphStreams - 1)) % kGraphStreams)
                         : below(kRanges);
        program.steps.push_back(step);
    }
    return program;
}

bool has_race(const GraphProgram &program) {
    GraphModel model(program);
    bool any = false;
    for (const GraphStep &step : program.steps) any = model.take(step) || any;
    return any;
}

// Adds edges, and synchronizes before steps, until nothing races.
void make_race_free(GraphProgram &program) {
    for (GraphOf &graph : program.graphs) {
        GraphProgram alone;
        alone.graphs[0] = graph;
        alone.steps.push_back({Act::Launch, 0, 0});
        for (size_t i = 1; has_race(alone) && i < graph.nodes.size(); ++i)
            for (size_t before = 0; before < i; ++before) alone.graphs[0].nodes[i].edges[before] = true;
        graph = alone.graphs[0];
    }
    std::vector<GraphStep> wanted = std::move(program.steps);
    program.steps.clear();
    for (const GraphStep &step : wanted) {
        program.steps.push_back(step);
        for (uint8_t other = 0; has_race(program) && other < kGraphStreams; ++other)
            if (other != step.stream)
                program.steps.insert(program.steps.end() - 1, other % 2 == 0 ? GraphStep{Act::Wait, step.stream, other}
                                                                             : GraphStep{Act::Synchronize, other, 0});
    }
}

class GraphRunner {
public:
    GraphRunner() {
        for (void *&range : ranges_) EXPECT_OK(gs_malloc_host(kBytes, &range));
    }
    ~GraphRunner() {
        for (Stream &stream : streams_) EXPECT_OK(gs_stream_synchronize(stream));
        for (void *range : ranges_) EXPECT_OK(gs_free_host(range));
    }
    size_t run(const GraphProgram &program) {
        for (Stream &stream : streams_) EXPECT_OK(gs_stream_synchronize(stream));
        Checking checking;
        Exec execs[kExecs];
        for (int i = 0; i < kExecs; ++i) execs[i] = make(program.graphs[i]);
        for (const GraphStep &step : program.steps) {
            const gs_stream_t on = streams_[step.stream];
            switch (step.what) {
            case Act::Write: EXPECT_OK(gs_check_write(on, ranges_[step.other], kBytes, nullptr)); break;
            case Act::Read: EXPECT_OK(gs_check_read(on, ranges_[step.other], kBytes, nullptr)); break;
            case Act::Launch: EXPECT_OK(gs_graph_exec_launch(execs[step.other], on)); break;
            case Act::Wait: EXPECT_OK(gs_stream_wait_stream(on, streams_[step.other])); break;
            case Act::Synchronize: EXPECT_OK(gs_stream_synchronize(on)); break;
            }
        }
        return checking.count();
    }

private:
    Exec make(const GraphOf &graph) {
        const Graph made = make_graph();
        Nodes nodes;
        for (const NodeOf &node : graph.nodes) {
            Nodes after;
            for (size_t i = 0; i < nodes.size(); ++i)
                if (node.edges[i]) after.push_back(nodes[i]);
            nodes.push_back(node.declared ? add_declared(made, node, after)
                            : node.copies ? add_copy(made, ranges_[node.dst], ranges_[node.src], after)
                                          : add_fill(made, ranges_[node.dst], after));
        }
        return instantiate(made);
    }
    gs_node_t add_declared(gs_graph_t graph, const NodeOf &node, const Nodes &after) {
        const gs_node_t made = add_empty(graph, after);
        if (node.copies) EXPECT_OK(gs_graph_check_read(graph, made, ranges_[node.src], kBytes, nullptr));
        EXPECT_OK(gs_graph_check_write(graph, made, ranges_[node.dst], kBytes, nullptr));
        return made;
    }
    Stream streams_[kGraphStreams] = {make_stream(0), make_stream(0), make_stream(0)};
    void *ranges_[kRanges] = {};
};

std::string describe(const GraphProgram &program) {
    std::string text;
    for (const GraphOf &graph : program.graphs) {
        text += "graph:";
        for (const NodeOf &node : graph.nodes) {
            text += (node.declared ? " declared" : "");
            text += (node.copies ? " copy " + std::to_string(node.src) + " to " : " fill ") + std::to_string(node.dst) +
                    " after [";
            for (int i = 0; i < kMostNodes; ++i) text += node.edges[i] ? std::to_string(i) : "";
            text += "]";
        }
        text += "\n";
    }
    constexpr const char *kActs[] = {"write", "read", "launch", "wait", "synchronize"};
    for (const GraphStep &step : program.steps)
        text += std::string(kActs[static_cast<int>(step.what)]) + " stream " + std::to_string(step.stream) + " other " +
                std::to_string(step.other) + "\n";
    return text;
}

// One edge, wait or synchronize fewer. False: the program has none.
bool take_away(GraphProgram &program, uint64_t seed) {
    std::vector<bool *> edges;
    std::vector<size_t> waits;
    for (GraphOf &graph : program.graphs)
        for (NodeOf &node : graph.nodes)
            for (bool &edge : node.edges)
                if (edge) edges.push_back(&edge);
    for (size_t i = 0; i < program.steps.size(); ++i)
        if (program.steps[i].what == Act::Wait || program.steps[i].what == Act::Synchronize) waits.push_back(i);
    Random random(~seed);
    const size_t all = edges.size() + waits.size();
    if (all == 0) return false;
    const auto chosen = static_cast<size_t>(random.below(static_cast<int>(all)));
    if (chosen < edges.size())
        *edges[chosen] = false;
    else
        program.steps.erase(program.steps.begin() + static_cast<ptrdiff_t>(waits[chosen - edges.size()]));
    return true;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kFewPrograms = 500;
#else
constexpr uint64_t kFewPrograms = 4'000;
#endif

TEST(CheckPatternPrograms, OfGraphs) {
    GraphRunner runner;
    uint64_t first = 1, last = gs::test::long_form() ? 100'000 : kFewPrograms, lost = 0, free = 0;
    if (const char *one = std::getenv("GPUSTREAM_CHECK_SEED")) first = last = std::strtoull(one, nullptr, 0);
    for (uint64_t seed = first; seed <= last; ++seed) {
        GraphProgram program = random_program(seed);
        make_race_free(program);
        if (has_race(program)) continue; // the generator adds too little order to a few
        ++free;
        ASSERT_EQ(runner.run(program), 0u) << "a false alarm; seed " << seed << "\n" << describe(program);
        if (!take_away(program, seed)) continue;
        const bool race = has_race(program);
        lost += race ? 1 : 0;
        ASSERT_EQ(runner.run(program) > 0, race)
            << (race ? "a race was missed" : "a false alarm") << "; seed " << seed << " with less order\n"
            << describe(program);
    }
    if (last - first < 100) return;
    EXPECT_GT(free, (last - first) / 2);
    EXPECT_GT(lost, free / 10);
}

} // namespace
} // namespace gs::check::test
