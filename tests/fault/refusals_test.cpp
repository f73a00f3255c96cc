// SPDX-License-Identifier: Apache-2.0
// Refusals of the driver beside those of a library that is led, and driver calls that must be made at once.
#include <thread>

#include "fault/inject.hpp"
#include "support/nodes.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

std::string last_message() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_last_error(&info));
    return info.message;
}

// The library's refusal is what the caller learns, although what it undoes fails too.
TEST(Refusals, ALibrarysIsReported) {
    OWN_PROCESS();
    ASSERT_OK(gs_set_current_device(0));
    Stream there = make_stream(1);
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "refuses";
    bridge.get = [](void *, int32_t, uintptr_t *) { return 0; };
    bridge.set = [](void *, int32_t, uintptr_t) { return 42; };
    int32_t id = 0;
    ASSERT_OK(gs_bridge_register(&bridge, &id));
    ASSERT_OK(gs_bridge_lead(id, 1));
    inject("cuCtxSetCurrent", FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT, 2);
    uint64_t scope = 0;
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_push_current_stream(there, &scope));
    EXPECT_NE(last_message().find("'refuses': its function set returned 42"), std::string::npos) << last_message();
    EXPECT_EQ(fake().injected(nullptr, 0), 1u);
    EXPECT_OK(gs_bridge_unregister(id));
}

// The driver adds a node, but refuses the edge that orders it before its condition. What the graph has afterwards.
size_t nodes_after_half_an_addition() {
    const uint32_t word = 0;
    gs_graph_t graph = nullptr, body = nullptr;
    gs_node_t condition = 0, node = 0;
    size_t nodes = 0;
    EXPECT_OK(gs_graph_create(0, 0, &graph));
    EXPECT_OK(add_condition(graph, nullptr, 0, GS_CONDITION_IF, 0, &condition, &body, 1));
    inject("cuGraphAddDependencies", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER,
                  gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, condition, &word), &node));
    EXPECT_EQ(node, 0u);
    EXPECT_NE(last_message().find("cuGraphAddDependencies"), std::string::npos) << last_message();
    EXPECT_OK(gs_graph_nodes(graph, nullptr, 0, &nodes));
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, condition, &word), &node));
    EXPECT_OK(gs_graph_destroy(graph));
    return nodes;
}

TEST(Refusals, ANodeThatIsNotWholeIsTakenBack) {
    OWN_PROCESS();
    EXPECT_EQ(nodes_after_half_an_addition(), 1u);
}

TEST(Refusals, ANodeThatCannotBeTakenBackChangesNoReport) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuGraphDestroyNode"}});
    EXPECT_EQ(nodes_after_half_an_addition(), 2u);
}

// Another thread has used it, so that a grace period has to pass.
TEST(Refusals, ADedicatedStreamEndsWithItsHandle) {
    OWN_PROCESS();
    Stream stream = make_stream(0, GS_STREAM_DEDICATED);
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(stream)); }).join();
    fake().reset_calls();
    stream.reset();
    EXPECT_EQ(fake().calls("cuStreamDestroy_v2"), 1u);
}

} // namespace
} // namespace gs::test
