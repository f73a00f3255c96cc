// SPDX-License-Identifier: Apache-2.0
// P19 (what a user object costs the launches of a graph), P20 (modules unloaded below a launch), P21 (which calls on graphs
// wait while a host function holds a stream).
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "probe_driver.hpp"

namespace probes {
namespace {

constexpr char kPtx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 word)\n{\n    ret;\n}\n"
    ".visible .entry busy(.param .u64 word, .param .u64 ns)\n{\n"
    "    .reg .u64 %rd<6>;\n    .reg .u32 %r<2>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [word];\n    ld.param.u64 %rd2, [ns];\n    mov.u64 %rd3, %globaltimer;\n"
    "again:\n    mov.u64 %rd4, %globaltimer;\n    sub.u64 %rd5, %rd4, %rd3;\n"
    "    setp.lt.u64 %p, %rd5, %rd2;\n    @%p bra again;\n"
    "    mov.u32 %r1, 7;\n    st.global.u32 [%rd1], %r1;\n    ret;\n}\n";

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::atomic<int> g_released{0};
void released(void *) { ++g_released; }

// A stream, and kernels of a module of its own.
struct Ground {
    CUstream stream = new_stream();
    CUmodule module = nullptr;
    CUfunction nothing = nullptr, busy = nullptr;
    CUdeviceptr word = 0;

    Ground() {
        GS_MUST(d.module_load_data_ex(&module, kPtx, 0, nullptr, nullptr));
        GS_MUST(d.module_get_function(&nothing, module, "nothing"));
        GS_MUST(d.module_get_function(&busy, module, "busy"));
        GS_MUST(d.mem_alloc(&word, 64));
    }
    CUgraph captured(int kernels) {
        CUgraph graph = nullptr;
        void *arguments[] = {&word};
        GS_MUST(d.stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        for (int i = 0; i < kernels; ++i)
            GS_MUST(d.launch_kernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
        GS_MUST(d.stream_end_capture(stream, &graph));
        return graph;
    }
};

void attach(CUgraph graph) {
    CUuserObject object = nullptr;
    GS_MUST(d.user_object_create(&object, nullptr, released, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    GS_MUST(d.graph_retain_user_object(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
}

CUgraphExec executable(CUgraph graph) {
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    CUgraphExec exec = nullptr;
    GS_MUST(d.graph_instantiate(&exec, graph, &params));
    return exec;
}

void update(CUgraphExec exec, CUgraph graph) {
    CUgraphExecUpdateResultInfo info{};
    GS_MUST(d.graph_exec_update(exec, graph, &info));
}

// P19. The launches of several executables in turn.
template <int kernels>
void launches_with_user_objects() {
    start();
    Ground ground;
    struct Row {
        const char *name;
        CUgraphExec exec;
        std::vector<double> times;
    };
    std::vector<Row> rows;
    CUgraph plain = ground.captured(kernels);
    rows.push_back({"no user object", executable(plain), {}});
    CUgraph one = ground.captured(kernels);
    attach(one);
    rows.push_back({"one", executable(one), {}});
    CUgraph ten = ground.captured(kernels);
    for (int i = 0; i < 10; ++i) attach(ten);
    rows.push_back({"ten", executable(ten), {}});
    CUgraph gone = ground.captured(kernels);
    attach(gone);
    rows.push_back({"one, its graph destroyed", executable(gone), {}});
    GS_MUST(d.graph_destroy(gone));
    CUgraph late = ground.captured(kernels);
    rows.push_back({"one that the graph got after the executable", executable(late), {}});
    attach(late);
    rows.push_back({"none, then updated from a graph with one", executable(plain), {}});
    update(rows.back().exec, one);
    rows.push_back({"one, then updated from a graph without", executable(one), {}});
    update(rows.back().exec, plain);
    constexpr int kRounds = 400, kLaunches = 20;
    for (int round = 0; round < kRounds; ++round)
        for (Row &row : rows) {
            const double begin = now_ns();
            for (int i = 0; i < kLaunches; ++i) GS_MUST(d.graph_launch(row.exec, ground.stream));
            row.times.push_back((now_ns() - begin) / kLaunches);
            GS_MUST(d.stream_synchronize(ground.stream));
        }
    for (Row &row : rows) {
        std::sort(row.times.begin(), row.times.end());
        GS_FINDING("%2d kernels, %-44s %5.0f ns per launch", kernels, row.name, row.times[row.times.size() / 2]);
    }
}

// P20. A kernel of 300 ms in a graph that is gone, and so is its executable.
void unload_below_a_launch() {
    start();
    Ground ground;
    unsigned long long nanoseconds = 300'000'000;
    void *arguments[] = {&ground.word, &nanoseconds};
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.func = ground.busy;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
    GS_MUST(d.graph_create(&graph, 0));
    GS_MUST(d.graph_add_kernel_node(&node, graph, nullptr, 0, &params));
    const CUgraphExec exec = executable(graph);
    GS_MUST(d.memset_d8_async(ground.word, 0, 4, ground.stream));
    GS_MUST(d.graph_launch(exec, ground.stream));
    GS_MUST(d.graph_exec_destroy(exec));
    GS_MUST(d.graph_destroy(graph));
    const CUresult pending = d.stream_query(ground.stream);
    const double begin = now_ns();
    const CUresult result = d.module_unload(ground.module);
    GS_FINDING("the stream is busy (%d); cuModuleUnload -> %d after %.0f ms; then the stream -> %d", pending, result,
               (now_ns() - begin) / 1e6, d.stream_query(ground.stream));
    GS_MUST(d.stream_synchronize(ground.stream));
}

// P21. Calls on a graph of one kind of node, made while a host function holds the stream of the launch, or another one.
struct Hold {
    std::atomic<bool> inside{false}, open{false};
    static void wait(void *self) {
        auto &hold = *static_cast<Hold *>(self);
        hold.inside = true;
        while (!hold.open) usleep(100);
    }
    void close(CUstream stream) {
        inside = open = false;
        GS_MUST(d.launch_host_func(stream, wait, this));
        while (!inside) usleep(100);
    }
};

enum class What { Kernel, Copy, Fill };

CUgraph graph_of(What what, Ground &ground, unsigned char *pinned) {
    CUcontext context = nullptr;
    CUgraph graph = nullptr;
    CUgraphNode node = nullptr;
    GS_MUST(d.ctx_get_current(&context));
    GS_MUST(d.graph_create(&graph, 0));
    void *arguments[] = {&ground.word};
    CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
    kernel.func = ground.nothing;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(pinned);
    copy.dstDevice = copy.srcDevice + 8;
    copy.WidthInBytes = copy.Height = copy.Depth = 1;
    CUDA_MEMSET_NODE_PARAMS_v1 fill{};
    fill.dst = reinterpret_cast<CUdeviceptr>(pinned);
    fill.elementSize = 1;
    fill.width = 1;
    fill.height = 1;
    switch (what) {
    case What::Kernel: GS_MUST(d.graph_add_kernel_node(&node, graph, nullptr, 0, &kernel)); break;
    case What::Copy: GS_MUST(d.graph_add_memcpy_node(&node, graph, nullptr, 0, &copy, context)); break;
    case What::Fill: GS_MUST(d.graph_add_memset_node(&node, graph, nullptr, 0, &fill, context)); break;
    }
    return graph;
}

template <What what, bool same_stream>
void calls_beside_a_held_stream() {
    start();
    Ground ground;
    void *memory = nullptr;
    GS_MUST(d.mem_host_alloc(&memory, 64, CU_MEMHOSTALLOC_PORTABLE));
    auto *pinned = static_cast<unsigned char *>(memory);
    const CUstream held = same_stream ? ground.stream : new_stream();
    CUgraph graph = graph_of(what, ground, pinned);
    const CUgraphExec before = executable(graph);
    GS_MUST(d.graph_launch(before, ground.stream));
    GS_MUST(d.stream_synchronize(ground.stream));
    CUgraphExec fresh = nullptr;
    static Hold hold;
    const struct {
        const char *name;
        std::function<CUresult()> call;
    } calls[] = {
        {"memset on page-locked memory",
         [&] { return d.memset_d8_async(reinterpret_cast<CUdeviceptr>(pinned), 1, 1, ground.stream); }},
        {"launch of an executable that has run", [&] { return d.graph_launch(before, ground.stream); }},
        {"a second launch of it", [&] { return d.graph_launch(before, ground.stream); }},
        {"instantiate", [&] { return (fresh = executable(graph)) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN; }},
        {"upload", [&] { return d.graph_upload(fresh, ground.stream); }},
        {"launch of the new one", [&] { return d.graph_launch(fresh, ground.stream); }},
        {"destroy of the new one", [&] { return d.graph_exec_destroy(fresh); }},
    };
    for (const auto &each : calls) {
        hold.close(held);
        std::atomic<bool> over{false};
        std::thread opener([&] {
            for (int i = 0; i < 2000 && !over; ++i) usleep(1000);
            hold.open = true;
        });
        const double begin = now_ns();
        const CUresult result = each.call();
        const double milliseconds = (now_ns() - begin) / 1e6;
        over = true;
        opener.join();
        GS_MUST(d.ctx_synchronize());
        GS_FINDING("%s: -> %d, %s", each.name, result,
                   milliseconds > 1500 ? "WAITS for the held stream" : "does not wait for the held stream");
    }
}

} // namespace

const Probe kGraphProbes[] = {
    {"P19.1", launches_with_user_objects<1>},
    {"P19.10", launches_with_user_objects<10>},
    {"P20", unload_below_a_launch},
    {"P21.kernel.same", calls_beside_a_held_stream<What::Kernel, true>},
    {"P21.kernel.other", calls_beside_a_held_stream<What::Kernel, false>},
    {"P21.copy.same", calls_beside_a_held_stream<What::Copy, true>},
    {"P21.copy.other", calls_beside_a_held_stream<What::Copy, false>},
    {"P21.fill.same", calls_beside_a_held_stream<What::Fill, true>},
    {"P21.fill.other", calls_beside_a_held_stream<What::Fill, false>},
};
const int kGraphProbeCount = static_cast<int>(sizeof kGraphProbes / sizeof kGraphProbes[0]);

} // namespace probes
