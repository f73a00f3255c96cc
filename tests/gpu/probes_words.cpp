// SPDX-License-Identifier: Apache-2.0
// P23: does a stream's write of a word land once, and before the host can see it? The host raises the word as soon as it
// sees the stream's value; a write that lands again later sets it back.
#include <atomic>
#include <thread>

#include "probe_driver.hpp"

namespace probes {
namespace {

struct Words {
    uint64_t *host = nullptr;
    CUdeviceptr device = 0;
    Words() {
        void *memory = nullptr;
        GS_MUST(d.mem_host_alloc(&memory, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
        host = static_cast<uint64_t *>(memory);
        *host = 0;
        GS_MUST(d.mem_host_get_device_pointer(&device, memory, 0));
    }
};

constexpr int kRounds = 50'000;

template <bool wide>
void host_raises_what_a_stream_wrote() {
    start();
    const Words words;
    const CUstream stream = new_stream();
    std::atomic_ref<uint64_t> word(*words.host);
    int set_back = 0, refused = 0;
    for (uint64_t n = 1; n <= kRounds; ++n) {
        const uint64_t written = 2 * n, raised = 2 * n + 1;
        GS_MUST(wide ? d.stream_write_value64(stream, words.device, written, 0)
                     : d.stream_write_value32(stream, words.device, static_cast<cuuint32_t>(written), 0));
        while (word.load(std::memory_order_acquire) != written) {}
        uint64_t seen = written;
        if (!word.compare_exchange_strong(seen, raised)) ++refused;
        if (n % 16 == 0) GS_MUST(d.stream_synchronize(stream));
        for (int i = 0; i < 2000; ++i)
            if (word.load(std::memory_order_acquire) != raised) {
                ++set_back;
                word.store(raised);
                break;
            }
    }
    GS_FINDING("%d writes of %d bits: the word was set back %d times, %d exchanges failed", kRounds, wide ? 64 : 32,
               set_back, refused);
}

// Two streams write in turn, each as soon as the host sees the other's value.
template <bool two_devices>
void streams_in_turn() {
    const CUcontext first = start();
    const Words words;
    CUstream streams[2] = {new_stream(), nullptr};
    int count = 0;
    GS_MUST(d.device_get_count(&count));
    if (two_devices && count < 2) {
        GS_FINDING("needs two devices");
        return;
    }
    CUcontext second = first;
    if (two_devices) GS_MUST(d.primary_ctx_retain(&second, 1));
    GS_MUST(d.ctx_set_current(second));
    streams[1] = new_stream();
    std::atomic_ref<uint64_t> word(*words.host);
    int set_back = 0;
    for (uint64_t n = 1; n <= kRounds; ++n) {
        GS_MUST(d.ctx_set_current(n % 2 ? second : first));
        GS_MUST(d.stream_write_value64(streams[n % 2], words.device, n, 0));
        for (uint64_t now = 0; (now = word.load(std::memory_order_acquire)) != n;)
            if (now != n - 1) {
                ++set_back;
                word.store(n);
            }
    }
    GS_FINDING("%d writes in turn: the word was set back %d times", kRounds, set_back);
}

} // namespace

const Probe kWordProbes[] = {
    {"P23.host.64", host_raises_what_a_stream_wrote<true>},
    {"P23.host.32", host_raises_what_a_stream_wrote<false>},
    {"P23.turn.1", streams_in_turn<false>},
    {"P23.turn.2", streams_in_turn<true>},
};
const int kWordProbeCount = static_cast<int>(sizeof kWordProbes / sizeof kWordProbes[0]);

} // namespace probes
