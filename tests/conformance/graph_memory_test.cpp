// SPDX-License-Identifier: Apache-2.0
// What CUDA's documentation allows and forbids with memory that graphs allocate: docs/guide/graphs.md has the rules.
#include <cstdio>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"
#include "support/cuda_driver.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// What CUDA's documentation says of a refusal: its status, that there is one, or neither.
enum class Said { Status, Refusal, Nothing };

// A graph that allocates *out, sets its bytes to 1 and frees it if asked to.
Graph allocating_graph(gs_stream_t stream, bool frees, void **out) {
    EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_malloc_async(4096, stream, out));
    EXPECT_OK(gs_memset_async(*out, 1, 4096, stream));
    if (frees) EXPECT_OK(gs_free_async(*out, stream));
    return end_capture(stream);
}

gs_status_t capture_free(gs_stream_t stream, void *memory, Graph *out) {
    EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    const gs_status_t status = gs_free_async(memory, stream);
    if (status == GS_OK)
        *out = end_capture(stream);
    else
        EXPECT_OK(gs_stream_abort_capture(stream));
    return status;
}

gs_status_t instantiate_again(gs_graph_t graph) {
    gs_graph_exec_t exec = nullptr;
    const gs_status_t status = gs_graph_instantiate(graph, 0, &exec);
    return status == GS_OK ? gs_graph_exec_destroy(exec) : status;
}

gs_graph_update_t updated_from(gs_graph_exec_t exec, gs_graph_t graph) {
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    EXPECT_OK(gs_graph_exec_update(exec, graph, &result));
    return result;
}

} // namespace

class GraphMemory : public Conformance {
protected:
    // On a GPU a call is judged by the documentation alone; what that leaves open is printed.
    void expect_refused(const char *what, Said said, gs_status_t wanted, gs_status_t got) const {
        if (!on_gpu() || said == Said::Status) {
            EXPECT_STATUS(wanted, got) << what;
            return;
        }
        std::printf("  %s: %s; on the host %s\n", what, gs_status_name(got), gs_status_name(wanted));
        if (said == Said::Refusal) EXPECT_NE(got, GS_OK) << what;
    }
    // May the test go on to calls whose effects the documentation leaves open? They come in a process of their own.
    bool settled() const { return !on_gpu(); }
};

TEST_P(GraphMemory, IsFreedOnceInAGraph) {
    Stream stream = make_stream(), side = make_stream();
    for (const bool branch : {false, true}) {
        void *memory = nullptr;
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        ASSERT_OK(gs_malloc_async(64, stream, &memory));
        ASSERT_OK(gs_stream_wait_stream(side, stream));
        ASSERT_OK(gs_free_async(memory, stream));
        expect_refused("a second free in the graph", Said::Status, GS_ERROR_INVALID_ARGUMENT,
                       gs_free_async(memory, branch ? side.get() : stream.get()));
        ASSERT_OK(gs_stream_abort_capture(stream));
    }
}

TEST_P(GraphMemory, IsWhatANodeAllocated) {
    Stream stream = make_stream();
    Graph graph;
    int local[64] = {};
    expect_refused("a free of memory that no node allocated", Said::Status, GS_ERROR_INVALID_ARGUMENT,
                   capture_free(stream, local, &graph));
}

TEST_P(GraphMemory, IsFreedWhereItsGraphFreesIt) {
    Stream stream = make_stream();
    void *memory = nullptr;
    Graph graph = allocating_graph(stream, true, &memory), other;
    GraphExec exec = instantiate(graph);
    for (int i = 0; i < 3; ++i) EXPECT_OK(gs_graph_exec_launch(exec, stream));
    expect_refused("a free of what the graph frees", Said::Refusal, GS_ERROR_INVALID_ARGUMENT,
                   gs_free_async(memory, stream));
    expect_refused("its free in another graph", Said::Nothing, GS_ERROR_INVALID_ARGUMENT,
                   capture_free(stream, memory, &other));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(GraphMemory, HasOneExecutableAtATime) {
    Stream stream = make_stream();
    void *memory = nullptr;
    for (const bool frees : {false, true}) {
        Graph graph = allocating_graph(stream, frees, &memory);
        GraphExec exec = instantiate(graph);
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, instantiate_again(graph)) << "a second executable";
        exec = {};
        EXPECT_OK(instantiate_again(graph)) << "when the first one has ended";
        EXPECT_OK(instantiate_again(graph));
    }
    Graph source = allocating_graph(stream, false, &memory), frees;
    ASSERT_OK(capture_free(stream, memory, &frees));
    GraphExec exec = instantiate(frees);
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, instantiate_again(frees)) << "of a graph that only frees";
    Graph plain = make_graph();
    exec = instantiate(plain);
    EXPECT_OK(instantiate_again(plain)) << "without memory there may be many";
}

// As the guide says: a graph with memory updates no executable but its own.
TEST_P(GraphMemory, UpdatesFromAGraphWithoutAnExecutable) {
    Stream stream = make_stream();
    void *memory = nullptr, *others = nullptr;
    Graph graph = allocating_graph(stream, true, &memory), other = allocating_graph(stream, true, &others);
    GraphExec exec = instantiate(graph), second = instantiate(other);
    EXPECT_EQ(updated_from(exec, other).reason, GS_UPDATE_NOT_SUPPORTED);
    second = {};
    const gs_graph_update_t taken = updated_from(exec, other);
    if (!settled()) return;
    EXPECT_EQ(taken.reason, GS_UPDATE_OK);
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, instantiate_again(other)) << "it is the executable's now";
    EXPECT_OK(instantiate_again(graph));
    EXPECT_EQ(updated_from(exec, other).reason, GS_UPDATE_OK) << "its own";
}

// The library refuses these itself, with one status for all drivers.
TEST_P(GraphMemory, IsNotCopied) {
    Stream stream = make_stream();
    void *memory = nullptr;
    Graph allocates = allocating_graph(stream, false, &memory), frees, parent = make_graph();
    ASSERT_OK(capture_free(stream, memory, &frees));
    for (const gs_graph_t graph : {allocates.get(), frees.get()}) {
        gs_graph_t copy = nullptr;
        gs_node_t node = 0;
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_graph_clone(graph, &copy));
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node(parent, nullptr, 0, graph_node(graph), &node));
    }
}

TEST_P(GraphMemory, IsInNoBody) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream();
    Graph graph = make_graph();
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
    void *memory = nullptr;
    ASSERT_OK(gs_stream_begin_capture_to(stream, condition.bodies[0], nullptr, 0, GS_CAPTURE_RELAXED));
    const gs_status_t status = gs_malloc_async(64, stream, &memory);
    expect_refused("an allocation in the body of a condition", Said::Nothing, GS_ERROR_NOT_SUPPORTED, status);
    if (status == GS_OK) {
        EXPECT_OK(gs_free_async(memory, stream));
        gs_graph_t body = nullptr;
        EXPECT_OK(gs_stream_end_capture(stream, &body));
        expect_refused("an executable with it", Said::Nothing, GS_ERROR_NOT_SUPPORTED, instantiate_again(graph));
    } else {
        EXPECT_OK(gs_stream_abort_capture(stream));
    }
}

// The library removes no nodes and no edges; other code may try to.
TEST_P(GraphMemory, KeepsNodesEdgesAndChildren) {
    if (!on_cuda()) return; // graphs of the host backend are changed through the library only
    const auto destroy_node = driver_symbol<int (*)(uintptr_t)>("cuGraphDestroyNode");
    const auto remove_edges =
        driver_symbol<int (*)(uintptr_t, const uintptr_t *, const uintptr_t *, size_t)>("cuGraphRemoveDependencies");
    const auto child_of = driver_symbol<int (*)(uintptr_t, uintptr_t *)>("cuGraphChildGraphNodeGetGraph");
    Stream stream = make_stream();
    void *memory = nullptr;
    Graph graph = allocating_graph(stream, true, &memory);
    gs_node_t nodes[3] = {};
    uintptr_t natives[3] = {}, native = 0;
    size_t count = 0;
    ASSERT_OK(gs_graph_nodes(graph, nodes, 3, &count));
    ASSERT_EQ(count, 3u);
    for (int i = 0; i < 3; ++i) ASSERT_OK(gs_graph_node_native(graph, nodes[i], &natives[i]));
    ASSERT_OK(gs_graph_native(graph, &native));
    for (const uintptr_t node : natives) EXPECT_NE(destroy_node(node), 0);
    EXPECT_NE(remove_edges(native, &natives[0], &natives[1], 1), 0);
    EXPECT_EQ(info_of(graph).node_count, 3u);

    Graph parent = make_graph(), plain = make_graph();
    gs_node_t node = 0;
    add_empty(plain);
    ASSERT_OK(gs_graph_add_node(parent, nullptr, 0, graph_node(plain), &node));
    ASSERT_OK(gs_graph_node_native(parent, node, &natives[0]));
    ASSERT_EQ(child_of(natives[0], &native), 0);
    const auto begin = driver_symbol<int (*)(uintptr_t, uintptr_t, const void *, const void *, size_t, int)>(
        "cuStreamBeginCaptureToGraph");
    const auto allocate = driver_symbol<int (*)(void **, size_t, uintptr_t)>("cuMemAllocAsync");
    uintptr_t raw = 0;
    ASSERT_OK(gs_stream_native(stream, &raw));
    ASSERT_EQ(begin(raw, native, nullptr, nullptr, 0, 2), 0);
    EXPECT_NE(allocate(&memory, 64, raw), 0) << "an allocation in a child graph";
    (void)driver_symbol<int (*)(uintptr_t, uintptr_t *)>("cuStreamEndCapture")(raw, &native);
}

TEST_P(GraphMemory, IsFreedBeforeTheNextLaunch) {
    Stream stream = make_stream();
    void *memory = nullptr;
    Graph graph = allocating_graph(stream, false, &memory), frees;
    ASSERT_OK(capture_free(stream, memory, &frees));
    GraphExec exec = instantiate(graph), freeing = instantiate(frees);
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    expect_refused("a launch with memory of the last one", Said::Status, GS_ERROR_INVALID_ARGUMENT,
                   gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_free_async(memory, stream));
    EXPECT_OK(gs_graph_exec_launch(exec, stream)) << "after a free in the stream";
    EXPECT_OK(gs_graph_exec_launch(freeing, stream));
    EXPECT_OK(gs_graph_exec_launch(exec, stream)) << "after a free by another graph";
    exec = {};
    exec = instantiate(graph, GS_INSTANTIATE_AUTO_FREE);
    for (int i = 0; i < 3; ++i) EXPECT_OK(gs_graph_exec_launch(exec, stream)) << "which frees what is left";
    Bytes result(1);
    exec = {};
    graph = {};
    EXPECT_OK(gs_memcpy_async(result.at(0), memory, 1, stream)) << "it outlives graph and executable";
    EXPECT_OK(gs_free_async(memory, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(result[0], 1);
}

TEST_P(GraphMemory, OfOneDeviceIsFreedThere) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    const gs_status_t wanted = on_host() ? GS_ERROR_DEVICE_MISMATCH : GS_ERROR_INVALID_ARGUMENT;
    Stream stream = make_stream(0), there = make_stream(1);
    void *memory = nullptr;
    Graph graph = allocating_graph(stream, false, &memory);
    GraphExec exec = instantiate(graph);
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    expect_refused("a free in another device's stream", Said::Nothing, wanted, gs_free_async(memory, there));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_malloc_async(64, stream, &memory));
    ASSERT_OK(gs_stream_wait_stream(there, stream));
    expect_refused("the same in a capture", Said::Nothing, wanted, gs_free_async(memory, there));
    EXPECT_OK(gs_stream_abort_capture(stream));
}

TEST_P(GraphMemory, IsFreedOnceItIsAllocated) {
    OWN_PROCESS();
    constexpr gs_status_t kWanted = GS_ERROR_INVALID_ARGUMENT;
    Stream stream = make_stream();
    void *memory = nullptr;
    Graph graph = allocating_graph(stream, false, &memory), frees;
    ASSERT_OK(capture_free(stream, memory, &frees));
    GraphExec exec = instantiate(graph), freeing = instantiate(frees);
    expect_refused("a free before the first launch", Said::Nothing, kWanted, gs_free_async(memory, stream));
    expect_refused("a launch that frees before that", Said::Nothing, kWanted, gs_graph_exec_launch(freeing, stream));
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_graph_exec_launch(freeing, stream));
    expect_refused("a second launch that frees", Said::Nothing, kWanted, gs_graph_exec_launch(freeing, stream));
    expect_refused("a free behind it", Said::Nothing, kWanted, gs_free_async(memory, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
}

GS_INSTANTIATE_BACKENDS(GraphMemory);

} // namespace gs::test
