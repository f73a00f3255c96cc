// SPDX-License-Identifier: Apache-2.0
// What the graphs and executables of a program must do: which functions of the caller's a launch runs, and how long things
// are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/api/model.hpp"

namespace gs::fuzz {

// A function of one host node, or of one call of gs_stream_launch_host().
struct Function {
    std::atomic<uint32_t> runs{0};
    uint32_t due = 0;
    static void run(void *function) { ++static_cast<Function *>(function)->runs; }
};

// One call of gs_graph_keep(), or of gs_stream_defer().
struct Kept {
    std::atomic<uint32_t> releases{0};
    std::set<uint64_t> holders; // graphs and executables, dead ones too; none outside of captures
    bool due = false;           // the call succeeded
    uint32_t most() const { return due ? 1 : 0; }
    static void release(void *kept) { ++static_cast<Kept *>(kept)->releases; }
};

struct HostNode {
    gs_node_t node; // 0: of a child graph
    Function *function;
};

// Memory that a graph allocates and does not free, which is the caller's after each launch.
struct Allocated {
    void *pointer;
    uint64_t stream, capture;
};

struct Contents {
    std::vector<HostNode>
        functions; // in the order in which the nodes were added, those of child graphs in their places
    std::vector<Allocated> allocated;
};

class GraphModel {
public:
    explicit GraphModel(const Model &objects) : objects_(objects) {}

    // Of graphs. Bodies have no functions, and what is kept for them lives as long as the outermost graph.
    void inside(uint64_t body, uint64_t parent) { parents_[body] = parent; }
    std::vector<uint64_t> around(uint64_t graph) const; // it and those that it is inside of
    bool is_body(uint64_t graph) const { return parents_.count(graph) != 0; }
    void add_function(uint64_t graph, gs_node_t node, Function *function);
    void add_child(uint64_t graph, uint64_t child);
    void copy(uint64_t graph, uint64_t original, const std::vector<std::pair<gs_node_t, gs_node_t>> &nodes);
    void allocate(uint64_t graph, const Allocated &memory) { contents_[graph].allocated.push_back(memory); }
    void free(uint64_t graph, void *pointer);
    const std::vector<Allocated> &allocated(uint64_t object) { return contents_[object].allocated; }

    // Of executables.
    void instantiate(uint64_t exec, uint64_t graph);
    void update(uint64_t exec, uint64_t graph, const std::string &detail);
    void set_function(uint64_t exec, gs_node_t node, Function *function, const std::string &detail);
    void launch(uint64_t exec);
    uint64_t source(uint64_t exec) const { return is_exec(exec) ? sources_.at(exec) : 0; }

    Function *new_function() { return &functions_.emplace_back(); }
    Kept *new_kept() { return &kept_.emplace_back(); }
    void keep(Kept *kept, uint64_t graph) {
        kept->holders.insert(outermost(graph));
        kept->due = true;
    }

    void check_kept(const std::string &detail) const; // nothing is released before its time, or twice
    void finish();                                    // all objects and launches have ended

private:
    bool is_exec(uint64_t handle) const { return sources_.count(handle) != 0; }
    uint64_t outermost(uint64_t graph) const { return around(graph).back(); }
    void share_kept(uint64_t with, uint64_t holder);
    bool lives(uint64_t holder) const;

    const Model &objects_;
    std::map<uint64_t, uint64_t> parents_, sources_;
    std::map<uint64_t, Contents> contents_; // by handle, of graphs and executables
    std::deque<Function> functions_;
    std::deque<Kept> kept_;
};

} // namespace gs::fuzz
