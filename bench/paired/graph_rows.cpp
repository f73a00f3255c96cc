// SPDX-License-Identifier: Apache-2.0
// Captures and graphs. Both sides capture the same kernels, so that the driver has the same to do.
#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr char kPtx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                        ".visible .entry add_one(.param .u64 word)\n{\n    ret;\n}\n";
constexpr int kRelaxed = 2;

// A kernel of each side, and a word that it is passed.
class KernelPair {
public:
    explicit KernelPair(const StreamPair &stream) : stream_(stream) {
        void *module = nullptr;
        (void)g_driver.set_context(g_driver.context);
        (void)g_driver.module_load(&module, kPtx); // the driver's copy ends with the process
        (void)g_driver.module_function(&theirs_, module, "add_one");
        StreamPair::restore();
        (void)gs_module_load(0, kPtx, sizeof kPtx, &module_);
        (void)gs_module_get_kernel(module_, "add_one", &ours_);
        (void)gs_malloc_async(sizeof(uint64_t), stream.ours, &word_);
        stream.settle();
    }
    ~KernelPair() {
        (void)gs_free_async(word_, stream_.ours);
        stream_.settle();
        (void)gs_module_destroy(module_);
    }
    KernelPair(const KernelPair &) = delete;
    KernelPair &operator=(const KernelPair &) = delete;

    int launch_theirs() { return g_driver.launch(theirs_, 1, 1, 1, 1, 1, 1, 0, stream_.theirs, arguments_, nullptr); }
    int launch_ours() {
        const gs_launch_config_t config = {sizeof config, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, nullptr};
        return gs_kernel_launch(ours_, &config, arguments_, stream_.ours);
    }
    // The graphs of a capture of so many kernels.
    int capture_theirs(int kernels, void **out) {
        int failed = g_driver.begin_capture(stream_.theirs, kRelaxed);
        for (int i = 0; i < kernels; ++i) failed |= launch_theirs();
        return failed | g_driver.end_capture(stream_.theirs, out);
    }
    int capture_ours(int kernels, gs_graph_t *out) {
        int failed = gs_stream_begin_capture(stream_.ours, GS_CAPTURE_RELAXED);
        for (int i = 0; i < kernels; ++i) failed |= launch_ours();
        return failed | gs_stream_end_capture(stream_.ours, out);
    }

private:
    const StreamPair &stream_;
    void *theirs_ = nullptr;
    gs_module_t module_ = nullptr;
    gs_kernel_t ours_ = nullptr;
    void *word_ = nullptr;
    void *arguments_[1] = {&word_};
};

void add_captures(Pairs &pairs, const StreamPair &stream, KernelPair &kernel) {
    const auto settle = [&] { stream.settle(); };
    for (const int kernels : {1, 10})
        pairs.add(
            kernels == 1 ? "capture of 1 kernel, end, destroy" : "capture of 10 kernels, end, destroy", 20,
            [&, kernels](int) {
                void *graph = nullptr;
                return kernel.capture_theirs(kernels, &graph) | g_driver.graph_destroy(graph);
            },
            [&, kernels](int) {
                gs_graph_t graph = nullptr;
                return kernel.capture_ours(kernels, &graph) | gs_graph_destroy(graph);
            },
            settle);
}

void add_launches(Pairs &pairs, const StreamPair &stream, KernelPair &kernel) {
    const auto settle = [&] { stream.settle(); };
    for (const int kernels : {1, 10}) {
        void *graph = nullptr, *exec = nullptr;
        gs_graph_t our_graph = nullptr;
        gs_graph_exec_t our_exec = nullptr;
        (void)g_driver.set_context(g_driver.context);
        (void)kernel.capture_theirs(kernels, &graph);
        (void)g_driver.instantiate(&exec, graph, 0);
        StreamPair::restore();
        (void)kernel.capture_ours(kernels, &our_graph);
        (void)gs_graph_instantiate(our_graph, 0, &our_exec);
        pairs.add(
            kernels == 1 ? "graph launch, 1 kernel" : "graph launch, 10 kernels", 20,
            [&](int) { return g_driver.graph_launch(exec, stream.theirs); },
            [&](int) { return gs_graph_exec_launch(our_exec, stream.ours); }, settle);
        pairs.add(
            kernels == 1 ? "instantiate and destroy, 1 kernel" : "instantiate and destroy, 10 kernels", 5,
            [&](int) {
                void *made = nullptr;
                const int failed = g_driver.instantiate(&made, graph, 0);
                return failed | g_driver.exec_destroy(made);
            },
            [&](int) {
                gs_graph_exec_t made = nullptr;
                const int failed = gs_graph_instantiate(our_graph, 0, &made);
                return failed | gs_graph_exec_destroy(made);
            },
            settle);
        stream.settle();
        (void)g_driver.exec_destroy(exec);
        (void)g_driver.graph_destroy(graph);
        (void)gs_graph_exec_destroy(our_exec);
        (void)gs_graph_destroy(our_graph);
    }
}

// What the driver says about an update; its second and third members are nodes.
struct UpdateResult {
    int result;
    void *node, *from;
};

void add_updates(Pairs &pairs, const StreamPair &stream, KernelPair &kernel) {
    void *graph = nullptr, *exec = nullptr;
    gs_graph_t our_graph = nullptr;
    gs_graph_exec_t our_exec = nullptr;
    (void)g_driver.set_context(g_driver.context);
    (void)kernel.capture_theirs(1, &graph);
    (void)g_driver.instantiate(&exec, graph, 0);
    StreamPair::restore();
    (void)kernel.capture_ours(1, &our_graph);
    (void)gs_graph_instantiate(our_graph, 0, &our_exec);
    pairs.add(
        "update of an executable, 1 kernel", 20,
        [&](int) {
            UpdateResult result{};
            return g_driver.exec_update(exec, graph, &result);
        },
        [&](int) {
            gs_graph_update_t result{};
            result.struct_size = sizeof result;
            return gs_graph_exec_update(our_exec, our_graph, &result);
        },
        [&] { stream.settle(); });
    stream.settle();
    (void)g_driver.exec_destroy(exec);
    (void)g_driver.graph_destroy(graph);
    (void)gs_graph_exec_destroy(our_exec);
    (void)gs_graph_destroy(our_graph);
}

} // namespace

void add_graph_rows(Pairs &pairs) {
    if (!g_driver.instantiate) return; // a driver without graphs
    StreamPair stream;
    KernelPair kernel(stream);
    add_captures(pairs, stream, kernel);
    add_launches(pairs, stream, kernel);
    add_updates(pairs, stream, kernel);
}

} // namespace paired
