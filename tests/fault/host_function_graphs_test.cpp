// SPDX-License-Identifier: Apache-2.0
// Host functions that ask about graphs, at any moment of other threads' calls.
#include "conformance/graphs.hpp"
#include "conformance/kernels.hpp"
#include "core/graph/graph_slots.hpp"
#include "core/names.hpp"
#include "fault/inject.hpp"
#include "support/launches.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// What a host function learns about a graph.
struct GraphAsker {
    gs_graph_t graph = nullptr;
    uintptr_t native = 0;

    static void retain(void *self) { EXPECT_OK(gs_graph_retain(static_cast<GraphAsker *>(self)->graph)); }
    static void name(void *self) { EXPECT_OK(gs_graph_set_name(static_cast<GraphAsker *>(self)->graph, "asked")); }
    static void give_away(void *self) {
        auto &asking = *static_cast<GraphAsker *>(self);
        EXPECT_OK(gs_graph_native(asking.graph, &asking.native));
    }
};

void call_asker(gs_stream_t stream, void (*fn)(void *), GraphAsker *asking) {
    ASSERT_OK(gs_stream_launch_host(stream, fn, asking));
    ASSERT_OK(gs_stream_synchronize(stream));
}

// As a thread in a driver's call on the graph, which may wait for the function.
class AsInADriversCall {
public:
    explicit AsInADriversCall(gs_graph_t graph) { EXPECT_TRUE(locked_.find(reinterpret_cast<uint64_t>(graph)).ok()); }

private:
    LockedGraph locked_;
};

// Its kernel adds one to the word. Nothing else has the module.
void add_only_kernel(gs_graph_t graph, uint32_t *word) {
    const gs_launch_config_t one = launch_of(1, 1);
    void *arguments[] = {&word};
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    gs_node_t node = 0;
    ASSERT_OK(gs_module_load(0, kPtx, sizeof kPtx, &module));
    ASSERT_OK(gs_module_get_kernel(module, "add_one", &kernel));
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, kernel_node(kernel, &one, arguments), &node));
    ASSERT_OK(gs_module_destroy(module));
}

// An executable of other code.
class OtherCodesExec {
public:
    explicit OtherCodesExec(uintptr_t graph) {
        const auto make = fake().symbol<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags");
        EXPECT_EQ(make(&exec_, reinterpret_cast<CUgraph>(graph), 0), CUDA_SUCCESS);
    }
    ~OtherCodesExec() {
        EXPECT_EQ(fake().symbol<PFN_cuGraphExecDestroy_v10000>("cuGraphExecDestroy")(exec_), CUDA_SUCCESS);
    }
    OtherCodesExec(const OtherCodesExec &) = delete;
    OtherCodesExec &operator=(const OtherCodesExec &) = delete;
    void run(gs_stream_t stream) const {
        const auto launch = fake().symbol<PFN_cuGraphLaunch_v10000>("cuGraphLaunch");
        ASSERT_EQ(launch(exec_, reinterpret_cast<CUstream>(native_of(stream))), CUDA_SUCCESS);
        ASSERT_OK(gs_stream_synchronize(stream));
    }

private:
    CUgraphExec exec_ = nullptr;
};

TEST(HostFunctionGraphs, MayAskDuringACallThatWaitsForThem) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Graph graph = make_graph(0);
    GraphAsker asking;
    asking.graph = graph;
    {
        const AsInADriversCall inside(graph);
        call_asker(stream, GraphAsker::retain, &asking);
        call_asker(stream, GraphAsker::give_away, &asking);
    }
    uintptr_t native = 0;
    ASSERT_OK(gs_graph_native(graph, &native));
    EXPECT_EQ(asking.native, native);
    graph.reset();
    EXPECT_OK(gs_graph_native(asking.graph, &native)) << "the function's reference";
    EXPECT_OK(gs_graph_destroy(asking.graph));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_retain(asking.graph));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_native(asking.graph, &native));
}

TEST(HostFunctionGraphs, MayNameDuringACallThatWaitsForThem) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Graph graph = make_graph(0);
    GraphAsker asking;
    asking.graph = graph;
    {
        const AsInADriversCall inside(graph);
        call_asker(stream, GraphAsker::name, &asking);
    }
    EXPECT_STREQ(name_of_object(reinterpret_cast<uint64_t>(asking.graph)).text, "asked");
    graph.reset();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_set_name(asking.graph, "late"));
}

TEST(HostFunctionGraphs, BodiesAndCapturesHaveNoReferences) {
    OWN_PROCESS();
    Stream stream = make_stream(0), captured = make_stream(0);
    Graph graph = make_graph(0);
    gs_node_t node = 0;
    GraphAsker body, own;
    ASSERT_OK(add_condition(graph, nullptr, 0, GS_CONDITION_IF, 0, &node, &body.graph, 1));
    own.graph = graph;
    const auto refused = [](void *self) {
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_graph_retain(static_cast<GraphAsker *>(self)->graph));
    };
    call_asker(stream, refused, &body);
    call_asker(stream, GraphAsker::give_away, &body);
    EXPECT_NE(body.native, 0u);
    ASSERT_OK(gs_stream_begin_capture_to(captured, graph, nullptr, 0, GS_CAPTURE_RELAXED));
    graph.reset(); // the capture keeps it
    call_asker(stream, refused, &own);
    gs_graph_t ended = nullptr;
    ASSERT_OK(gs_stream_end_capture(captured, &ended));
    EXPECT_EQ(ended, own.graph);
    call_asker(stream, GraphAsker::retain, &own);
    EXPECT_OK(gs_graph_destroy(ended));
    EXPECT_OK(gs_graph_destroy(ended));
    call_asker(
        stream,
        [](void *self) {
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_retain(static_cast<GraphAsker *>(self)->graph));
        },
        &own);
}

// Other code makes an executable of the graph. Its modules are not known to anything but the graph, which ends.
TEST(HostFunctionGraphs, WhatTheyGiveAwayKeepsItsModules) {
    OWN_PROCESS();
    for (const bool beside_a_call : {false, true}) {
        SCOPED_TRACE(beside_a_call ? "during a call on the graph" : "alone");
        Stream stream = make_stream(0);
        Graph graph = make_graph(0);
        uint32_t word = 0;
        add_only_kernel(graph, &word);
        GraphAsker asking;
        asking.graph = graph;
        if (beside_a_call) {
            const AsInADriversCall inside(graph);
            call_asker(stream, GraphAsker::give_away, &asking);
        } else {
            call_asker(stream, GraphAsker::give_away, &asking);
        }
        const OtherCodesExec exec(asking.native);
        if (beside_a_call) { // which ties nothing to the executable that is there already
            uintptr_t native = 0;
            ASSERT_OK(gs_graph_native(graph, &native));
            call_asker(stream, GraphAsker::give_away, &asking);
        }
        graph.reset();
        ASSERT_OK(gs_trim());
        exec.run(stream);
        EXPECT_EQ(word, 1u);
        EXPECT_EQ(fake().violation_text(), "");
    }
}

// Nor are its random words used for another graph.
TEST(HostFunctionGraphs, WhatTheyGiveAwayKeepsItsRandomWords) {
    OWN_PROCESS();
    Stream stream = make_stream(0), captured = make_stream(0);
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    const auto capture = [&] {
        EXPECT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
        EXPECT_OK(gs_rng_reserve(captured, 4, &philox));
        gs_graph_t graph = nullptr;
        EXPECT_OK(gs_stream_end_capture(captured, &graph));
        return Graph(graph);
    };
    Graph kept = capture();
    const uint64_t address = philox.seed_address;
    kept.reset();
    Graph given = capture();
    EXPECT_EQ(philox.seed_address, address) << "those of a graph that has ended";
    GraphAsker asking;
    asking.graph = given;
    call_asker(stream, GraphAsker::give_away, &asking);
    given.reset();
    EXPECT_NE(capture().get(), nullptr);
    EXPECT_NE(philox.seed_address, address);
}

} // namespace
} // namespace gs::test
