// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/capture.hpp"

#include <algorithm>

#include "backend/host/engine/stream_queue.hpp"

namespace gs::host {
namespace {

// Marks the nodes and all that they come after.
void mark_back(std::vector<GraphNode *> open, uint64_t walk) {
    for (GraphNode *node : open) node->mark = walk;
    while (!open.empty()) {
        const GraphNode &node = *open.back();
        open.pop_back();
        for (GraphNode *earlier : node.after) {
            if (earlier->mark == walk) continue;
            earlier->mark = walk;
            open.push_back(earlier);
        }
    }
}

bool is_marked(const Stream &stream, uint64_t walk) noexcept {
    const auto &nodes = stream.member->nodes;
    return std::all_of(nodes.begin(), nodes.end(), [walk](const GraphNode *node) { return node->mark == walk; });
}

} // namespace

bool all_joined(const Capture &capture, uint64_t walk) {
    mark_back(capture.origin->member->nodes, walk);
    return std::all_of(capture.members.begin(), capture.members.end(),
                       [walk](const Stream *stream) { return is_marked(*stream, walk); });
}

bool is_joined(const Capture &capture, const Stream &stream, uint64_t walk) {
    for (const Stream *other : capture.members)
        if (other != &stream) mark_back(other->member->nodes, walk);
    return is_marked(stream, walk);
}

bool captured_into(const Captures &captures, const Graph &root) noexcept {
    return std::any_of(captures.begin(), captures.end(),
                       [&](const auto &capture) { return &root_of(*capture->graph) == &root; });
}

bool outlives(const Captures &captures, Graph &root) noexcept {
    if (!captured_into(captures, root)) return false;
    root.destroyed = true;
    for (const auto &capture : captures)
        if (capture->graph != &root && &root_of(*capture->graph) == &root) capture->broken = true;
    return true;
}

void add_missing(std::vector<GraphNode *> &nodes, GraphNode *const *more, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (std::find(nodes.begin(), nodes.end(), more[i]) == nodes.end()) nodes.push_back(more[i]);
}

} // namespace gs::host
