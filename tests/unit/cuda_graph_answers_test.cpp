// SPDX-License-Identifier: Apache-2.0
// What the driver says about graphs, in the form of the contract: reasons, parameters of nodes, flags.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "backend/cuda/graph/node_params.hpp"
#include "cuda_counted_functions.hpp"

namespace gs::cuda {
namespace {

constexpr GraphRef kAnswering{0, 0x7000};

CUDA_GRAPH_INSTANTIATE_PARAMS g_instantiation{}; // what the driver was given, and what it answers

class CudaGraphAnswers : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaGraphAnswers() : graphs_(*backend_.graphs()) {
        make_stream();
        g_instantiation = {};
        count_calls_of(g_driver.graph_exec_destroy);
        g_driver.graph_instantiate.pfn = [](CUgraphExec *exec, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
            g_instantiation.flags = params->flags;
            params->result_out = g_instantiation.result_out;
            params->hErrNode_out = g_instantiation.hErrNode_out;
            return g_script->call("cuGraphInstantiateWithParams", [&] {
                *exec = reinterpret_cast<CUgraphExec>(0x9000);
                return CUDA_SUCCESS;
            });
        };
    }
    Graphs &graphs_;
};

TEST_F(CudaGraphAnswers, FlagsOfInstantiation) {
    const struct {
        uint32_t flags;
        unsigned long long driver;
    } rows[] = {{0, 0},
                {GS_INSTANTIATE_AUTO_FREE, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH},
                {GS_INSTANTIATE_NODE_PRIORITY, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY},
                {GS_INSTANTIATE_AUTO_FREE | GS_INSTANTIATE_NODE_PRIORITY,
                 CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY}};
    for (const auto &row : rows) {
        uintptr_t exec = 0;
        GraphFailure failure;
        EXPECT_TRUE(graphs_.instantiate(thread(), kAnswering, row.flags, &exec, &failure).ok());
        EXPECT_EQ(g_instantiation.flags, row.driver);
        EXPECT_EQ(exec, 0x9000u);
    }
}

TEST_F(CudaGraphAnswers, AReasonIsTheGraphsAndNeverTheDevices) {
    const struct {
        CUgraphInstantiateResult reason;
        gs_status_t status;
        const char *text;
    } rows[] = {
        {CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, GS_ERROR_INVALID_ARGUMENT, "invalid structure"},
        {CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, GS_ERROR_INVALID_ARGUMENT, "operation is not supported"},
        {CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED, GS_ERROR_INVALID_ARGUMENT, "several contexts"},
        {CUDA_GRAPH_INSTANTIATE_ERROR, GS_ERROR_DRIVER, "cuGraphInstantiateWithParams failed"}};
    for (const auto &row : rows) {
        uintptr_t exec = 0;
        GraphFailure failure;
        g_instantiation.result_out = row.reason;
        g_instantiation.hErrNode_out = reinterpret_cast<CUgraphNode>(0x7100);
        fail("cuGraphInstantiateWithParams", CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(graphs_.instantiate(thread(), kAnswering, 0, &exec, &failure).code, row.status) << row.text;
        EXPECT_NE(std::strstr(detail().message, row.text), nullptr) << detail().message;
        EXPECT_STREQ(detail().native_function, "cuGraphInstantiateWithParams");
        EXPECT_EQ(failure.node, 0x7100u);
        EXPECT_EQ(exec, 0u);
        EXPECT_TRUE(backend_.health(0).ok());
    }
    EXPECT_EQ(calls("cuGraphExecDestroy"), 0);
}

// A failure of earlier work, told by a call that has worked. The thread's captures and those of others go on.
TEST_F(CudaGraphAnswers, AnExecutableOfACallThatFailedIsDestroyed) {
    uintptr_t exec = 0;
    GraphFailure failure;
    fail("cuGraphInstantiateWithParams", CUDA_ERROR_UNKNOWN, true);
    EXPECT_EQ(graphs_.instantiate(thread(), kAnswering, 0, &exec, &failure).code, GS_ERROR_DRIVER);
    EXPECT_EQ(calls("cuGraphExecDestroy"), 1);
    EXPECT_EQ(script_.mode_during["cuGraphExecDestroy"], CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(exec, 0u);
    fail("cuGraphInstantiateWithParams", CUDA_ERROR_UNKNOWN); // and it made none
    EXPECT_EQ(graphs_.instantiate(thread(), kAnswering, 0, &exec, &failure).code, GS_ERROR_DRIVER);
    EXPECT_EQ(calls("cuGraphExecDestroy"), 1);
}

// What it wrote in place of an executable is none, whatever it says of the reason.
TEST_F(CudaGraphAnswers, WhatAFailedCallWroteIsNoExecutable) {
    g_driver.graph_instantiate.pfn = [](CUgraphExec *exec, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
        *exec = reinterpret_cast<CUgraphExec>(0xA5A5);
        if (g_instantiation.result_out != CUDA_GRAPH_INSTANTIATE_SUCCESS)
            params->result_out = g_instantiation.result_out;
        return CUDA_ERROR_UNKNOWN;
    };
    for (const auto told : {CUDA_GRAPH_INSTANTIATE_SUCCESS /* nothing */, CUDA_GRAPH_INSTANTIATE_ERROR,
                            CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE}) {
        uintptr_t exec = 0;
        GraphFailure failure;
        g_instantiation.result_out = told;
        EXPECT_FALSE(graphs_.instantiate(thread(), kAnswering, 0, &exec, &failure).ok());
        EXPECT_EQ(exec, 0u);
    }
    EXPECT_EQ(calls("cuGraphExecDestroy"), 0);
}

TEST_F(CudaGraphAnswers, AnUpdateThatIsRefusedSaysWhere) {
    uintptr_t other = 0x7200;
    GraphFailure failure;
    g_driver.graph_exec_update.pfn = [](CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *info) {
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        info->errorNode = reinterpret_cast<CUgraphNode>(0x7300);
        return g_script->call("cuGraphExecUpdate", [] { return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE; });
    };
    EXPECT_EQ(graphs_.exec_update(thread(), kAnswering, other, &failure).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(failure.reason, GS_UPDATE_TOPOLOGY);
    EXPECT_EQ(failure.node, 0x7300u);
    EXPECT_EQ(detail().native_code, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    fail("cuGraphExecUpdate", CUDA_ERROR_INVALID_VALUE); // not for what the graphs have
    EXPECT_EQ(graphs_.exec_update(thread(), kAnswering, other, &failure).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(failure.reason, GS_UPDATE_OK);
    EXPECT_EQ(failure.node, 0u);
}

TEST_F(CudaGraphAnswers, WhetherANodeIsEnabled) {
    static unsigned answer = 0;
    g_driver.graph_node_get_enabled.pfn = [](CUgraphExec, CUgraphNode, unsigned *out) {
        *out = answer;
        return CUDA_SUCCESS;
    };
    for (const bool wanted : {true, false}) {
        bool enabled = !wanted;
        answer = wanted ? 1 : 0;
        EXPECT_TRUE(graphs_.exec_node_enabled(thread(), kAnswering, 0x7100, &enabled).ok());
        EXPECT_EQ(enabled, wanted);
    }
}

// The backend's nodes give unified addresses; other code's captures may have any of these.
TEST(CudaNodeParams, SidesOfACopy) {
    char bytes[8] = {};
    const auto address = reinterpret_cast<CUdeviceptr>(&bytes[0]);
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes;
    copy.srcXInBytes = 2;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = address;
    copy.dstXInBytes = 4;
    copy.WidthInBytes = 3;
    copy.Height = copy.Depth = 1;
    NodeParams out;
    from_memcpy_params(copy, &out);
    EXPECT_EQ(out.copy.src, bytes + 2);
    EXPECT_EQ(out.copy.dst, bytes + 4);
    EXPECT_EQ(out.copy.bytes, 3u);
    CUmemorytype CUDA_MEMCPY3D::*const sides[] = {&CUDA_MEMCPY3D::srcMemoryType, &CUDA_MEMCPY3D::dstMemoryType};
    for (const auto side : sides) {
        CUDA_MEMCPY3D array = copy;
        array.*side = CU_MEMORYTYPE_ARRAY;
        NodeParams none;
        from_memcpy_params(array, &none);
        EXPECT_EQ(none.copy.bytes, 0u) << "an array has no address";
    }
}

TEST(CudaNodeParams, CopiesOfSeveralDimensionsAreNotKnown) {
    char bytes[8] = {};
    CUDA_MEMCPY3D flat{};
    flat.srcMemoryType = flat.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    flat.srcDevice = flat.dstDevice = reinterpret_cast<CUdeviceptr>(&bytes[0]);
    flat.WidthInBytes = 4;
    size_t CUDA_MEMCPY3D::*const fields[] = {&CUDA_MEMCPY3D::Height, &CUDA_MEMCPY3D::Depth, &CUDA_MEMCPY3D::dstY,
                                             &CUDA_MEMCPY3D::dstZ,   &CUDA_MEMCPY3D::srcY,  &CUDA_MEMCPY3D::srcZ};
    for (const auto field : fields) {
        CUDA_MEMCPY3D copy = flat;
        copy.*field = 2;
        NodeParams out;
        from_memcpy_params(copy, &out);
        EXPECT_EQ(out.copy.bytes, 0u);
        EXPECT_EQ(out.copy.dst, nullptr);
    }
    NodeParams out;
    from_memcpy_params(flat, &out);
    EXPECT_EQ(out.copy.bytes, 4u);
}

TEST(CudaNodeParams, FillsOfSeveralRowsOrWiderElementsAreNotKnown) {
    CUDA_MEMSET_NODE_PARAMS_v1 fill{};
    fill.dst = 0x5000;
    fill.value = 0x1FF;
    fill.elementSize = 1;
    fill.width = 6;
    fill.height = 1;
    NodeParams bytes, rows, words;
    from_memset_params(fill, &bytes);
    EXPECT_EQ(bytes.fill.bytes, 6u);
    EXPECT_EQ(bytes.fill.value, 0xFFu);
    fill.height = 2;
    from_memset_params(fill, &rows);
    EXPECT_EQ(rows.fill.bytes, 0u);
    fill.height = 1;
    fill.elementSize = 4;
    from_memset_params(fill, &words);
    EXPECT_EQ(words.fill.bytes, 0u);
}

TEST(CudaNodeParams, KindsThatTheContractDoesNotName) {
    EXPECT_EQ(to_node_kind(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL), GS_NODE_OTHER);
    EXPECT_EQ(to_node_kind(CU_GRAPH_NODE_TYPE_MEM_ALLOC), GS_NODE_MALLOC);
    EXPECT_EQ(to_node_kind(CU_GRAPH_NODE_TYPE_MEM_FREE), GS_NODE_FREE);
}

} // namespace
} // namespace gs::cuda
#endif
