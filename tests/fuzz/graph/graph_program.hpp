// SPDX-License-Identifier: Apache-2.0
// A program that captures streams and builds, changes and launches graphs. After each step its captures and graphs must be
// what they were, but for what the call is for.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fuzz/api/program.hpp"
#include "fuzz/graph/capture_watch.hpp"
#include "fuzz/graph/graph_model.hpp"

namespace gs::fuzz {

class Arguments;

class GraphProgram : public Program {
public:
    GraphProgram(Bytes input, Model &model);

    static GraphProgram &of(const Arguments &a);

    // What a graph is made of, as the library says.
    struct Shape {
        std::vector<gs_node_t> nodes;
        std::set<std::pair<gs_node_t, gs_node_t>> edges;
        bool operator==(const Shape &other) const { return nodes == other.nodes && edges == other.edges; }
    };
    const Shape &shape(uint64_t graph) const; // before the step
    static Shape ask(uint64_t graph);
    const std::vector<gs_node_t> &all_nodes() const { return all_nodes_; } // of the program's graphs, dead ones too

    // For the rows: what the step is for.
    void affects(CaptureWatch::Effect effect, uint64_t stream) {
        effect_ = effect;
        affected_ = stream;
    }
    void adds_to(uint64_t graph, int nodes) { // the graph gets so many nodes if the call succeeds; -1: some or none
        grown_ = graph;
        growth_ = nodes;
    }
    // The graph that a stream is being captured into before the step; 0: none.
    uint64_t captured_into(uint64_t stream) const;
    const gs_capture_info_t *capture_of(uint64_t stream) const { return before_.of(stream); }
    void stepped(const Arguments &a); // the call has returned
    // The node that work just captured became.
    gs_node_t captured_node(uint64_t stream) const;

    GraphModel graphs;
    std::map<gs_node_t, int32_t> conditions; // kinds of conditional nodes

protected:
    void make(const Call &call) override;
    void end_thread(int number) override;
    void clean_up() override;

private:
    void check_graphs(gs_status_t status, const std::string &detail);
    void check_numbers(uint64_t graph, const Shape &shape);
    void follow_captures(const CaptureWatch &after);

    CaptureWatch before_;
    CaptureWatch::Effect effect_ = CaptureWatch::Effect::None;
    uint64_t affected_ = 0, grown_ = 0;
    int growth_ = 0;
    gs_status_t status_ = GS_OK;
    std::string detail_;
    std::map<uint64_t, Shape> shapes_;
    std::map<gs_node_t, uint64_t> owners_; // of node numbers
    std::vector<gs_node_t> all_nodes_;
    std::map<uint64_t, uint64_t> captures_; // in progress: the graphs that they make, by id
};

// Memory that every stream and graph may use as long as the process lives.
inline constexpr size_t kAreaBytes = 1024;
struct Area {
    unsigned char *source, *target; // pinned
    uint32_t *words;                // pinned; conditions are read from them, and nothing writes them
};
inline constexpr uint32_t kWords[] = {0, 1, 2, 77};
extern Area g_area;
void make_area(); // also kernels that live as long

} // namespace gs::fuzz
