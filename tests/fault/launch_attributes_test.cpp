// SPDX-License-Identifier: Apache-2.0
// Attributes of launches on drivers and devices that lack them.
#include <gtest/gtest.h>

#include "conformance/kernels.hpp"
#include "fault/inject.hpp"
#include "support/launches.hpp"
#include "support/nodes.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

class Attributes {
public:
    Attributes() {
        EXPECT_OK(gs_module_load(0, kPtx, sizeof kPtx, &module_));
        EXPECT_OK(gs_module_get_kernel(module_, "add_one", &kernel));
    }
    ~Attributes() { EXPECT_OK(gs_module_destroy(module_)); }
    gs_status_t launch() { return gs_kernel_launch(kernel, &config, arguments, default_stream(0)); }
    gs_status_t add(gs_graph_t graph) {
        gs_node_t node = 0;
        return gs_graph_add_node(graph, nullptr, 0, kernel_node(kernel, &config, arguments), &node);
    }
    void refused(const char *text) {
        EXPECT_EQ(launch(), GS_ERROR_NOT_SUPPORTED);
        EXPECT_NE(last_text().find(text), std::string::npos) << last_text();
    }
    uint32_t added() {
        EXPECT_OK(gs_stream_synchronize(default_stream(0)));
        return *reinterpret_cast<uint32_t *>(word_.at(0));
    }

    gs_kernel_t kernel = nullptr;
    gs_launch_config_t config = launch_of(2, 1);

private:
    gs_module_t module_ = nullptr;
    Bytes word_{4};
    unsigned char *at_ = word_.at(0);

public:
    void *arguments[1] = {&at_};
};

TEST(LaunchAttributes, ADeviceBefore90HasSomeOfThem) {
    OWN_PROCESS({{"FAKE_CUDA_CAPABILITY", "8.6"}});
    Attributes attributes;
    attributes.config.cluster_x = 2;
    attributes.config.cluster_y = attributes.config.cluster_z = 1;
    attributes.refused("clusters, which begin with compute capability 9.0; leave cluster_x");
    attributes.config = launch_of(2, 1);
    attributes.config.flags = GS_LAUNCH_PROGRAMMATIC;
    attributes.refused("leave GS_LAUNCH_PROGRAMMATIC out");
    Event event = make_event(0);
    attributes.config = launch_of(2, 1);
    attributes.config.programmatic_event = event;
    attributes.refused("record the event behind the kernel");
    EXPECT_TRUE(done(event));
    attributes.config = launch_of(2, 1);
    attributes.config.flags = GS_LAUNCH_COOPERATIVE | GS_LAUNCH_PRIORITY | GS_LAUNCH_REMOTE_DOMAIN;
    EXPECT_OK(attributes.launch());
    EXPECT_EQ(attributes.added(), 1u);
    EXPECT_EQ(fake().calls("cuLaunchKernelEx"), 1u) << "what the device lacks is not tried";
}

TEST(LaunchAttributes, ADriverWithoutTheFunctionsLaunchesWithoutAttributes) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuLaunchKernelEx,cuGraphKernelNodeSetAttribute"}});
    Attributes attributes;
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_graph_create(0, &graph));
    attributes.config.flags = GS_LAUNCH_COOPERATIVE;
    attributes.refused("cuLaunchKernelEx");
    EXPECT_EQ(attributes.add(graph), GS_ERROR_NOT_SUPPORTED);
    EXPECT_NE(last_text().find("cuGraphKernelNodeSetAttribute"), std::string::npos) << last_text();
    attributes.config.flags = 0;
    EXPECT_OK(attributes.launch());
    EXPECT_OK(attributes.add(graph));
    EXPECT_EQ(attributes.added(), 1u);
    EXPECT_OK(gs_graph_destroy(graph));
}

TEST(LaunchAttributes, ANodeHasItsAttributesOrIsNotAdded) {
    OWN_PROCESS({});
    Attributes attributes;
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_graph_create(0, &graph));
    attributes.config.flags = GS_LAUNCH_PRIORITY | GS_LAUNCH_COOPERATIVE | GS_LAUNCH_REMOTE_DOMAIN;
    attributes.config.priority = -1000;
    attributes.config.cluster_x = 2;
    attributes.config.cluster_y = attributes.config.cluster_z = 1;
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0,
                                kernel_node(attributes.kernel, &attributes.config, attributes.arguments), &node));
    uintptr_t native = 0;
    ASSERT_OK(gs_graph_node_native(graph, node, &native));
    const auto get = fake().symbol<PFN_cuGraphKernelNodeGetAttribute_v11000>("cuGraphKernelNodeGetAttribute");
    const auto attribute = [&](CUlaunchAttributeID id) {
        CUlaunchAttributeValue value{};
        EXPECT_EQ(get(reinterpret_cast<CUgraphNode>(native), id, &value), CUDA_SUCCESS);
        return value;
    };
    EXPECT_EQ(attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative, 1);
    EXPECT_EQ(attribute(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim.x, 2u);
    EXPECT_EQ(attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority, -5) << "clamped";
    EXPECT_EQ(attribute(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        inject("cuGraphKernelNodeSetAttribute", phase, FAKE_CUDA_TRANSIENT, 2);
        EXPECT_EQ(attributes.add(graph), GS_ERROR_DRIVER);
    }
    size_t count = 0;
    EXPECT_OK(gs_graph_nodes(graph, nullptr, 0, &count));
    EXPECT_EQ(count, 1u);
    EXPECT_OK(gs_graph_destroy(graph));
}

} // namespace
} // namespace gs::test
