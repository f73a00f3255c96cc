// SPDX-License-Identifier: Apache-2.0
// Graphs and what the driver answers about them: questions that fail, and objects that nothing needs any more.
#include <atomic>
#include <thread>

#include "conformance/captures.hpp"
#include "conformance/kernels.hpp"
#include "fault/inject.hpp"
#include "handle/grace.hpp"
#include "support/foreign_event.hpp"
#include "support/launches.hpp"
#include "support/nodes.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// Makes the first, second, ... call of the function fail, until the question makes no further one. Each is reported.
template <typename Question>
void expect_failures_of(const char *function, Question &&question) {
    SCOPED_TRACE(function);
    uint64_t nth = 1;
    for (;; ++nth) {
        inject(function, FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT, nth);
        const gs_status_t status = question();
        const bool failed = fake().injected(nullptr, 0) != 0;
        fake().clear_fault();
        EXPECT_STATUS(failed ? GS_ERROR_DRIVER : GS_OK, status) << "call " << nth;
        if (!failed) break;
    }
    EXPECT_GT(nth, 1u);
}

// Its kernel adds 1 to the word.
Graph adding_graph(gs_module_t module, uint32_t *word) {
    const gs_launch_config_t one = launch_of(1, 1);
    Graph graph = make_graph(0);
    void *arguments[] = {&word};
    gs_kernel_t kernel = nullptr;
    gs_node_t node = 0;
    EXPECT_OK(gs_module_get_kernel(module, "add_one", &kernel));
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, kernel_node(kernel, &one, arguments), &node));
    return graph;
}

Module load() {
    gs_module_t module = nullptr;
    EXPECT_OK(gs_module_load(0, kPtx, sizeof kPtx, &module));
    return Module(module);
}

void run(gs_graph_exec_t exec) {
    Stream stream = make_stream(0);
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
}

} // namespace

TEST(GraphAnswers, NodesOfACaptureThatCannotBeAsked) {
    OWN_PROCESS();
    Bytes bytes(1);
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    bytes.set(stream, 0, 1);
    EXPECT_NE(info_of(stream).graph, nullptr);
    gs_node_t node = 0;
    size_t count = 0;
    for (const char *function : {kCaptureInfo, "cuStreamGetCaptureInfo_v3"}) // the capture, and its nodes
        expect_failures_of(function, [&] { return gs_stream_capture_nodes(stream, &node, 1, &count); });
    EXPECT_EQ(count, 1u);
    EXPECT_NE(node, 0u);
    EXPECT_NE(end_capture(stream).get(), nullptr);
}

TEST(GraphAnswers, AGraphThatCannotBeAsked) {
    OWN_PROCESS();
    Graph graph = make_graph(0);
    gs_node_t first = 0, second = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, empty_node(), &first));
    ASSERT_OK(gs_graph_add_node(graph, &first, 1, empty_node(), &second));
    gs_graph_summary_t info{};
    info.struct_size = sizeof info;
    for (const char *function : {"cuGraphGetNodes", "cuGraphGetEdges", "cuGraphNodeGetType"})
        expect_failures_of(function, [&] { return gs_graph_info(graph, &info); });
    EXPECT_EQ(info.node_count, 2u);
}

TEST(GraphAnswers, ACaptureThatEndsWithoutAGraphDestroysNone) {
    OWN_PROCESS();
    Bytes bytes(1);
    Stream stream = make_stream(0), side = make_stream(0);
    for (const bool seen : {false, true}) {
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        if (seen) EXPECT_NE(info_of(stream).graph, nullptr);
        ASSERT_OK(gs_stream_wait_stream(side, stream));
        bytes.set(side, 0, 1); // and never comes back
        gs_graph_t graph = nullptr;
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_end_capture(stream, &graph));
    }
    EXPECT_EQ(fake().calls("cuGraphDestroy"), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

// Other code has added a node for an event: what it is changed to is kept all the same.
TEST(GraphAnswers, AWaitOfOtherCodeChanges) {
    OWN_PROCESS();
    Graph graph = make_graph(0);
    uintptr_t native = 0;
    ASSERT_OK(gs_graph_native(graph, &native));
    ForeignEvent theirs(GS_BACKEND_CUDA);
    CUgraphNode added = nullptr;
    const auto add = fake().symbol<PFN_cuGraphAddEventWaitNode_v11010>("cuGraphAddEventWaitNode");
    ASSERT_EQ(add(&added, reinterpret_cast<CUgraph>(native), nullptr, 0, reinterpret_cast<CUevent>(theirs.native())),
              CUDA_SUCCESS);
    GraphExec exec = instantiate(graph);
    gs_node_t node = 0;
    size_t count = 0;
    ASSERT_OK(gs_graph_nodes(graph, &node, 1, &count));
    {
        Event event = make_event();
        ASSERT_OK(gs_graph_exec_set_node(exec, node, wait_node(event)));
    }
    run(exec);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(GraphAnswers, AnUpdateLetsGoOfTheModulesBefore) {
    OWN_PROCESS();
    Module before = load(), after = load();
    uint32_t word = 0;
    Graph graph = adding_graph(before, &word), changed = adding_graph(after, &word);
    GraphExec exec = instantiate(graph);
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    ASSERT_OK(gs_graph_exec_update(exec, changed, &update));
    ASSERT_EQ(update.reason, GS_UPDATE_OK);
    graph.reset();
    changed.reset();
    EXPECT_EQ(fake().live(FAKE_CUDA_MODULE), 2u);
    before.reset();
    after.reset();
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_MODULE), 1u) << "that of the present kernel";
    run(exec);
    EXPECT_EQ(word, 1u);
    exec.reset();
    ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_MODULE), 0u);
}

// The graph had the last reference to it, which ends on a thread of the library. A call of another thread may still have it.
TEST(GraphAnswers, AnEventThatAGraphHadIsDestroyedByOthers) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Graph graph = make_graph(0);
    const size_t events = fake().live(FAKE_CUDA_EVENT);
    {
        Event event = make_event();
        gs_node_t node = 0;
        ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(event), &node));
    }
    EXPECT_EQ(fake().live(FAKE_CUDA_EVENT), events + 1);
    std::atomic<bool> inside{false}, leave{false}, told{false};
    std::thread other([&] {
        EXPECT_TRUE(done(stream.get())); // attaches the thread
        const CallMark mark(*this_thread());
        inside = true;
        while (!leave) std::this_thread::yield();
    });
    while (!inside) std::this_thread::yield();
    graph.reset();
    while (fake().live(FAKE_CUDA_USER_OBJECT) != 0) std::this_thread::yield();
    const auto tell = [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; };
    ASSERT_OK(gs_stream_notify(stream, tell, &told)); // behind what the thread has to let go of
    while (!told) std::this_thread::yield();
    EXPECT_GT(fake().live(FAKE_CUDA_EVENT), events);
    leave = true;
    other.join();
    while (fake().live(FAKE_CUDA_EVENT) != events) ASSERT_OK(gs_trim());
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
