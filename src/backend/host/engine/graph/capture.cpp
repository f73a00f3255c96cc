// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/capture.hpp"

#include <algorithm>

#include "backend/host/engine/stream_queue.hpp"

namespace gs::host {

bool all_joined(const Capture &capture, uint64_t walk) {
    std::vector<GraphNode *> open = capture.origin->member->nodes;
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
    for (const Stream *stream : capture.members)
        for (const GraphNode *node : stream->member->nodes)
            if (node->mark != walk) return false;
    return true;
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
