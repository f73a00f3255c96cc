// SPDX-License-Identifier: Apache-2.0
// Graphs that tests build node by node.
#pragma once

#include <cstring>
#include <vector>

#include "conformance/graphs.hpp"
#include "conformance/kernels.hpp"
#include "support/launches.hpp"

namespace gs::test {

using Nodes = std::vector<gs_node_t>;

// One launch, until it is done.
inline void run(gs_graph_exec_t exec, gs_stream_t stream) {
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
}

inline gs_node_t add_empty(gs_graph_t graph, const Nodes &after = {}) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), empty_node(), &node));
    return node;
}

inline gs_node_t add_host(gs_graph_t graph, const Nodes &after, void (*fn)(void *), void *arg) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), host_node(fn, arg), &node));
    return node;
}

inline gs_node_t add_memset(gs_graph_t graph, const Nodes &after, void *dst, int32_t value, size_t bytes) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), fill_node(dst, value, bytes), &node));
    return node;
}

inline gs_node_t add_memcpy(gs_graph_t graph, const Nodes &after, void *dst, const void *src, size_t bytes) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), copy_node(dst, src, bytes), &node));
    return node;
}

inline gs_node_params_t info_of(gs_graph_t graph, gs_node_t node) {
    gs_node_params_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_graph_node_info(graph, node, &info));
    return info;
}

inline gs_graph_summary_t info_of(gs_graph_t graph) {
    gs_graph_summary_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_graph_info(graph, &info));
    return info;
}

inline Nodes nodes_of(gs_graph_t graph) {
    size_t count = 0;
    EXPECT_OK(gs_graph_nodes(graph, nullptr, 0, &count));
    Nodes nodes(count);
    EXPECT_OK(gs_graph_nodes(graph, nodes.data(), nodes.size(), &count));
    EXPECT_EQ(count, nodes.size());
    return nodes;
}

// The kernels of kernels.hpp on the suite's backend.
class Kernels {
public:
    explicit Kernels(gs_backend_t kind, gs_device_t device = GS_DEVICE_CURRENT, const char *ptx = kPtx) {
        gs_module_t module = nullptr;
        if (kind == GS_BACKEND_HOST) {
            EXPECT_OK(gs_module_load(device, GS_TEST_HOST_KERNELS, 0, &module));
        } else {
            EXPECT_OK(gs_module_load(device, ptx, std::strlen(ptx) + 1, &module));
        }
        module_ = Module(module);
    }
    gs_kernel_t operator[](const char *name) const {
        gs_kernel_t kernel = nullptr;
        EXPECT_OK(gs_module_get_kernel(module_, name, &kernel));
        return kernel;
    }
    gs_module_t release() { return module_.release(); }

private:
    Module module_;
};

inline gs_launch_config_t one_thread() { return launch_of(1, 1); }

inline gs_node_t add_kernel(gs_graph_t graph, const Nodes &after, gs_kernel_t kernel, void **arguments) {
    const gs_launch_config_t config = one_thread();
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), kernel_node(kernel, &config, arguments), &node));
    return node;
}

// 32-bit words that kernels and the host can both use.
class Words {
public:
    explicit Words(size_t count) : bytes_(count * sizeof(uint32_t)) {}
    uint32_t *at(size_t i) { return reinterpret_cast<uint32_t *>(bytes_.at(0)) + i; }
    uint32_t operator[](size_t i) {
        uint32_t value = 0;
        std::memcpy(&value, at(i), sizeof value);
        return value;
    }
    void set(size_t i, uint32_t value) { std::memcpy(at(i), &value, sizeof value); }

private:
    Bytes bytes_;
};

} // namespace gs::test
