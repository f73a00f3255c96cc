// SPDX-License-Identifier: Apache-2.0
// Graphs of the host engine by their nodes: conditions, updates, child graphs, memory, random shapes.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "unit/host_graph_support.hpp"

namespace gs::host {
namespace {

using ::testing::ElementsAre;

TEST_F(HostGraphTest, ConditionsDecideWhatRuns) {
    Graph *graph = nullptr;
    ASSERT_EQ(engine_->graph_create(device(), &graph), Result::Ok);
    GraphCondition *loop = nullptr, *choice = nullptr;
    ASSERT_EQ(engine_->condition_create(*graph, 3, true, &loop), Result::Ok);
    ASSERT_EQ(engine_->condition_create(*graph, 1, true, &choice), Result::Ok);
    GraphNode *repeat = nullptr, *pick = nullptr, *node = nullptr;
    ASSERT_EQ(engine_->graph_add_condition(*graph, *loop, ConditionType::While, 1, nullptr, 0, &repeat), Result::Ok);
    ASSERT_EQ(engine_->graph_add_condition(*graph, *choice, ConditionType::Switch, 2, &repeat, 1, &pick), Result::Ok);
    EXPECT_EQ(engine_->graph_add_condition(*graph, *loop, ConditionType::If, 1, nullptr, 0, &node),
              Result::InvalidValue)
        << "a condition decides about one node";
    struct Step {
        Trace *trace;
        GraphCondition *condition;
    } step{&trace_, loop};
    const auto add = [&](Graph &to, void (*run)(void *), void *arg) {
        NodeBody body;
        body.kind = NodeKind::Kernel;
        body.action = NodeAction::Task;
        body.device = &device();
        body.work = Ref<Work>(new Work(Task{run, nullptr, arg}));
        EXPECT_EQ(engine_->graph_add(to, body, nullptr, 0, &node), Result::Ok);
    };
    add(
        *repeat->graphs[0],
        [](void *arg) {
            auto &s = *static_cast<Step *>(arg);
            s.trace->add(static_cast<int>(s.condition->value--));
        },
        &step);
    add(*pick->graphs[0], [](void *trace) { static_cast<Trace *>(trace)->add(10); }, &trace_);
    add(*pick->graphs[1], [](void *trace) { static_cast<Trace *>(trace)->add(11); }, &trace_);
    add(*pick->graphs[1], [](void *trace) { static_cast<Trace *>(trace)->add(11); }, &trace_);
    GraphExec &exec = instantiate(*graph);
    EXPECT_EQ(engine_->graph_destroy(*repeat->graphs[0]), Result::InvalidValue);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    Stream &s = stream();
    launch(exec, s);
    mark(s, 20);
    launch(exec, s);
    engine_->exec_destroy(exec);
    sync(s);
    EXPECT_THAT(trace_.entries(), ElementsAre(3, 2, 1, 11, 11, 20, 3, 2, 1, 11, 11));
}

// The body's work, which might have ended the loop, is dropped.
TEST_F(HostGraphTest, ALoopEndsWithTheDeviceOfItsBody) {
    Graph *graph = nullptr;
    ASSERT_EQ(engine_->graph_create(device(), &graph), Result::Ok);
    GraphCondition *loop = nullptr, *once = nullptr;
    GraphNode *repeat = nullptr, *inner = nullptr, *node = nullptr;
    ASSERT_EQ(engine_->condition_create(*graph, 1, true, &loop), Result::Ok);
    ASSERT_EQ(engine_->condition_create(*graph, 1, true, &once), Result::Ok);
    ASSERT_EQ(engine_->graph_add_condition(*graph, *loop, ConditionType::While, 1, nullptr, 0, &repeat), Result::Ok);
    ASSERT_EQ(engine_->graph_add_condition(*repeat->graphs[0], *once, ConditionType::If, 1, nullptr, 0, &inner),
              Result::Ok);
    std::atomic<int> rounds{0};
    NodeBody body;
    body.kind = NodeKind::Kernel;
    body.action = NodeAction::Task;
    body.device = &device(1);
    body.work =
        Ref<Work>(new Work(Task{[](void *count) { ++*static_cast<std::atomic<int> *>(count); }, nullptr, &rounds}));
    ASSERT_EQ(engine_->graph_add(*inner->graphs[0], body, nullptr, 0, &node), Result::Ok);
    GraphExec &exec = instantiate(*graph);
    Stream &s = stream();
    launch(exec, s);
    mark(s, 1);
    while (rounds < 3) std::this_thread::yield();
    engine_->latch(device(1), FaultKind::Sticky, 700, "a kernel");
    sync(s);
    EXPECT_THAT(trace_.entries(), ElementsAre(1));
    engine_->exec_destroy(exec);
    engine_->clear_fault(device(1));
}

TEST_F(HostGraphTest, UpdatesAndParameters) {
    Stream &s = stream();
    unsigned char bytes[4] = {};
    const auto capture = [&](uint8_t value, bool twice) {
        EXPECT_EQ(engine_->capture_begin(s, {}), Result::Ok);
        EXPECT_EQ(engine_->fill(s, bytes, value, 2), Result::Ok);
        if (twice) {
            EXPECT_EQ(engine_->copy(s, bytes + 2, bytes, 2), Result::Ok);
        }
        return capture_end(s);
    };
    Graph *first = capture(1, true), *second = capture(2, true), *third = capture(3, false);
    GraphExec &exec = instantiate(*first);
    const uint64_t filling = first->nodes[0]->id, copying = first->nodes[1]->id;
    UpdateReport report;
    launch(exec, s);
    ASSERT_EQ(engine_->exec_update(exec, *second, &report), Result::Ok);
    sync(s);
    EXPECT_THAT(bytes, ElementsAre(1, 1, 1, 1));
    ASSERT_EQ(engine_->exec_enable(exec, copying, false), Result::Ok);
    launch(exec, s);
    sync(s);
    EXPECT_THAT(bytes, ElementsAre(2, 2, 1, 1));
    EXPECT_EQ(engine_->exec_update(exec, *third, &report), Result::GraphChanged);
    EXPECT_EQ(report.result, UpdateResult::TopologyChanged);
    NodeBody body = first->nodes[0]->body;
    body.fill.value = 0x0403;
    body.fill.element = 2;
    ASSERT_EQ(engine_->exec_set(exec, filling, body), Result::Ok);
    EXPECT_EQ(engine_->exec_set(exec, copying, body), Result::InvalidValue);
    EXPECT_EQ(engine_->exec_set(exec, 1, body), Result::InvalidValue);
    ASSERT_EQ(engine_->exec_enable(exec, copying, true), Result::Ok);
    launch(exec, s);
    sync(s);
    EXPECT_THAT(bytes, ElementsAre(3, 4, 3, 4));
    engine_->exec_destroy(exec);
}

TEST_F(HostGraphTest, LaunchesInACaptureBecomeChildGraphs) {
    Stream &s = stream();
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    mark(s, 1);
    GraphExec &inner = instantiate(*capture_end(s));
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    launch(inner, s);
    mark(s, 2);
    launch(inner, s);
    Graph *graph = capture_end(s);
    engine_->exec_destroy(inner);
    ASSERT_EQ(graph->nodes.size(), 3u);
    EXPECT_EQ(graph->nodes[0]->body.kind, NodeKind::Child);
    GraphExec &outer = instantiate(*graph);
    launch(outer, s);
    sync(s);
    EXPECT_THAT(trace_.entries(), ElementsAre(1, 2, 1));
    engine_->exec_destroy(outer);
}

TEST_F(HostGraphTest, GraphsBuiltByHandAndCycles) {
    Graph *graph = nullptr, *other = nullptr;
    ASSERT_EQ(engine_->graph_create(device(), &graph), Result::Ok);
    ASSERT_EQ(engine_->graph_create(device(), &other), Result::Ok);
    GraphNode *a = nullptr, *b = nullptr, *c = nullptr;
    NodeBody empty;
    empty.device = &device();
    ASSERT_EQ(engine_->graph_add(*graph, empty, nullptr, 0, &a), Result::Ok);
    ASSERT_EQ(engine_->graph_add(*graph, empty, &a, 1, &b), Result::Ok);
    EXPECT_EQ(engine_->graph_add(*other, empty, &a, 1, &c), Result::InvalidValue) << "another graph's node";
    EXPECT_EQ(engine_->graph_edge(*a, *b, true), Result::InvalidValue) << "there already";
    ASSERT_EQ(engine_->graph_edge(*b, *a, true), Result::Ok);
    GraphExec *exec = nullptr;
    EXPECT_EQ(engine_->exec_create(*graph, 0, &exec), Result::InvalidValue) << "a cycle";
    ASSERT_EQ(engine_->graph_edge(*b, *a, false), Result::Ok);
    EXPECT_EQ(engine_->exec_create(*graph, 0, &exec), Result::Ok);
    engine_->exec_destroy(*exec);
    const uint64_t id = a->id;
    EXPECT_EQ(engine_->find_node(id), a);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    EXPECT_EQ(engine_->find_node(id), nullptr);
    ASSERT_EQ(engine_->graph_destroy(*other), Result::Ok);
}

TEST_F(HostGraphTest, MemoryOfAGraph) {
    Stream &s = stream();
    void *inside = nullptr, *left = nullptr;
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    ASSERT_EQ(engine_->malloc_async(s, 64, &inside), Result::Ok);
    ASSERT_EQ(engine_->fill(s, inside, 7, 64), Result::Ok);
    ASSERT_EQ(engine_->malloc_async(s, 64, &left), Result::Ok);
    ASSERT_EQ(engine_->copy(s, left, inside, 64), Result::Ok);
    ASSERT_EQ(engine_->free_async(s, inside), Result::Ok);
    Graph *graph = capture_end(s);
    GraphExec &exec = instantiate(*graph);
    EXPECT_EQ(engine_->free_async(s, left), Result::InvalidValue) << "not allocated yet";
    launch(exec, s);
    EXPECT_EQ(engine_->exec_launch(exec, s), Result::MemoryLeft) << "what the last launch left is not freed";
    sync(s);
    EXPECT_EQ(static_cast<unsigned char *>(left)[63], 7);
    ASSERT_EQ(engine_->free_async(s, left), Result::Ok);
    launch(exec, s);
    engine_->exec_destroy(exec);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    sync(s);
    EXPECT_EQ(static_cast<unsigned char *>(left)[0], 7) << "outlives the graph";
    ASSERT_EQ(engine_->free_async(s, left), Result::Ok);
}

// What a launch has left, freed by a stream whose work still uses it, after its graph and executable have ended.
TEST_F(HostGraphTest, MemoryOfAGraphOutlivesTheWorkBeforeItsFree) {
    constexpr size_t kBytes = 64 << 20; // an allocation of this size is a mapping, which ends with it
    Stream &s = stream();
    void *memory = nullptr;
    ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
    ASSERT_EQ(engine_->malloc_async(s, kBytes, &memory), Result::Ok);
    Graph *graph = capture_end(s);
    GraphExec &exec = instantiate(*graph);
    launch(exec, s);
    sync(s);
    engine_->exec_destroy(exec);
    ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
    const auto page = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory) + kBytes / 2) & ~uintptr_t{65535});
    const auto mapped = [&] { return msync(page, 4096, MS_ASYNC) == 0; };
    {
        Gate gate(*engine_);
        gate.hold(s);
        ASSERT_EQ(engine_->fill(s, memory, 7, kBytes), Result::Ok);
        ASSERT_EQ(engine_->free_async(s, memory), Result::Ok);
        ASSERT_TRUE(mapped());
        EXPECT_EQ(engine_->free_async(s, memory), Result::InvalidValue) << "twice";
    }
    sync(s);
#if !defined(__SANITIZE_ADDRESS__) // which keeps what was freed
    EXPECT_FALSE(mapped());
#endif
}

TEST_F(HostGraphTest, RandomShapesKeepTheirOrder) {
    uint64_t state = 1;
    const auto random = [&](uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 33) % below;
    };
    for (int round = 0; round < 300; ++round) {
        constexpr int kNodes = 24;
        struct Point {
            std::atomic<int> *clock;
            std::atomic<int> when;
        };
        std::atomic<int> clock{0};
        static Point points[kNodes];
        Graph *graph = nullptr;
        ASSERT_EQ(engine_->graph_create(device(), &graph), Result::Ok);
        std::vector<GraphNode *> nodes;
        for (int i = 0; i < kNodes; ++i) {
            points[i].clock = &clock;
            NodeBody body;
            body.kind = NodeKind::Host;
            body.action = NodeAction::Task;
            body.device = &device(static_cast<int32_t>(random(2)));
            const auto run = [](void *arg) {
                auto &point = *static_cast<Point *>(arg);
                point.when = ++*point.clock;
            };
            body.work = Ref<Work>(new Work(Task{run, nullptr, &points[i]}));
            std::vector<GraphNode *> after;
            for (uint64_t n = random(4); n > 0 && i > 0; --n) after.push_back(nodes[random(static_cast<uint64_t>(i))]);
            nodes.push_back(nullptr);
            ASSERT_EQ(engine_->graph_add(*graph, body, after.data(), after.size(), &nodes.back()), Result::Ok);
        }
        GraphExec &exec = instantiate(*graph, random(2) == 0 ? uint32_t{kExecNodePriorities} : 0u);
        Stream &s = stream();
        launch(exec, s);
        launch(exec, s);
        sync(s);
        EXPECT_EQ(clock, 2 * kNodes);
        for (const GraphNode *node : nodes)
            for (const GraphNode *earlier : node->after)
                EXPECT_LT(points[earlier->index].when, points[node->index].when) << "round " << round;
        engine_->exec_destroy(exec);
        ASSERT_EQ(engine_->graph_destroy(*graph), Result::Ok);
        engine_->stream_destroy(s);
    }
}

} // namespace
} // namespace gs::host
