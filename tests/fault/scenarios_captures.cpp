// SPDX-License-Identifier: Apache-2.0
// Host functions in a graph that other code captures and launches. That code runs on a thread of its own, so that no
// fault is injected into its calls.
#include <atomic>
#include <deque>
#include <thread>

#include "fault/fake_driver.hpp"
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

// Makes calls as another library of the process would.
template <typename Calls>
void elsewhere(Calls &&calls) {
    std::thread(calls).join();
}

class Graph {
public:
    explicit Graph(gs_stream_t stream) {
        uintptr_t native = 0;
        if (gs_stream_native(stream, &native) == GS_OK) stream_ = reinterpret_cast<CUstream>(native);
    }
    ~Graph() {
        elsewhere([this] {
            if (capturing_) end();
            if (exec_) (void)fake().symbol<PFN_cuGraphExecDestroy_v10000>("cuGraphExecDestroy")(exec_);
            if (graph_) (void)fake().symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph_);
        });
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;

    bool begin() {
        elsewhere([this] {
            const auto begin = fake().symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
            capturing_ = begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS;
        });
        return capturing_;
    }
    bool instantiate() {
        elsewhere([this] {
            const auto make = fake().symbol<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags");
            end();
            if (graph_ && make(&exec_, graph_, 0) != CUDA_SUCCESS) exec_ = nullptr;
        });
        return exec_ != nullptr;
    }
    bool launch() {
        CUresult result = CUDA_ERROR_UNKNOWN;
        elsewhere([&] { result = fake().symbol<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(exec_, stream_); });
        return result == CUDA_SUCCESS;
    }

private:
    void end() {
        (void)fake().symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream_, &graph_);
        capturing_ = false;
    }

    CUstream stream_ = nullptr;
    CUgraph graph_ = nullptr;
    CUgraphExec exec_ = nullptr;
    bool capturing_ = false;
};

void count_one(void *count) { ++*static_cast<std::atomic<int> *>(count); }

// Functions whose launch failed never run. The others run at each launch of the graph.
void captured_host_functions(Run &run) {
    static std::deque<std::atomic<int>> counts; // a run that ends early leaves its functions behind
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    Graph graph(stream);
    if (!graph.begin()) return;
    std::atomic<int> &first = counts.emplace_back(0), &second = counts.emplace_back(0);
    const bool one = run.step("gs_stream_launch_host(captured)", GS_OK,
                              [&] { return gs_stream_launch_host(stream, count_one, &first); });
    const bool two = run.step("gs_stream_launch_host(captured)", GS_OK,
                              [&] { return gs_stream_launch_host(stream, count_one, &second); });
    if (!graph.instantiate()) return;
    int launches = 0;
    for (; launches < 3 && graph.launch(); ++launches) DO(gs_stream_synchronize(stream));
    if (first != (one ? launches : 0) || second != (two ? launches : 0))
        run.complaints.push_back("a captured function ran " + std::to_string(first) + " and one " +
                                 std::to_string(second) + " times in " + std::to_string(launches) + " launches");
}

} // namespace

std::vector<Scenario> capture_scenarios() { return {{"captured_host_functions", captured_host_functions}}; }

} // namespace gs::test
