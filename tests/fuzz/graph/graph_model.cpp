// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph/graph_model.hpp"

#include <sched.h>

#include <algorithm>

#include "fuzz/harness.hpp"

namespace gs::fuzz {

std::vector<uint64_t> GraphModel::around(uint64_t graph) const {
    std::vector<uint64_t> found{graph};
    for (auto next = parents_.find(graph); next != parents_.end(); next = parents_.find(next->second))
        found.push_back(next->second);
    return found;
}

void GraphModel::share_kept(uint64_t with, uint64_t holder) {
    for (Kept &one : kept_)
        if (one.holders.count(holder) != 0) one.holders.insert(with);
}

void GraphModel::add_function(uint64_t graph, gs_node_t node, Function *function) {
    contents_[graph].functions.push_back({node, function});
}

void GraphModel::add_child(uint64_t graph, uint64_t child) {
    const std::vector<HostNode> inner = contents_[child].functions;
    for (const HostNode &one : inner) contents_[graph].functions.push_back({0, one.function});
    share_kept(outermost(graph), child);
}

void GraphModel::copy(uint64_t graph, uint64_t original, const std::vector<std::pair<gs_node_t, gs_node_t>> &nodes) {
    Contents copied = contents_[original];
    for (HostNode &one : copied.functions)
        for (const auto &[theirs, ours] : nodes)
            if (one.node != 0 && one.node == theirs) {
                one.node = ours;
                break;
            }
    contents_[graph] = copied;
    share_kept(graph, original);
}

void GraphModel::free(uint64_t graph, void *pointer) {
    std::erase_if(contents_[graph].allocated, [&](const Allocated &one) { return one.pointer == pointer; });
}

void GraphModel::instantiate(uint64_t exec, uint64_t graph) {
    sources_[exec] = graph;
    contents_[exec] = contents_[graph];
    share_kept(exec, graph);
}

void GraphModel::update(uint64_t exec, uint64_t graph, const std::string &detail) {
    std::vector<HostNode> &have = contents_[exec].functions;
    const std::vector<HostNode> &want = contents_[graph].functions;
    FUZZ_REQUIRE(have.size() == want.size(), detail + ": graphs of another shape");
    for (size_t i = 0; i < have.size(); ++i) have[i].function = want[i].function;
    for (Kept &one : kept_) one.holders.erase(exec);
    share_kept(exec, graph);
}

void GraphModel::set_function(uint64_t exec, gs_node_t node, Function *function, const std::string &detail) {
    for (HostNode &one : contents_[exec].functions) {
        if (one.node != node) continue;
        one.function = function;
        return;
    }
    FUZZ_REQUIRE(false, detail + ": a node that is no host node of the executable's");
}

void GraphModel::launch(uint64_t exec) {
    for (const HostNode &one : contents_[exec].functions) ++one.function->due;
}

bool GraphModel::lives(uint64_t holder) const {
    return objects_.alive(holder, is_exec(holder) ? "executable" : "graph") == Alive::Yes;
}

void GraphModel::check_kept(const std::string &detail) const {
    for (const Kept &one : kept_) {
        FUZZ_REQUIRE(one.releases.load() <= one.most(), detail + ": a release ran twice, or after a refusal");
        for (const uint64_t holder : one.holders)
            FUZZ_REQUIRE(one.releases.load() == 0 || !lives(holder),
                         detail + ": released although " + objects_.name(holder) + " keeps it");
    }
}

void GraphModel::finish() {
    for (const Function &one : functions_)
        FUZZ_REQUIRE(one.runs.load() == one.due, "a function ran " + std::to_string(one.runs.load()) + " times, not " +
                                                     std::to_string(one.due) + " times");
    // Releases run on a thread of the library. A lost one shows as an input that never ends.
    for (const Kept &one : kept_) {
        while (one.releases.load() < one.most()) sched_yield();
        FUZZ_REQUIRE(one.releases.load() == one.most(), "a release ran twice, or after a refusal");
    }
}

} // namespace gs::fuzz
