// SPDX-License-Identifier: Apache-2.0
// Arguments of calls on graphs, drawn from the input.
#pragma once

#include <memory>
#include <vector>

#include "fuzz/api/arguments.hpp"
#include "fuzz/graph/graph_program.hpp"

namespace gs::fuzz {

// Mostly a node of the graph; else one of another graph, or none.
gs_node_t draw_node(Arguments &a, uint64_t graph);

// A list of nodes that ends where the caller says it does.
class NodeList {
public:
    NodeList(Arguments &a, uint64_t graph);
    const gs_node_t *data() const { return is_null_ ? nullptr : nodes_.get(); }
    size_t count() const { return count_; }
    // The call must refuse the list: it is too long, empty where nodes are wanted, or has a node of another graph.
    bool is_wrong() const { return is_wrong_; }
    bool names_one_twice() const { return is_double_; }

private:
    std::unique_ptr<gs_node_t[]> nodes_;
    size_t count_ = 0;
    bool is_null_ = false, is_wrong_ = false, is_double_ = false;
};

// Room for what a call lists, with garbage in it; a null pointer, too.
class NodeRoom {
public:
    explicit NodeRoom(Arguments &a);
    gs_node_t *data() const { return is_null_ ? nullptr : room_.get(); }
    size_t capacity() const { return capacity_; }
    void check(const Arguments &a, size_t count, size_t step) const; // so many are there, and come in groups of `step`

private:
    std::unique_ptr<gs_node_t[]> room_;
    size_t capacity_ = 0;
    bool is_null_ = false;
};

// Memory of g_area, or NULL, and how much of it.
struct Range {
    unsigned char *pointer;
    size_t bytes;
    bool is_wrong() const { return !pointer || bytes == 0 || bytes > kAreaBytes; }
};
Range draw_range(Arguments &a, unsigned char *area);

// Arguments of the kernels of the conformance suite; a config that is refused, too.
extern void *g_kernel_arguments[];
gs_launch_config_t draw_config(Arguments &a);

} // namespace gs::fuzz
