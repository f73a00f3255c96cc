// SPDX-License-Identifier: Apache-2.0
// Captures into bodies of conditions whose graph ends before them.
#include <gtest/gtest.h>

#include "unit/host_graph_support.hpp"

namespace gs::host {
namespace {

// The graph of a capture goes with the stream where it began, but not before other streams are captured into its bodies.
TEST_F(HostGraphTest, IntoABodyWhoseGraphEnds) {
    for (const bool destroyed : {false, true}) {
        Stream &s = stream(), &t = stream();
        Graph *around = nullptr;
        CaptureInfo info;
        if (destroyed) {
            ASSERT_EQ(engine_->graph_create(device(), &around), Result::Ok);
        } else {
            ASSERT_EQ(engine_->capture_begin(s, {}), Result::Ok);
            ASSERT_EQ(engine_->capture_info(s, &info), Result::Ok);
            around = info.graph;
        }
        const uint64_t outer = around->id;
        GraphCondition *condition = nullptr;
        GraphNode *node = nullptr, *beside = nullptr;
        NodeBody empty;
        empty.device = &device();
        ASSERT_EQ(engine_->graph_add(*around, empty, nullptr, 0, &beside), Result::Ok);
        ASSERT_EQ(engine_->condition_create(*around, 1, true, &condition), Result::Ok);
        ASSERT_EQ(engine_->graph_add_condition(*around, *condition, ConditionType::If, 1, nullptr, 0, &node),
                  Result::Ok);
        const uint64_t inner = node->graphs[0]->id;
        ASSERT_EQ(engine_->capture_begin(t, {.into = node->graphs[0].get()}), Result::Ok);
        EXPECT_EQ(engine_->sleep(t, 1), Result::Ok);
        uint64_t captured = 0;
        size_t count = 0;
        ASSERT_EQ(engine_->capture_nodes(t, &captured, 1, &count), Result::Ok);
        EXPECT_EQ(engine_->graph_remove(*node), Result::InvalidValue);
        EXPECT_EQ(engine_->graph_remove(*beside), Result::InvalidValue);
        if (destroyed) {
            ASSERT_EQ(engine_->graph_destroy(*around), Result::Ok);
        } else {
            engine_->stream_destroy(s);
        }
        EXPECT_EQ(engine_->find_graph(outer), nullptr);
        EXPECT_EQ(engine_->find_graph(inner), nullptr);
        ASSERT_NE(engine_->find_node(captured), nullptr) << "it lives";
        ASSERT_EQ(engine_->capture_info(t, &info), Result::Ok);
        EXPECT_EQ(info.state, CaptureState::Broken) << "no caller can have what it captures";
        EXPECT_EQ(engine_->sleep(t, 1), Result::CaptureInvalidated);
        EXPECT_EQ(engine_->find_node(captured)->graph->nodes.size(), 1u);
        Graph *none = nullptr;
        EXPECT_EQ(engine_->capture_end(t, 0, &none), Result::CaptureInvalidated);
        EXPECT_EQ(engine_->find_node(captured), nullptr);
        EXPECT_EQ(engine_->sleep(t, 1), Result::Ok) << "captured no more";
        sync(t);
    }
}

} // namespace
} // namespace gs::host
