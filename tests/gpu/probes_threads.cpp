// SPDX-License-Identifier: Apache-2.0
// P27: does the driver bear a call on a stream while other threads begin and end captures of that stream?
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "probe_driver.hpp"

namespace probes {
namespace {

struct Used {
    CUstream stream;
    CUevent event; // recorded there, and waited for
    CUdeviceptr memory;
};

CUresult host_function(const Used &used) {
    return d.launch_host_func(used.stream, [](void *) {}, nullptr);
}
CUresult record(const Used &used) { return d.event_record(used.event, used.stream); }
CUresult fill(const Used &used) { return d.memset_d8_async(used.memory, 1, 64, used.stream); }
CUresult wait(const Used &used) { return d.stream_wait_event(used.stream, used.event, 0); }

template <CUresult (*call)(const Used &)>
void beside_captures() {
    const CUcontext context = start();
    Used used{new_stream(), new_event(), 0};
    GS_MUST(d.mem_alloc(&used.memory, 64));
    std::atomic<bool> stop{false};
    std::atomic<long> calls{0}, captures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, captures_it = i % 2 != 0] {
            GS_MUST(d.ctx_set_current(context));
            while (!stop) {
                if (!captures_it) {
                    (void)call(used);
                    ++calls;
                } else if (d.stream_begin_capture(used.stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS) {
                    CUgraph graph = nullptr;
                    ++captures;
                    (void)d.stream_end_capture(used.stream, &graph);
                    if (graph) GS_MUST(d.graph_destroy(graph));
                }
            }
        });
    }
    std::this_thread::sleep_for(std::chrono::seconds(4));
    stop = true;
    for (std::thread &thread : threads) thread.join();
    GS_FINDING("%ld calls beside %ld captures of their stream: no crash", calls.load(), captures.load());
}

} // namespace

const Probe kThreadProbes[] = {
    {"P27.function", beside_captures<host_function>},
    {"P27.record", beside_captures<record>},
    {"P27.fill", beside_captures<fill>},
    {"P27.wait", beside_captures<wait>},
};
const int kThreadProbeCount = static_cast<int>(sizeof kThreadProbes / sizeof kThreadProbes[0]);

} // namespace probes
