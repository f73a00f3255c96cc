// SPDX-License-Identifier: Apache-2.0
// Captures in progress. The engine's graph lock guards all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/host/engine/graph/graph.hpp"

namespace gs::host {

struct Stream;

enum class CaptureMode : uint8_t { Global = 0, ThreadLocal = 1, Relaxed = 2 };

struct CaptureStart {
    CaptureMode mode = CaptureMode::Relaxed;
    uint64_t thread = 0;               // of the caller; only the same one may end a capture that is not relaxed
    Graph *into = nullptr;             // an existing graph; else a new one
    GraphNode *const *after = nullptr; // of that graph
    size_t count = 0;
};

struct Capture {
    uint64_t id = 0; // never reused
    CaptureMode mode = CaptureMode::Relaxed;
    uint64_t thread = 0;
    bool broken = false;
    bool existing = false; // the graph was there before
    Stream *origin = nullptr;
    Graph *graph = nullptr;
    std::vector<Stream *> members;
};

// A stream's part in a capture: what its next work will depend on.
struct CaptureMember {
    Capture *capture;
    std::vector<GraphNode *> nodes;
};

using Captures = std::vector<std::unique_ptr<Capture>>;
// Is a stream captured into the graph, or into a graph within it?
bool captured_into(const Captures &captures, const Graph &root) noexcept;
// The graph is about to end. True: it ends with the last capture into it. Captures into graphs within it are broken
// from now on.
bool outlives(const Captures &captures, Graph &root) noexcept;

// What an event has recorded in a capture, which may have ended.
struct CapturedPoint {
    uint64_t capture;
    std::vector<GraphNode *> nodes;
};

enum class CaptureState : uint8_t { None = 0, Active = 1, Broken = 2 };

struct CaptureInfo {
    CaptureState state = CaptureState::None;
    uint64_t id = 0;
    Graph *graph = nullptr; // another thread may end the capture, and then the graph
    uint64_t graph_id = 0;  // of one in progress
};

// Has the origin joined all the work of every other stream of the capture? Throws bad_alloc.
bool all_joined(const Capture &capture, uint64_t walk);
// Whether other members wait for all that this one has captured. May throw bad_alloc.
bool is_joined(const Capture &capture, const Stream &stream, uint64_t walk);
// Adds nodes that are not there yet. Throws bad_alloc.
void add_missing(std::vector<GraphNode *> &nodes, GraphNode *const *more, size_t count);

} // namespace gs::host
