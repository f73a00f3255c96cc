// SPDX-License-Identifier: Apache-2.0
// The text that DotWriter makes, in whatever pieces it leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/status.hpp"
#include "core/graph/graph_calls.hpp"

namespace gs {
namespace {

struct Sink {
    std::string text;
    int calls = 0;
    int stop_at = 0; // the call that refuses; 0: none

    static gs_status_t write(void *arg, const char *text, size_t bytes) {
        auto &sink = *static_cast<Sink *>(arg);
        if (++sink.calls == sink.stop_at) return GS_ERROR_SYSTEM;
        sink.text.append(text, bytes);
        return GS_OK;
    }
};

} // namespace

TEST(DotWriter, NodesEdgesAndGraphsInside) {
    Sink sink;
    DotWriter dot(Sink::write, &sink);
    ASSERT_TRUE(dot.begin("two").ok());
    ASSERT_TRUE(dot.node(7, "box", "copy\n64 bytes").ok());
    ASSERT_TRUE(dot.node(8, "diamond", "while").ok());
    ASSERT_TRUE(dot.edge(7, 8).ok());
    ASSERT_TRUE(dot.begin_inside(8, 0, "body").ok());
    ASSERT_TRUE(dot.node(9, "box", "kernel").ok());
    ASSERT_TRUE(dot.end_inside().ok());
    EXPECT_EQ(sink.calls, 0) << "the text is short: it leaves at once, at the end";
    ASSERT_TRUE(dot.end().ok());
    EXPECT_EQ(sink.calls, 1);
    EXPECT_EQ(sink.text, "digraph \"two\" {\n"
                         "  node [shape=box, fontname=\"sans-serif\"];\n"
                         "  compound=true;\n"
                         "  n7 [shape=box, label=\"copy\\n64 bytes\"];\n"
                         "  n8 [shape=diamond, label=\"while\"];\n"
                         "  n7 -> n8;\n"
                         "  n8 -> p8_0 [style=dashed, lhead=cluster_8_0];\n"
                         "  subgraph cluster_8_0 {\n"
                         "    label=\"body\";\n"
                         "    p8_0 [shape=point, style=invis];\n"
                         "    n9 [shape=box, label=\"kernel\"];\n"
                         "  }\n"
                         "}\n");
}

TEST(DotWriter, LabelsMayHoldAnything) {
    Sink sink;
    DotWriter dot(Sink::write, &sink);
    ASSERT_TRUE(dot.begin("\"quoted\" \\ title").ok());
    ASSERT_TRUE(dot.node(1, "box", "operator\"\"_x<a>{b|c}\\n").ok());
    ASSERT_TRUE(dot.end().ok());
    EXPECT_NE(sink.text.find("digraph \"\\\"quoted\\\" \\\\ title\" {"), std::string::npos) << sink.text;
    EXPECT_NE(sink.text.find("label=\"operator\\\"\\\"_x<a>{b|c}\\\\n\"];"), std::string::npos) << sink.text;
}

TEST(DotWriter, LongTextsComeInPiecesThatFitTogether) {
    Sink sink;
    DotWriter dot(Sink::write, &sink);
    const std::string long_label(10'000, 'x');
    ASSERT_TRUE(dot.begin("long").ok());
    ASSERT_TRUE(dot.node(1, "box", long_label.c_str()).ok());
    for (uint64_t i = 2; i < 1000; ++i) ASSERT_TRUE(dot.edge(i - 1, i).ok());
    ASSERT_TRUE(dot.end().ok());
    EXPECT_GT(sink.calls, 2);
    EXPECT_NE(sink.text.find("\"" + long_label + "\""), std::string::npos);
    EXPECT_EQ(std::count(sink.text.begin(), sink.text.end(), '\n'), 3 + 1 + 998 + 1);
}

TEST(DotWriter, ARefusalEndsTheText) {
    for (int stop_at = 1; stop_at <= 3; ++stop_at) {
        Sink sink;
        sink.stop_at = stop_at;
        DotWriter dot(Sink::write, &sink);
        Status status = dot.begin("refused");
        for (uint64_t i = 1; status.ok() && i < 10'000; ++i) status = dot.node(i, "box", "label");
        EXPECT_EQ(status.code, GS_ERROR_SYSTEM);
        EXPECT_NE(std::string(pending_text()).find("returned 41"), std::string::npos) << pending_text();
        EXPECT_EQ(dot.end().code, GS_ERROR_SYSTEM);
        EXPECT_EQ(sink.calls, stop_at) << "it is not called again";
    }
}

TEST(DotWriter, DeepGraphsStayReadable) {
    Sink sink;
    DotWriter dot(Sink::write, &sink);
    ASSERT_TRUE(dot.begin("deep").ok());
    for (uint64_t i = 1; i <= 40; ++i) {
        ASSERT_TRUE(dot.node(i, "diamond", "if").ok());
        ASSERT_TRUE(dot.begin_inside(i, 1, "else").ok());
    }
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(dot.end_inside().ok());
    ASSERT_TRUE(dot.end().ok());
    EXPECT_EQ(std::count(sink.text.begin(), sink.text.end(), '{'), 41);
    EXPECT_EQ(std::count(sink.text.begin(), sink.text.end(), '}'), 41);
}

} // namespace gs
