// SPDX-License-Identifier: Apache-2.0
// The numbers of a graph's nodes. A node gets one when a caller first asks for it; no number is ever used again, so a
// stale one, or one of another graph, is recognised.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "gpustream.h"

namespace gs {

// Guarded by the graph's mutex. The functions return OUT_OF_MEMORY, or INVALID_ARGUMENT for a node of another graph.
class NodeTable {
public:
    Status number_of(uintptr_t native, gs_node_t *out) noexcept;
    Status native_of(gs_node_t node, uintptr_t *out) const noexcept;
    // The numbers of several nodes: all of them, or nothing is written.
    Status numbers_of(const uintptr_t *natives, size_t count, gs_node_t *out) noexcept;
    Status natives_of(const gs_node_t *nodes, size_t count, std::vector<uintptr_t> *out) const noexcept;
    void forget(uintptr_t native) noexcept; // the driver may use the address again
    void clear() noexcept;

private:
    std::map<uintptr_t, gs_node_t> numbers_;
    std::map<gs_node_t, uintptr_t> natives_;
};

// What a graph remembers of the nodes that the library added and the driver does not tell. Guarded by the graph's mutex.
struct NodeNote {
    int32_t kind = GS_NODE_OTHER;
    std::string name; // of its kernel, event or child graph when it was added

    int32_t condition_type = 0;
    uint32_t initial = 0;         // the condition when a launch begins
    uint64_t condition = 0;       // the driver's number of it
    std::vector<uint64_t> bodies; // their handles

    const void *word = nullptr; // of a node that sets a condition
};

class NodeNotes {
public:
    // nullptr: other code added the node, or there is nothing to say about it.
    const NodeNote *find(gs_node_t node) const noexcept {
        const auto found = notes_.find(node);
        return found == notes_.end() ? nullptr : &found->second;
    }
    template <typename Test>
    bool any(Test &&test) const noexcept {
        for (const auto &[node, note] : notes_)
            if (test(note)) return true;
        return false;
    }
    bool any_condition() const noexcept { return conditions_ > 0; }
    // May throw bad_alloc; changes nothing then.
    void add(gs_node_t node, NodeNote &&note) {
        const bool condition = note.kind == GS_NODE_CONDITION;
        notes_.insert_or_assign(node, static_cast<NodeNote &&>(note));
        conditions_ += condition ? 1 : 0;
    }
    // Of a condition that was added.
    void set_bodies(gs_node_t node, std::vector<uint64_t> &&bodies) noexcept {
        notes_.find(node)->second.bodies = static_cast<std::vector<uint64_t> &&>(bodies);
    }
    void clear() noexcept {
        notes_.clear();
        conditions_ = 0;
    }

private:
    std::map<gs_node_t, NodeNote> notes_;
    size_t conditions_ = 0;
};

} // namespace gs
