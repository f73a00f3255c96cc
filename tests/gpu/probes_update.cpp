// SPDX-License-Identifier: Apache-2.0
// P22: which executables a driver updates by a graph that was built by the same calls, also once the first graph is gone.
#include <string>
#include <vector>

#include "oracle/graph_program.hpp"
#include "probe_driver.hpp"

namespace probes {
namespace {

using gs::oracle::GraphShape;

void nothing(void *) {}

enum class Edges { WithTheNode, Sorted, Afterwards };

CUgraph build(const GraphShape &shape, Edges edges) {
    CUgraph graph = nullptr;
    GS_MUST(d.graph_create(&graph, 0));
    std::vector<CUgraphNode> nodes(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
        std::vector<CUgraphNode> after;
        if (edges == Edges::Sorted) {
            for (size_t earlier = 0; earlier < i; ++earlier)
                for (const int one : shape[i])
                    if (static_cast<size_t>(one) == earlier) after.push_back(nodes[earlier]);
        } else {
            for (const int earlier : shape[i]) after.push_back(nodes[static_cast<size_t>(earlier)]);
        }
        const bool later = edges == Edges::Afterwards;
        CUDA_HOST_NODE_PARAMS what{};
        what.fn = nothing;
        GS_MUST(
            d.graph_add_host_node(&nodes[i], graph, later ? nullptr : after.data(), later ? 0 : after.size(), &what));
        for (size_t a = 0; later && a < after.size(); ++a)
            GS_MUST(d.graph_add_dependencies(graph, &after[a], &nodes[i], 1));
    }
    return graph;
}

// CU_GRAPH_EXEC_UPDATE_*: 0 if the executable was updated. *out_same_place: the second graph lies where the first was.
int update(const GraphShape &shape, Edges edges, bool destroyed, bool *out_same_place) {
    const CUgraph first = build(shape, edges);
    CUDA_GRAPH_INSTANTIATE_PARAMS how{};
    CUgraphExec exec = nullptr;
    GS_MUST(d.graph_instantiate(&exec, first, &how));
    if (destroyed) GS_MUST(d.graph_destroy(first));
    const CUgraph second = build(shape, edges);
    *out_same_place = second == first;
    CUgraphExecUpdateResultInfo info{};
    (void)d.graph_exec_update(exec, second, &info); // the result says no more than info
    GS_MUST(d.graph_exec_destroy(exec));
    if (!destroyed) GS_MUST(d.graph_destroy(first));
    GS_MUST(d.graph_destroy(second));
    return info.result;
}

std::string text_of(const GraphShape &shape) {
    std::string text;
    for (size_t i = 0; i < shape.size(); ++i) {
        text += (i ? "; " : "") + std::to_string(i) + " after";
        for (const int earlier : shape[i]) text += " " + std::to_string(earlier);
    }
    return text;
}

// Random shapes of up to nine host nodes. Prints what was refused, the smallest shapes first.
template <Edges edges, bool destroyed>
void update_by_the_same_shape() {
    start();
    constexpr int kShapes = 2000;
    std::vector<std::pair<GraphShape, int>> refused;
    int same_place = 0, refused_there = 0;
    for (uint32_t seed = 1; seed <= kShapes; ++seed) {
        const GraphShape shape = gs::oracle::shape_of(seed);
        bool same = false;
        const int result = update(shape, edges, destroyed, &same);
        same_place += same;
        refused_there += same && result != 0;
        if (result != 0) refused.emplace_back(shape, result);
    }
    GS_FINDING(
        "%zu of %d updates by a graph of the same shape refused; %d of %d where it lay at the first one's address",
        refused.size(), kShapes, refused_there, same_place);
    int shown = 0;
    for (size_t nodes = 1; nodes <= 9 && shown < 12; ++nodes)
        for (const auto &[shape, result] : refused)
            if (shape.size() == nodes && shown++ < 12) GS_FINDING("  result %d: %s", result, text_of(shape).c_str());
}

} // namespace

const Probe kUpdateProbes[] = {
    {"P22.with", update_by_the_same_shape<Edges::WithTheNode, false>},
    {"P22.sorted", update_by_the_same_shape<Edges::Sorted, false>},
    {"P22.afterwards", update_by_the_same_shape<Edges::Afterwards, false>},
    {"P22.destroyed", update_by_the_same_shape<Edges::WithTheNode, true>},
};
const int kUpdateProbeCount = static_cast<int>(sizeof kUpdateProbes / sizeof kUpdateProbes[0]);

} // namespace probes
