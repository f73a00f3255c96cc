// SPDX-License-Identifier: Apache-2.0
// Executables whose driver calls fail after their effect, or do not return at once.
#include <thread>

#include "conformance/graphs.hpp"
#include "conformance/kernels.hpp"
#include "fault/inject.hpp"
#include "support/launches.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void run(gs_graph_exec_t exec, gs_stream_t stream) {
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
}

// A graph whose kernel adds one to the word, and no handle of its module.
Graph make_counting_graph(uint32_t *word) {
    const gs_launch_config_t one = launch_of(1, 1);
    void *arguments[] = {&word};
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    gs_node_t node = 0;
    Graph graph = make_graph(0);
    EXPECT_OK(gs_module_load(0, kPtx, sizeof kPtx, &module));
    EXPECT_OK(gs_module_get_kernel(module, "add_one", &kernel));
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, kernel_node(kernel, &one, arguments), &node));
    EXPECT_OK(gs_module_destroy(module));
    return graph;
}

gs_node_t add_counting_node(gs_graph_t graph, Count *count) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, host_node(add_one, count), &node));
    return node;
}

// Which of the two graphs the executable runs is open then: the modules of both stay loaded.
TEST(GraphExecs, AnUpdateThatFailsAfterItsEffectKeepsBothModules) {
    OWN_PROCESS();
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        SCOPED_TRACE(phase);
        ASSERT_OK(gs_trim());
        const size_t before = fake().live(FAKE_CUDA_MODULE);
        Stream stream = make_stream(0);
        uint32_t words[2] = {};
        Graph graph = make_counting_graph(&words[0]), other = make_counting_graph(&words[1]);
        GraphExec exec = instantiate(graph);
        gs_graph_update_t result{};
        result.struct_size = sizeof result;
        inject("cuGraphExecUpdate_v2", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_graph_exec_update(exec, other, &result));
        graph.reset();
        other.reset();
        ASSERT_OK(gs_trim());
        EXPECT_EQ(fake().live(FAKE_CUDA_MODULE), before + 2);
        run(exec, stream);
        EXPECT_EQ(words[phase == FAKE_CUDA_AFTER ? 1 : 0], 1u);
        exec.reset();
        ASSERT_OK(gs_trim());
        EXPECT_EQ(fake().live(FAKE_CUDA_MODULE), before);
        EXPECT_EQ(fake().violation_text(), "");
    }
}

// What a change brings in could not be kept by the right list, so it is refused until an update has worked.
TEST(GraphExecs, AnUpdateThatFailsAfterItsEffectLeavesFunctionsAsTheyAre) {
    OWN_PROCESS();
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        SCOPED_TRACE(phase);
        Stream stream = make_stream(0);
        Count first{0}, second{0}, set{0};
        Graph graph = make_graph(0), other = make_graph(0);
        const gs_node_t node = add_counting_node(graph, &first);
        add_counting_node(other, &second);
        GraphExec exec = instantiate(graph);
        gs_graph_update_t result{};
        result.struct_size = sizeof result;
        inject("cuGraphExecUpdate_v2", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_graph_exec_update(exec, other, &result));
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_graph_exec_set_node(exec, node, host_node(add_one, &set)));
        run(exec, stream);
        EXPECT_EQ(phase == FAKE_CUDA_AFTER ? second : first, 1);
        ASSERT_OK(gs_graph_exec_update(exec, other, &result));
        ASSERT_OK(gs_graph_exec_set_node(exec, node, host_node(add_one, &set)));
        run(exec, stream);
        EXPECT_EQ(set, 1);
        EXPECT_EQ(fake().violation_text(), "");
    }
}

// A host function that uses the executable which its thread is launching at that moment. A driver's launch may wait for it.
struct Asking {
    gs_graph_exec_t exec = nullptr;
    uintptr_t native = 0;

    static void ask(void *self) {
        auto &asking = *static_cast<Asking *>(self);
        while (fake().calls("cuGraphLaunch") == 0) std::this_thread::yield();
        EXPECT_OK(gs_graph_exec_retain(asking.exec));
        EXPECT_OK(gs_graph_exec_native(asking.exec, &asking.native));
    }
};

TEST(GraphExecs, AHostFunctionMayAskDuringALaunchThatWaitsForIt) {
    OWN_PROCESS({{"FAKE_CUDA_LAUNCHES_WAIT", "1"}});
    for (const bool shared : {false, true}) {
        SCOPED_TRACE(shared ? "of several threads" : "of one thread");
        Stream stream = make_stream(0);
        Graph graph = make_graph(0);
        gs_node_t node = 0;
        ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, empty_node(), &node));
        GraphExec exec = instantiate(graph);
        if (shared) std::thread([&] { run(exec, stream); }).join();
        fake().reset_calls();
        Asking asking;
        asking.exec = exec;
        ASSERT_OK(gs_stream_launch_host(stream, Asking::ask, &asking));
        run(exec, stream);
        EXPECT_NE(asking.native, 0u);
        exec.reset();
        EXPECT_OK(gs_graph_exec_launch(asking.exec, stream)) << "the function's reference";
        EXPECT_OK(gs_graph_exec_destroy(asking.exec));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_retain(asking.exec));
        uintptr_t native = 0;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_native(asking.exec, &native));
    }
}

} // namespace
} // namespace gs::test
