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

// What the oracle's programs do besides: an executable is updated again and again, between launches, by graphs that keep a user
// object, while executables of other shapes come and go.
struct Life {
    bool launched = false; // once after each update, and waited for
    bool pending = false;  // the launch is in progress at the next update
    bool kept = false;     // each graph has a user object
    int others = 1;        // executables that are updated in turn
};

void released(void *) {}

void keep_something(CUgraph graph) {
    CUuserObject object = nullptr;
    GS_MUST(d.user_object_create(&object, nullptr, released, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    GS_MUST(d.graph_retain_user_object(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
}

CUgraph build(const GraphShape &shape, const Life &life) {
    const CUgraph graph = build(shape, Edges::WithTheNode);
    if (life.kept) keep_something(graph);
    return graph;
}

// One more than the update that is refused first; 0: none is.
int updates_until_refused(uint32_t seed, const Life &life, CUstream stream) {
    constexpr int kRounds = 6;
    std::vector<GraphShape> shapes;
    std::vector<CUgraphExec> execs;
    for (int i = 0; i < life.others; ++i) {
        shapes.push_back(gs::oracle::shape_of(seed + static_cast<uint32_t>(i) * 100'003));
        const CUgraph graph = build(shapes.back(), life);
        CUDA_GRAPH_INSTANTIATE_PARAMS how{};
        execs.push_back(nullptr);
        GS_MUST(d.graph_instantiate(&execs.back(), graph, &how));
        GS_MUST(d.graph_destroy(graph));
    }
    int refused = 0;
    for (int round = 0; round < kRounds && refused == 0; ++round)
        for (size_t i = 0; i < execs.size(); ++i) {
            const CUgraph graph = build(shapes[i], life);
            CUgraphExecUpdateResultInfo info{};
            (void)d.graph_exec_update(execs[i], graph, &info); // the result says no more than info
            GS_MUST(d.graph_destroy(graph));
            if (info.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) refused = round + 1;
            if (life.launched) GS_MUST(d.graph_launch(execs[i], stream));
            if (life.launched && !life.pending) GS_MUST(d.stream_synchronize(stream));
        }
    GS_MUST(d.stream_synchronize(stream));
    for (const CUgraphExec exec : execs) GS_MUST(d.graph_exec_destroy(exec));
    return refused;
}

template <bool launched, bool pending, bool kept, int others>
void update_again() {
    start();
    const CUstream stream = new_stream();
    constexpr uint32_t kPrograms = 1000;
    int refused = 0, at_first = 0;
    uint32_t seed_of_first = 0;
    for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
        const int round = updates_until_refused(seed, {launched, pending, kept, others}, stream);
        if (round == 0) continue;
        ++refused;
        at_first += round == 1;
        if (seed_of_first == 0) seed_of_first = seed;
    }
    GS_FINDING("%d of %u programs had an update refused, %d of them the first one", refused, kPrograms, at_first);
    if (seed_of_first != 0)
        GS_FINDING("  seed %u: %s", seed_of_first, text_of(gs::oracle::shape_of(seed_of_first)).c_str());
}

} // namespace

const Probe kUpdateProbes[] = {
    {"P22.with", update_by_the_same_shape<Edges::WithTheNode, false>},
    {"P22.sorted", update_by_the_same_shape<Edges::Sorted, false>},
    {"P22.afterwards", update_by_the_same_shape<Edges::Afterwards, false>},
    {"P22.destroyed", update_by_the_same_shape<Edges::WithTheNode, true>},
    {"P22.again", update_again<false, false, false, 1>},
    {"P22.launched", update_again<true, false, false, 1>},
    {"P22.pending", update_again<true, true, false, 1>},
    {"P22.kept", update_again<false, false, true, 1>},
    {"P22.others", update_again<false, false, false, 4>},
    {"P22.all", update_again<true, true, true, 4>},
};
const int kUpdateProbeCount = static_cast<int>(sizeof kUpdateProbes / sizeof kUpdateProbes[0]);

} // namespace probes
