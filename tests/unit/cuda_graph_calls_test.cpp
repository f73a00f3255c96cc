// SPDX-License-Identifier: Apache-2.0
// What calls on graphs have in common: a lost device is asked nothing, and errors name a function that fails or that the driver
// lacks.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "backend/graphs.hpp"
#include "cuda_counted_functions.hpp"

namespace gs::cuda {
namespace {

constexpr GraphRef kAnyGraph{0, 0x7000};
constexpr uintptr_t kAnyNode = 0x7100;

struct GraphCall {
    const char *function; // the driver's
    Status (*call)(Graphs &graphs, ThreadBlock &thread);
    void (*remove)();
};

Status add_node(Graphs &graphs, ThreadBlock &thread, int32_t kind) {
    NodeParams params;
    uintptr_t node = 0;
    params.kind = kind;
    params.copy.bytes = params.fill.bytes = 1;
    return graphs.node_add(thread, kAnyGraph, nullptr, 0, params, &node);
}
template <int32_t kind>
Status adds(Graphs &graphs, ThreadBlock &thread) {
    return add_node(graphs, thread, kind);
}

Status set_node(Graphs &graphs, ThreadBlock &thread, int32_t kind) {
    NodeParams params;
    params.kind = kind;
    params.copy.bytes = params.fill.bytes = 1;
    return graphs.exec_set_node(thread, kAnyGraph, kAnyNode, params);
}
template <int32_t kind>
Status sets(Graphs &graphs, ThreadBlock &thread) {
    return set_node(graphs, thread, kind);
}

CUgraphNodeType g_node_type = CU_GRAPH_NODE_TYPE_EMPTY; // what the driver answers about kAnyNode

Status ask_degrees(Graphs &graphs, ThreadBlock &thread) {
    size_t earlier = 0, later = 0;
    return graphs.node_degrees(thread, kAnyGraph, kAnyNode, &earlier, &later);
}

template <CUgraphNodeType type>
Status ask_node(Graphs &graphs, ThreadBlock &thread) {
    NodeParams params;
    g_node_type = type;
    return graphs.node_params(thread, kAnyGraph, kAnyNode, &params);
}

#define GS_DRIVER_CALL(field, call) {decltype(g_driver.field)::name, call, [] { take_away(g_driver.field); }}

const GraphCall kGraphCalls[] = {
    GS_DRIVER_CALL(graph_create,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       uintptr_t graph = 0;
                       return graphs.graph_create(thread, 0, &graph);
                   }),
    GS_DRIVER_CALL(graph_clone,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       uintptr_t graph = 0;
                       return graphs.graph_clone(thread, kAnyGraph, &graph);
                   }),
    GS_DRIVER_CALL(graph_add_dependencies,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       return graphs.add_edges(thread, kAnyGraph, &kAnyNode, &kAnyNode, 1);
                   }),
    GS_DRIVER_CALL(graph_destroy_node,
                   [](Graphs &graphs, ThreadBlock &thread) { return graphs.node_remove(thread, kAnyGraph, kAnyNode); }),
    GS_DRIVER_CALL(graph_conditional_handle_create,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       uint64_t handle = 0;
                       return graphs.condition_create(thread, kAnyGraph, 0, &handle);
                   }),
    GS_DRIVER_CALL(graph_get_nodes,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       size_t count = 0;
                       return graphs.graph_nodes(thread, kAnyGraph, nullptr, 0, &count);
                   }),
    GS_DRIVER_CALL(graph_get_edges,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       size_t count = 0;
                       return graphs.graph_edges(thread, kAnyGraph, nullptr, nullptr, 0, &count);
                   }),
    GS_DRIVER_CALL(graph_add_empty_node, adds<GS_NODE_EMPTY>),
    GS_DRIVER_CALL(graph_add_host_node, adds<GS_NODE_HOST>),
    GS_DRIVER_CALL(graph_add_kernel_node, adds<GS_NODE_KERNEL>),
    GS_DRIVER_CALL(graph_add_memcpy_node, adds<GS_NODE_MEMCPY>),
    GS_DRIVER_CALL(graph_add_memset_node, adds<GS_NODE_MEMSET>),
    GS_DRIVER_CALL(graph_add_event_record_node, adds<GS_NODE_RECORD>),
    GS_DRIVER_CALL(graph_add_event_wait_node, adds<GS_NODE_WAIT>),
    GS_DRIVER_CALL(graph_add_child_graph_node, adds<GS_NODE_GRAPH>),
    GS_DRIVER_CALL(graph_add_node, adds<GS_NODE_CONDITION>),
    GS_DRIVER_CALL(graph_kernel_node_get_params, ask_node<CU_GRAPH_NODE_TYPE_KERNEL>),
    GS_DRIVER_CALL(graph_memcpy_node_get_params, ask_node<CU_GRAPH_NODE_TYPE_MEMCPY>),
    GS_DRIVER_CALL(graph_memset_node_get_params, ask_node<CU_GRAPH_NODE_TYPE_MEMSET>),
    GS_DRIVER_CALL(graph_host_node_get_params, ask_node<CU_GRAPH_NODE_TYPE_HOST>),
    GS_DRIVER_CALL(graph_event_record_node_get_event, ask_node<CU_GRAPH_NODE_TYPE_EVENT_RECORD>),
    GS_DRIVER_CALL(graph_event_wait_node_get_event, ask_node<CU_GRAPH_NODE_TYPE_WAIT_EVENT>),
    GS_DRIVER_CALL(graph_child_graph_node_get_graph, ask_node<CU_GRAPH_NODE_TYPE_GRAPH>),
    GS_DRIVER_CALL(graph_node_get_type, ask_node<CU_GRAPH_NODE_TYPE_EMPTY>),
    GS_DRIVER_CALL(graph_node_get_dependent_nodes, ask_degrees),
    GS_DRIVER_CALL(graph_node_get_dependencies, ask_degrees),
    GS_DRIVER_CALL(graph_instantiate,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       uintptr_t exec = 0;
                       GraphFailure failure;
                       return graphs.instantiate(thread, kAnyGraph, 0, &exec, &failure);
                   }),
    GS_DRIVER_CALL(graph_exec_update,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       GraphFailure failure;
                       return graphs.exec_update(thread, kAnyGraph, kAnyGraph.native, &failure);
                   }),
    GS_DRIVER_CALL(graph_exec_kernel_node_set_params, sets<GS_NODE_KERNEL>),
    GS_DRIVER_CALL(graph_exec_memcpy_node_set_params, sets<GS_NODE_MEMCPY>),
    GS_DRIVER_CALL(graph_exec_memset_node_set_params, sets<GS_NODE_MEMSET>),
    GS_DRIVER_CALL(graph_exec_host_node_set_params, sets<GS_NODE_HOST>),
    GS_DRIVER_CALL(graph_exec_event_record_node_set_event, sets<GS_NODE_RECORD>),
    GS_DRIVER_CALL(graph_exec_event_wait_node_set_event, sets<GS_NODE_WAIT>),
    GS_DRIVER_CALL(
        graph_node_set_enabled,
        [](Graphs &graphs, ThreadBlock &thread) { return graphs.exec_enable_node(thread, kAnyGraph, kAnyNode, true); }),
    GS_DRIVER_CALL(graph_node_get_enabled,
                   [](Graphs &graphs, ThreadBlock &thread) {
                       bool enabled = true;
                       return graphs.exec_node_enabled(thread, kAnyGraph, kAnyNode, &enabled);
                   }),
};
#undef GS_DRIVER_CALL

class CudaGraphCalls : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaGraphCalls() : graphs_(*backend_.graphs()) {
        make_stream(); // the context
        count_calls_of(g_driver.graph_create, g_driver.graph_destroy, g_driver.graph_clone,
                       g_driver.graph_add_dependencies, g_driver.graph_destroy_node,
                       g_driver.graph_conditional_handle_create, g_driver.graph_get_nodes, g_driver.graph_get_edges,
                       g_driver.graph_instantiate, g_driver.graph_exec_destroy, g_driver.graph_exec_update,
                       g_driver.graph_node_set_enabled, g_driver.graph_node_get_enabled,
                       g_driver.graph_node_get_dependencies, g_driver.graph_node_get_dependent_nodes);
        count_calls_of(g_driver.graph_add_empty_node, g_driver.graph_add_host_node, g_driver.graph_add_kernel_node,
                       g_driver.graph_add_memcpy_node, g_driver.graph_add_memset_node,
                       g_driver.graph_add_event_record_node, g_driver.graph_add_event_wait_node,
                       g_driver.graph_add_child_graph_node, g_driver.graph_add_node);
        count_calls_of(g_driver.graph_kernel_node_get_params, g_driver.graph_memcpy_node_get_params,
                       g_driver.graph_memset_node_get_params, g_driver.graph_host_node_get_params,
                       g_driver.graph_event_record_node_get_event, g_driver.graph_event_wait_node_get_event,
                       g_driver.graph_child_graph_node_get_graph);
        count_calls_of(g_driver.graph_exec_kernel_node_set_params, g_driver.graph_exec_memcpy_node_set_params,
                       g_driver.graph_exec_memset_node_set_params, g_driver.graph_exec_host_node_set_params,
                       g_driver.graph_exec_event_record_node_set_event, g_driver.graph_exec_event_wait_node_set_event);
        g_driver.graph_node_get_type.pfn = [](CUgraphNode, CUgraphNodeType *type) {
            return g_script->call("cuGraphNodeGetType", [&] {
                *type = g_node_type;
                return CUDA_SUCCESS;
            });
        };
    }
    Status make(const GraphCall &call) {
        script_.calls.clear();
        return call.call(graphs_, thread());
    }
    Graphs &graphs_;
};

TEST_F(CudaGraphCalls, WorkAndAFailureNamesTheFunction) {
    for (const GraphCall &call : kGraphCalls) {
        SCOPED_TRACE(call.function);
        EXPECT_TRUE(make(call).ok()) << detail().message;
        EXPECT_EQ(calls(call.function), 1);
        fail(call.function, CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(make(call).code, GS_ERROR_DRIVER);
        EXPECT_STREQ(detail().native_function, call.function);
        EXPECT_TRUE(script_.stack.empty());
    }
    EXPECT_TRUE(backend_.health(0).ok()) << "not a sticky error";
}

TEST_F(CudaGraphCalls, AMissingFunctionIsNamed) {
    for (const GraphCall &call : kGraphCalls) {
        SCOPED_TRACE(call.function);
        call.remove();
        EXPECT_EQ(make(call).code, GS_ERROR_NOT_SUPPORTED);
        EXPECT_STREQ(detail().native_function, call.function);
        EXPECT_NE(std::strstr(detail().message, call.function), nullptr) << detail().message;
        EXPECT_TRUE(script_.stack.empty());
    }
}

TEST_F(CudaGraphCalls, ALostDeviceIsAskedNothing) {
    latch_lost(g_devices[0], "a test");
    for (const GraphCall &call : kGraphCalls) {
        SCOPED_TRACE(call.function);
        EXPECT_EQ(make(call).code, GS_ERROR_CONTEXT_LOST);
        EXPECT_NE(std::strstr(detail().origin, "a test"), nullptr) << detail().origin;
        EXPECT_EQ(script_.total(), 0);
    }
}

// Graphs are host memory: they are destroyed whatever has become of the device.
TEST_F(CudaGraphCalls, DestroysOfALostDeviceAndOfADriverThatHasEnded) {
    for (const bool ended : {true, false}) {
        if (ended) {
            fail("cuGraphDestroy", CUDA_ERROR_DEINITIALIZED);
            fail("cuGraphExecDestroy", CUDA_ERROR_DEINITIALIZED);
        } else {
            latch_lost(g_devices[0], "a test");
        }
        EXPECT_TRUE(graphs_.graph_destroy(thread(), kAnyGraph).ok());
        EXPECT_TRUE(graphs_.exec_destroy(thread(), kAnyGraph).ok());
        EXPECT_EQ(calls("cuGraphDestroy"), ended ? 1 : 2);
        EXPECT_EQ(calls("cuGraphExecDestroy"), 1) << "that of a lost device went with its context";
    }
    take_away(g_driver.graph_destroy, g_driver.graph_exec_destroy);
    EXPECT_EQ(graphs_.graph_destroy(thread(), kAnyGraph).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_STREQ(detail().native_function, "cuGraphDestroy");
    EXPECT_EQ(graphs_.exec_destroy(thread(), kAnyGraph).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_STREQ(detail().native_function, "cuGraphExecDestroy");
}

TEST_F(CudaGraphCalls, KernelsCopiesAndFillsNeedTheContext) {
    script_.stack = {ScriptedDriver::context_of(1)};
    for (const int32_t kind : {GS_NODE_KERNEL, GS_NODE_MEMCPY, GS_NODE_MEMSET})
        for (const bool add : {false, true}) {
            fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
            EXPECT_EQ((add ? add_node : set_node)(graphs_, thread(), kind).code, GS_ERROR_DRIVER);
            EXPECT_STREQ(detail().native_function, "cuCtxPushCurrent");
            EXPECT_TRUE((add ? add_node : set_node)(graphs_, thread(), kind).ok());
            EXPECT_EQ(script_.stack.size(), 1u);
        }
    EXPECT_EQ(script_.current_during["cuGraphAddKernelNode"], ScriptedDriver::context_of(0));
    EXPECT_EQ(script_.current_during["cuGraphExecMemsetNodeSetParams"], ScriptedDriver::context_of(0));
    fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
    uint64_t handle = 0;
    EXPECT_EQ(graphs_.condition_create(thread(), kAnyGraph, 0, &handle).code, GS_ERROR_DRIVER);
    EXPECT_EQ(calls("cuGraphConditionalHandleCreate"), 0);
}

// A kernel with more shared memory than usual needs a permission first.
TEST_F(CudaGraphCalls, NoNodeWithoutThePermissionForItsSharedMemory) {
    NodeParams params;
    uintptr_t node = 0;
    params.kind = GS_NODE_KERNEL;
    params.kernel.config.shared_memory_bytes = 100'000;
    EXPECT_EQ(graphs_.node_add(thread(), kAnyGraph, nullptr, 0, params, &node).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_STREQ(detail().native_function, "cuFuncSetAttribute");
    EXPECT_EQ(graphs_.exec_set_node(thread(), kAnyGraph, kAnyNode, params).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_STREQ(detail().native_function, "cuFuncSetAttribute");
    EXPECT_EQ(calls("cuGraphAddKernelNode") + calls("cuGraphExecKernelNodeSetParams"), 0);
}

TEST_F(CudaGraphCalls, KindsThatCannotBeAddedOrChanged) {
    EXPECT_EQ(add_node(graphs_, thread(), GS_NODE_OTHER).code, GS_ERROR_INTERNAL);
    EXPECT_EQ(set_node(graphs_, thread(), GS_NODE_OTHER).code, GS_ERROR_INTERNAL);
    EXPECT_NE(std::strstr(detail().message, "cannot be changed"), nullptr) << detail().message;
    EXPECT_EQ(script_.total() - calls("cuCtxGetCurrent") - calls("cuCtxPushCurrent") - calls("cuCtxPopCurrent") -
                  calls("cuDevicePrimaryCtxGetState") - calls("cuCtxGetId"),
              0);
}

} // namespace
} // namespace gs::cuda
#endif
