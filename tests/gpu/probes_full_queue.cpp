// SPDX-License-Identifier: Apache-2.0
// P25: while a thread stands in a call at a full queue of the driver, does it answer others about their events? If it does not, a
// host's signal of a timeline that asks about an event may wait for the very stream that waits for the signal.
#include <atomic>
#include <chrono>
#include <thread>

#include "probe_driver.hpp"

namespace probes {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Call>
void time_of(const char *what, Call &&call) {
    const Clock::time_point begin = Clock::now();
    const CUresult result = call();
    GS_FINDING("%s: %d after %.1f us", what, static_cast<int>(result),
               std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
}

std::atomic<bool> g_function_may_leave{false};
void CUDA_CB hold_the_stream(void *) {
    while (!g_function_may_leave) std::this_thread::yield();
}

// Fills the queue of a held stream, which keeps the calling thread until the stream goes on.
class FullQueue {
public:
    explicit FullQueue(CUcontext context, CUstream stream) {
        CUdeviceptr memory = 0;
        GS_MUST(d.mem_alloc(&memory, 4096));
        thread_ = std::thread([this, context, stream, memory] {
            GS_MUST(d.ctx_set_current(context));
            for (; !stop_; ++submitted_) GS_MUST(d.memset_d8_async(memory, 1, 64, stream));
        });
        for (int last = -1; submitted_ != last || last == 0;) {
            last = submitted_;
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        GS_FINDING("the thread stands after %d calls", submitted_.load());
    }
    void end() {
        stop_ = true;
        thread_.join();
    }

private:
    std::atomic<int> submitted_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

template <bool by_function>
void ask_beside_a_full_queue() {
    const CUcontext context = start();
    const CUstream held = new_stream(), free = new_stream();
    const CUevent complete = new_event(), pending = new_event(), fresh = new_event();
    Gate gate;
    GS_MUST(d.event_record(complete, free));
    GS_MUST(d.stream_synchronize(free));
    if (by_function)
        GS_MUST(d.launch_host_func(held, hold_the_stream, nullptr));
    else
        gate.close(held);
    GS_MUST(d.event_record(pending, held));
    FullQueue full(context, held);
    time_of("query of a complete event", [&] { return d.event_query(complete); });
    time_of("query of a pending event", [&] { return d.event_query(pending); });
    time_of("record in another stream", [&] { return d.event_record(fresh, free); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    time_of("query of that record", [&] { return d.event_query(fresh); });
    g_function_may_leave = true;
    gate.open();
    full.end();
    GS_MUST(d.stream_synchronize(held));
}

} // namespace

const Probe kFullQueueProbes[] = {
    {"P25.word", ask_beside_a_full_queue<false>},
    {"P25.function", ask_beside_a_full_queue<true>},
};
const int kFullQueueProbeCount = static_cast<int>(sizeof kFullQueueProbes / sizeof kFullQueueProbes[0]);

} // namespace probes
