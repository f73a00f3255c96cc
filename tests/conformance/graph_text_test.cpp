// SPDX-License-Identifier: Apache-2.0
// The text of a graph: every kind of node, what is inside nodes, and a function that stops taking it.
#include <gmock/gmock.h>

#include <string>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct TextTaker {
    std::string text;
    int refuses_at = 0; // the call that is refused, from 1 on; 0: none
    int calls = 0;

    static gs_status_t take(void *arg, const char *piece, size_t bytes) {
        auto &self = *static_cast<TextTaker *>(arg);
        if (++self.calls == self.refuses_at) return GS_ERROR_CANCELLED;
        self.text.append(piece, bytes);
        return GS_OK;
    }
};

std::string text_of(gs_graph_t graph) {
    TextTaker taker;
    EXPECT_OK(gs_graph_write_dot(graph, TextTaker::take, &taker));
    return taker.text;
}

void no_work_in_text(void *) {}

} // namespace

TEST_P(Conformance, RowGraph_TextNamesEveryKind) {
    Kernels kernels(GetParam());
    Words words(2);
    Stream stream = make_stream();
    Event event = make_event(), recorded = make_event(GS_EVENT_EXTERNAL);
    ASSERT_OK(gs_event_record(recorded, stream));
    Graph graph = make_graph(), child = make_graph();
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    gs_node_t node = 0;
    add_memcpy(child, {}, words.at(1), words.at(0), 4);
    const gs_node_t filled = add_memset(graph, {}, words.at(0), 0, 8);
    const gs_node_t counted = add_kernel(graph, {filled}, kernels["add_one"], arguments);
    const gs_node_t called = add_host(graph, {counted}, no_work_in_text, nullptr);
    ASSERT_OK(gs_graph_add_node(graph, &called, 1, wait_node(recorded), &node));
    ASSERT_OK(gs_graph_add_node(graph, &called, 1, record_node(event), &node));
    ASSERT_OK(gs_graph_add_node(graph, &called, 1, graph_node(child), &node));
    add_empty(graph, {node});
    const std::string text = text_of(graph);
    for (const char *part :
         {"digraph \"graph\" {", "label=\"fill 8 bytes\"", "kernel add_one\\ngrid 1 x 1 x 1", "label=\"host function\"",
          "label=\"wait for event\"", "label=\"record event\"", "label=\"graph\"", "shape=circle, label=\"empty\"",
          "n1 -> n2;", "subgraph cluster_6_0 {", "label=\"copy 4 bytes\""})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_EQ(text.substr(text.size() - 2), "}\n");
}

TEST_P(Conformance, RowGraph_TextHasTheNames) {
    Event event = make_event(), recorded = make_event(GS_EVENT_EXTERNAL);
    Stream stream = make_stream();
    ASSERT_OK(gs_event_record(recorded, stream));
    Graph graph = make_graph(), child = make_graph();
    ASSERT_OK(gs_graph_set_name(graph, "the \"step\""));
    ASSERT_OK(gs_graph_set_name(child, "decode"));
    ASSERT_OK(gs_event_set_name(event, "done"));
    ASSERT_OK(gs_event_set_name(recorded, "uploaded"));
    add_empty(child);
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, wait_node(recorded), &node));
    EXPECT_EQ(info_of(graph, node).kind, GS_NODE_WAIT);
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(event), &node));
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, graph_node(child), &node));
    ASSERT_OK(gs_event_set_name(event, "another"));
    const std::string text = text_of(graph);
    for (const char *part :
         {"digraph \"the \\\"step\\\"\" {", "label=\"wait for event uploaded\"", "label=\"record event done\"",
          "[shape=box, label=\"graph decode\"]", "    label=\"graph decode\";"})
        EXPECT_THAT(text, HasSubstr(part));
}

TEST_P(Conformance, RowGraph_TextShowsBodiesOfConditions) {
    GS_NEEDS_CONDITIONS();
    Words words(1);
    Graph graph = make_graph();
    const Condition either = add_condition(graph, {}, GS_CONDITION_IF, 0, 2);
    const Condition loop = add_condition(either.bodies[0], {}, GS_CONDITION_WHILE, 0, 1);
    const Condition choice = add_condition(graph, {either.node}, GS_CONDITION_SWITCH, 0, 2);
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, choice.node, words.at(0)), &node));
    add_memset(loop.bodies[0], {}, words.at(0), 0, 4);
    EXPECT_EQ(info_of(graph, node).src, words.at(0)) << "the word that decides";
    const std::string text = text_of(graph);
    for (const char *part : {"shape=diamond, label=\"if\"", "shape=diamond, label=\"while\"",
                             "shape=diamond, label=\"switch\"", "label=\"then\"", "label=\"else\"", "label=\"body\"",
                             "label=\"case\"", "label=\"set condition\"", "label=\"fill 4 bytes\""})
        EXPECT_THAT(text, HasSubstr(part));
}

// What a capture has put into a graph: memory, and the delay of gs_stream_sleep().
TEST_P(Conformance, RowGraph_TextOfACapture) {
    Stream stream = make_stream();
    void *memory = nullptr;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_malloc_async(64, stream, &memory));
    ASSERT_OK(gs_memset_async(memory, 1, 64, stream));
    ASSERT_OK(gs_stream_sleep(stream, 10));
    ASSERT_OK(gs_free_async(memory, stream));
    Graph graph = end_capture(stream), outer = make_graph();
    const std::string text = text_of(graph);
    for (const char *part : {"label=\"allocate\"", "label=\"fill 64 bytes\"", "label=\"kernel", "label=\"free\""})
        EXPECT_THAT(text, HasSubstr(part));
    gs_node_t node = 0;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "allocate or free", outer, nullptr, 0, graph_node(graph),
                 &node);
    EXPECT_THAT(text_of(outer), Not(HasSubstr("n1")));
}

TEST_P(Conformance, RowGraph_CapturedKernelsHaveNames) {
    Kernels kernels(GetParam());
    Words words(1);
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    const gs_launch_config_t config = launch_of(1, 1);
    Stream stream = make_stream();
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_kernel_launch(kernels["add_one"], &config, arguments, stream));
    Graph captured = end_capture(stream);
    gs_graph_t clone = nullptr;
    ASSERT_OK(gs_graph_clone(captured, &clone));
    Graph copy(clone);
    for (gs_graph_t graph : {static_cast<gs_graph_t>(captured), clone}) {
        gs_node_t node = 0;
        size_t nodes = 0;
        ASSERT_OK(gs_graph_nodes(graph, &node, 1, &nodes));
        ASSERT_EQ(nodes, 1u);
        EXPECT_STREQ(info_of(graph, node).name, "add_one");
        EXPECT_THAT(text_of(graph), HasSubstr("kernel add_one\\ngrid 1 x 1 x 1"));
    }
}

// Wherever the text is when the function refuses it, the caller has the function's status, and the function is called no more.
TEST_P(Conformance, RowGraph_TextThatIsRefused) {
    constexpr int kChildren = 24, kMostPieces = 3;
    Bytes bytes(1000); // a driver looks whether it is so large
    Graph child = make_graph();
    gs_node_t node = 0;
    add_empty(child, {add_empty(child)});
    for (const size_t size : {1, 10, 100, 1000})
        for (int more = 0; more < 13; ++more) { // the pieces end at other places
            Graph graph = make_graph();
            add_memset(graph, {}, bytes.at(0), 0, size);
            for (int i = 0; i < more; ++i) add_empty(graph);
            for (int i = 0; i < kChildren; ++i)
                ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, graph_node(child), &node));
            const std::string whole = text_of(graph);
            int pieces = 0;
            for (int at = 1; at <= kMostPieces; ++at) {
                TextTaker taker;
                taker.refuses_at = at;
                const gs_status_t status = gs_graph_write_dot(graph, TextTaker::take, &taker);
                if (status == GS_OK) break; // fewer pieces
                ++pieces;
                ASSERT_STATUS(GS_ERROR_CANCELLED, status);
                ASSERT_EQ(taker.calls, at);
                ASSERT_EQ(whole.substr(0, taker.text.size()), taker.text);
                ASSERT_THAT(last_text(), HasSubstr("the function that receives the text returned"));
            }
            ASSERT_GT(pieces, 1) << "a text of one piece shows little";
        }
}

} // namespace gs::test
