// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph/graph_program.hpp"

#include <algorithm>
#include <filesystem>

#include "conformance/kernels.hpp"
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/ground.hpp"
#include "fuzz/harness.hpp"
#include "support/nodes.hpp"

namespace gs::fuzz {
namespace {

gs_graph_t graph_of(uint64_t handle) { return reinterpret_cast<gs_graph_t>(handle); }    // NOLINT: a handle is a number
gs_stream_t stream_of(uint64_t handle) { return reinterpret_cast<gs_stream_t>(handle); } // NOLINT

} // namespace

GraphProgram::GraphProgram(Bytes bytes, Model &objects) : Program(bytes, objects), graphs(objects) {
    with_captures = true;
}

GraphProgram &GraphProgram::of(const Arguments &a) { return static_cast<GraphProgram &>(a.program()); }

const GraphProgram::Shape &GraphProgram::shape(uint64_t graph) const {
    static const Shape none;
    const auto found = shapes_.find(graph);
    return found == shapes_.end() ? none : found->second;
}

// The counts of all questions agree, edges are between nodes, and no node is named twice.
GraphProgram::Shape GraphProgram::ask(uint64_t handle) {
    const gs_graph_t graph = graph_of(handle);
    gs_graph_summary_t summary{};
    summary.struct_size = sizeof summary;
    const gs_status_t status = gs_graph_info(graph, &summary);
    FUZZ_REQUIRE(status == GS_OK, std::to_string(handle) + ", a live graph: " + gs_status_name(status));
    size_t nodes = 0, numbers = 0;
    Shape shape;
    shape.nodes.resize(summary.node_count);
    FUZZ_REQUIRE(gs_graph_nodes(graph, shape.nodes.data(), shape.nodes.size(), &nodes) == GS_OK, "gs_graph_nodes");
    FUZZ_REQUIRE(nodes == summary.node_count, std::to_string(nodes) + " nodes");
    std::vector<gs_node_t> ends(2 * summary.edge_count);
    FUZZ_REQUIRE(gs_graph_edges(graph, ends.data(), ends.size(), &numbers) == GS_OK, "gs_graph_edges");
    FUZZ_REQUIRE(numbers == ends.size(), std::to_string(numbers) + " numbers of nodes of edges");
    const std::set<gs_node_t> known(shape.nodes.begin(), shape.nodes.end());
    FUZZ_REQUIRE(known.size() == nodes && known.count(0) == 0, "a node is named twice");
    for (size_t i = 0; i < ends.size(); i += 2) {
        FUZZ_REQUIRE(known.count(ends[i]) != 0 && known.count(ends[i + 1]) != 0, "an edge leads out of the graph");
        FUZZ_REQUIRE(shape.edges.emplace(ends[i], ends[i + 1]).second, "an edge is named twice");
    }
    return shape;
}

uint64_t GraphProgram::captured_into(uint64_t stream) const {
    const gs_capture_info_t *info = before_.of(stream);
    return info ? reinterpret_cast<uint64_t>(info->graph) : 0;
}

gs_node_t GraphProgram::captured_node(uint64_t stream) const {
    gs_node_t node = 0;
    size_t count = 0;
    FUZZ_REQUIRE(gs_stream_capture_nodes(stream_of(stream), &node, 1, &count) == GS_OK, "gs_stream_capture_nodes");
    FUZZ_REQUIRE(count == 1, std::to_string(count) + " nodes come before the next after one was captured");
    return node;
}

void GraphProgram::stepped(const Arguments &a) {
    status_ = a.status();
    detail_ = a.detail();
}

void GraphProgram::make(const Call &call) {
    before_ = CaptureWatch::now(model);
    shapes_.clear();
    for (const Object &object : model.objects())
        if (object.kind == "graph" && model.alive(object.handle, "graph") == Alive::Yes)
            check_numbers(object.handle, shapes_[object.handle] = ask(object.handle));
    affects(CaptureWatch::Effect::None, 0);
    adds_to(0, 0);
    {
        Arguments arguments(*this, call);
        call.make(arguments);
        stepped(arguments);
    }
    const CaptureWatch after = CaptureWatch::now(model);
    before_.check(after, effect_, affected_, status_, detail_);
    follow_captures(after);
    check_graphs(status_, detail_);
    graphs.check_kept(detail_);
}

// A capture keeps its graph, and those that this is inside of. That of a stream that was destroyed ends at a time that is not
// known.
void GraphProgram::follow_captures(const CaptureWatch &after) {
    for (const uint64_t stream : model.handles("stream")) {
        const gs_capture_info_t *was = before_.of(stream), *is = after.of(stream);
        if (is && is->graph) captures_[is->id] = reinterpret_cast<uint64_t>(is->graph);
        if (!was || !was->graph || (is && is->graph)) continue;
        for (const uint64_t graph : graphs.around(captures_[was->id]))
            if (!is) model.made_current(graph);
        captures_.erase(was->id);
    }
    for (const uint64_t graph : model.handles("graph")) model.set_lent("graph", graph, false);
    for (const auto &[id, captured] : captures_)
        for (const uint64_t graph : graphs.around(captured)) model.set_lent("graph", graph, true);
}

void GraphProgram::check_numbers(uint64_t graph, const Shape &shape) {
    for (const gs_node_t node : shape.nodes) {
        const auto [owner, fresh] = owners_.emplace(node, graph);
        FUZZ_REQUIRE(owner->second == graph, "a node's number was used before");
        if (fresh) all_nodes_.push_back(node);
    }
}

void GraphProgram::check_graphs(gs_status_t status, const std::string &detail) {
    for (const auto &[graph, before] : shapes_) {
        if (model.alive(graph, "graph") != Alive::Yes) continue;
        const Shape now = ask(graph);
        if (graph != grown_ || status != GS_OK) {
            FUZZ_REQUIRE(now == before, detail + " changed " + model.name(graph));
            continue;
        }
        const size_t grown = now.nodes.size() - before.nodes.size();
        FUZZ_REQUIRE(growth_ < 0 || grown == static_cast<size_t>(growth_),
                     detail + ": " + std::to_string(grown) + " nodes more");
        for (const gs_node_t node : before.nodes)
            FUZZ_REQUIRE(std::find(now.nodes.begin(), now.nodes.end(), node) != now.nodes.end(),
                         detail + " lost a node");
    }
}

// A capture is ended by the thread that can; abort has no rule, but the per-thread stream is another one on each thread.
void GraphProgram::end_thread(int number) {
    for (bool again = true; again;) {
        again = false;
        const CaptureWatch now = CaptureWatch::now(model);
        for (const uint64_t stream : model.handles("stream"))
            if (now.capturing(stream) && now.of(stream)->origin == stream_of(stream))
                again = gs_stream_abort_capture(stream_of(stream)) == GS_OK || again;
    }
    Program::end_thread(number);
}

void GraphProgram::clean_up() {
    const CaptureWatch now = CaptureWatch::now(model);
    for (const uint64_t stream : model.handles("stream"))
        if (now.capturing(stream))
            FUZZ_REQUIRE(!now.of(reinterpret_cast<uint64_t>(now.of(stream)->origin)),
                         "a capture that cannot be aborted");
    for (const uint64_t graph : model.handles("graph")) model.set_lent("graph", graph, false);
    Program::clean_up();
    graphs.finish();
}

Area g_area;

namespace {

// What sets conditions is loaded at first use and stays.
void warm_up_conditions(gs_device_t device) {
    gs_graph_t graph = nullptr, body = nullptr;
    gs_node_t condition = 0, setter = 0;
    FUZZ_REQUIRE(gs_graph_create(device, 0, &graph) == GS_OK, "gs_graph_create");
    FUZZ_REQUIRE(test::add_condition(graph, nullptr, 0, GS_CONDITION_IF, 0, &condition, &body, 1) == GS_OK,
                 "a condition");
    FUZZ_REQUIRE(gs_graph_add_node(graph, nullptr, 0, test::set_condition_node(graph, condition, g_area.words),
                                   &setter) == GS_OK,
                 "gs_graph_add_node");
    FUZZ_REQUIRE(gs_graph_destroy(graph) == GS_OK, "gs_graph_destroy");
}

} // namespace

void make_area() {
    void *memory = nullptr;
    FUZZ_REQUIRE(gs_malloc_host(2 * kAreaBytes + sizeof kWords, &memory) == GS_OK, "gs_malloc_host");
    g_area.source = static_cast<unsigned char *>(memory);
    g_area.target = g_area.source + kAreaBytes;
    g_area.words = reinterpret_cast<uint32_t *>(g_area.target + kAreaBytes);
    std::copy(std::begin(kWords), std::end(kWords), g_area.words);
    static const std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / GS_FUZZ_KERNELS;
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    FUZZ_REQUIRE(gs_default_backend(&backend) == GS_OK, "gs_default_backend");
    const bool host = backend == GS_BACKEND_HOST;
    for (const gs_device_t device : {0, 1}) {
        warm_up_conditions(device);
        gs_module_t module = nullptr;
        const gs_status_t loaded = host ? gs_module_load(device, path.c_str(), 0, &module)
                                        : gs_module_load(device, test::kPtx, sizeof test::kPtx, &module);
        FUZZ_REQUIRE(loaded == GS_OK, gs_status_name(loaded));
        for (const char *name : {"add_one", "fill_index"}) {
            gs_kernel_t kernel = nullptr;
            FUZZ_REQUIRE(gs_module_get_kernel(module, name, &kernel) == GS_OK, name);
            g_model->add_immortal("kernel", reinterpret_cast<uint64_t>(kernel));
        }
    }
}

} // namespace gs::fuzz
