// SPDX-License-Identifier: Apache-2.0
// When the copies of gs_memcpy_batch_async() read their sources, as the checker has it.
#include <gmock/gmock.h>

#include "checker/pattern.hpp"

namespace gs::check::test {
namespace {

class CheckPatternOfCopies : public CheckPattern {
protected:
    gs_status_t put(int32_t order, gs_stream_t stream) {
        const gs_copy_t copies[] = {
            {other_bytes, buffer, 100}, {nullptr, nullptr, 0}, {other_bytes + 100, buffer + 100, 8}};
        return gs_memcpy_batch_async(copies, 3, order, stream);
    }
    static inline char other_bytes[256];
    static constexpr int32_t kOrders[] = {GS_ACCESS_ORDER_STREAM, GS_ACCESS_ORDER_DURING_CALL, GS_ACCESS_ORDER_ANY};
};

TEST_F(CheckPatternOfCopies, WhatTheStreamWroteBeforeIsReadInStreamOrderOnly) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(write(copy, "fill"));
        ASSERT_OK(put(order, copy));
        const auto reports = checking.reports();
        ASSERT_EQ(reports.size(), order == GS_ACCESS_ORDER_STREAM ? 0u : 2u) << order;
        if (order == GS_ACCESS_ORDER_ANY)
            EXPECT_THAT(reports[0].text, ::testing::HasSubstr("use GS_ACCESS_ORDER_STREAM, or synchronize stream"));
        if (order == GS_ACCESS_ORDER_DURING_CALL)
            EXPECT_THAT(reports[0].text, ::testing::HasSubstr("by the host thread"));
    }
}

TEST_F(CheckPatternOfCopies, AWaitOfTheStreamOrdersReadsInStreamOrderOnly) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(write(compute, "fill"));
        ASSERT_OK(gs_event_record(event, compute));
        ASSERT_OK(gs_stream_wait_event(copy, event));
        ASSERT_OK(put(order, copy));
        EXPECT_EQ(checking.count(), order == GS_ACCESS_ORDER_STREAM ? 0u : 2u) << order;
    }
}

TEST_F(CheckPatternOfCopies, WhatTheThreadKnowsIsDoneMayBeReadInAnyOrder) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(write(compute, "fill"));
        ASSERT_OK(gs_stream_synchronize(compute));
        ASSERT_OK(put(order, copy));
        EXPECT_EQ(checking.count(), 0u) << order;
    }
}

TEST_F(CheckPatternOfCopies, ALaterWriteNeedNotWaitForReadsDuringTheCall) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(put(order, copy));
        ASSERT_OK(write(compute, "next fill"));
        EXPECT_EQ(checking.count(), order == GS_ACCESS_ORDER_DURING_CALL ? 0u : 2u) << order;
    }
}

TEST_F(CheckPatternOfCopies, ALaterWriteMayComeBehindTheStream) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(put(order, copy));
        ASSERT_OK(gs_stream_wait_stream(compute, copy));
        ASSERT_OK(write(compute, "next fill"));
        ASSERT_OK(put(GS_ACCESS_ORDER_STREAM, compute));
        EXPECT_EQ(checking.count(), 0u) << order;
    }
}

TEST_F(CheckPatternOfCopies, TheTargetIsWrittenInStreamOrder) {
    for (const int32_t order : kOrders) {
        Checking checking;
        ASSERT_OK(gs_check_read(compute, other_bytes, sizeof other_bytes, "reader"));
        ASSERT_OK(gs_stream_wait_stream(copy, compute));
        ASSERT_OK(put(order, copy));
        EXPECT_EQ(checking.count(), 0u) << order;
        ASSERT_OK(gs_check_read(side, other_bytes, sizeof other_bytes, "late reader"));
        EXPECT_EQ(checking.count(), 2u) << order;
    }
}

TEST_F(CheckPatternOfCopies, LaunchesOfACaptureReadInTheirStream) {
    for (const int32_t order : {GS_ACCESS_ORDER_STREAM, GS_ACCESS_ORDER_ANY}) {
        Checking checking;
        gs_graph_t graph = nullptr;
        gs_graph_exec_t exec = nullptr;
        ASSERT_OK(gs_stream_begin_capture(copy, GS_CAPTURE_GLOBAL));
        ASSERT_OK(put(order, copy));
        ASSERT_OK(gs_stream_end_capture(copy, &graph));
        ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
        ASSERT_OK(write(copy, "fill"));
        ASSERT_OK(gs_graph_exec_launch(exec, copy));
        EXPECT_EQ(checking.count(), 0u);
        ASSERT_OK(write(compute, "next fill"));
        EXPECT_EQ(checking.count(), 2u);
        ASSERT_OK(gs_graph_exec_destroy(exec));
        ASSERT_OK(gs_graph_destroy(graph));
    }
}

} // namespace
} // namespace gs::check::test
