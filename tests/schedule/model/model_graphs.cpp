// SPDX-License-Identifier: Apache-2.0
#include "schedule/model/model_graphs.hpp"

#include <map>
#include <string>
#include <vector>

#include "base/lock.hpp"
#include "schedule/scheduler/explore.hpp"
#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {
namespace {

struct Keep {
    void (*release)(void *);
    void *arg;
};
struct DriverGraph {
    bool alive = true;
    bool in_use = false; // by a call that has not returned
    std::vector<Keep> kept;
};
struct DriverCapture {
    uint64_t id;
    uintptr_t graph;
};

// Only the running thread is in here, as in model_backend.cpp.
std::map<uintptr_t, DriverGraph> g_graphs;
std::map<uintptr_t, DriverCapture> g_captures; // by stream
uintptr_t g_last_graph = 0x8000000;            // never used again
uint64_t g_last_capture = 0;
bool g_has_graphs = false;
Mutex g_end_mutex;

// A call on a graph: others may run before its effect.
DriverGraph &use(uintptr_t native, const char *name) {
    const auto found = g_graphs.find(native);
    require(found != g_graphs.end() && found->second.alive, std::string(name) + ": the graph was destroyed before");
    DriverGraph &graph = g_graphs[native];
    require(!graph.in_use, std::string(name) + ": another thread's call on the graph is in progress");
    graph.in_use = true;
    access(name, kAlwaysShared, true, __builtin_return_address(0));
    graph.in_use = false;
    return graph;
}

Status absent() noexcept { return fail(GS_ERROR_NOT_SUPPORTED, "the model lacks it"); }

class ModelGraphs final : public Graphs {
public:
    Status capture(ThreadBlock &, StreamRef stream, StreamCapture *out) noexcept override {
        access("capture info", kAlwaysShared, false, nullptr);
        MutexLock lock(g_end_mutex);
        *out = {};
        const auto found = g_captures.find(stream.native);
        if (found != g_captures.end()) *out = {GS_CAPTURE_STATE_ACTIVE, found->second.id, found->second.graph};
        return kOk;
    }
    Status capture_begin(ThreadBlock &, StreamRef stream, int32_t) noexcept override {
        access("capture begin", kAlwaysShared, true, nullptr);
        require(g_captures.count(stream.native) == 0, "capture begin: the stream is being captured");
        g_last_graph += 16;
        g_graphs[g_last_graph] = {};
        g_captures[stream.native] = {++g_last_capture, g_last_graph};
        return kOk;
    }
    Status capture_end(ThreadBlock &, StreamRef stream, uintptr_t *out_graph) noexcept override {
        MutexLock lock(g_end_mutex);
        const auto found = g_captures.find(stream.native);
        require(found != g_captures.end(), "capture end: the stream is not being captured");
        *out_graph = found->second.graph;
        use(*out_graph, "capture end");
        g_captures.erase(stream.native);
        return kOk;
    }
    Status graph_destroy(ThreadBlock &, GraphRef graph) noexcept override {
        DriverGraph &ended = use(graph.native, "graph destroy");
        ended.alive = false;
        for (const Keep &keep : ended.kept) keep.release(keep.arg);
        return kOk;
    }
    Status graph_keep(ThreadBlock &, uintptr_t graph, void (*release)(void *), void *arg) noexcept override {
        use(graph, "graph keep").kept.push_back({release, arg});
        return kOk;
    }
    Status capture_keep(ThreadBlock &, StreamRef stream, uint64_t id, void (*release)(void *), void *arg,
                        bool *out_kept) noexcept override {
        access("capture keep", kAlwaysShared, true, nullptr);
        MutexLock lock(g_end_mutex);
        const auto found = g_captures.find(stream.native);
        *out_kept = found != g_captures.end() && found->second.id == id;
        if (*out_kept) use(found->second.graph, "capture keep").kept.push_back({release, arg});
        return kOk;
    }

    // What no scenario calls.
    Status capture_begin_to(ThreadBlock &, StreamRef, uintptr_t, const uintptr_t *, size_t, int32_t) noexcept override {
        return absent();
    }
    Status capture_nodes(ThreadBlock &, StreamRef, uintptr_t *, size_t, size_t *) noexcept override { return absent(); }
    Status set_capture_nodes(ThreadBlock &, StreamRef, const uintptr_t *, size_t, bool) noexcept override {
        return absent();
    }
    Status graph_create(ThreadBlock &, int32_t, uintptr_t *) noexcept override { return absent(); }
    Status graph_clone(ThreadBlock &, GraphRef, uintptr_t *) noexcept override { return absent(); }
    Status graph_adopt(ThreadBlock &, GraphRef) noexcept override { return absent(); }
    Status node_add(ThreadBlock &, GraphRef, const uintptr_t *, size_t, const NodeParams &,
                    uintptr_t *) noexcept override {
        return absent();
    }
    Status add_edges(ThreadBlock &, GraphRef, const uintptr_t *, const uintptr_t *, size_t) noexcept override {
        return absent();
    }
    Status node_remove(ThreadBlock &, GraphRef, uintptr_t) noexcept override { return absent(); }
    Status condition_create(ThreadBlock &, GraphRef, uint32_t, uint64_t *) noexcept override { return absent(); }
    Status graph_nodes(ThreadBlock &, GraphRef, uintptr_t *, size_t, size_t *) noexcept override { return absent(); }
    Status graph_edges(ThreadBlock &, GraphRef, uintptr_t *, uintptr_t *, size_t, size_t *) noexcept override {
        return absent();
    }
    Status node_params(ThreadBlock &, GraphRef, uintptr_t, NodeParams *) noexcept override { return absent(); }
    Status kernel_name(ThreadBlock &, GraphRef, const NodeParams &, const char **) noexcept override { return absent(); }
    Status node_degrees(ThreadBlock &, GraphRef, uintptr_t, size_t *, size_t *) noexcept override { return absent(); }
    Status instantiate(ThreadBlock &, GraphRef, uint32_t, uintptr_t *, GraphFailure *) noexcept override {
        return absent();
    }
    Status exec_destroy(ThreadBlock &, GraphRef) noexcept override { return absent(); }
    Status exec_launch(ThreadBlock &, GraphRef, StreamRef) noexcept override { return absent(); }
    Status exec_upload(ThreadBlock &, GraphRef, StreamRef) noexcept override { return absent(); }
    Status exec_update(ThreadBlock &, GraphRef, uintptr_t, GraphFailure *) noexcept override { return absent(); }
    Status exec_set_node(ThreadBlock &, GraphRef, uintptr_t, const NodeParams &) noexcept override { return absent(); }
    Status exec_enable_node(ThreadBlock &, GraphRef, uintptr_t, bool) noexcept override { return absent(); }
    Status exec_node_enabled(ThreadBlock &, GraphRef, uintptr_t, bool *) noexcept override { return absent(); }
};

constinit ModelGraphs g_model_graphs;

} // namespace

Graphs *model_graphs() noexcept { return g_has_graphs ? &g_model_graphs : nullptr; }

namespace model {

void with_captures(bool on) {
    g_has_graphs = on;
    g_graphs.clear();
    g_captures.clear();
}

bool is_captured(uintptr_t stream) { return g_captures.count(stream) != 0; }

void add_node(uintptr_t stream) { use(g_captures[stream].graph, "node add"); }

} // namespace model
} // namespace gs::schedule
