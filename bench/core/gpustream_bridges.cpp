// SPDX-License-Identifier: Apache-2.0
// Raw handles and bridges. The library that is led and followed keeps a thread-local word, which costs what PyTorch's C
// functions do or less.
#include "gpustream_bridges.hpp"
#include "gpustream_objects.hpp"

namespace bench {
namespace {

thread_local uintptr_t t_theirs = 0;

int32_t get(void *, int32_t, uintptr_t *out_native) {
    *out_native = t_theirs;
    return 0;
}

int32_t set(void *, int32_t, uintptr_t native) {
    t_theirs = native;
    return 0;
}

// Registered by the first thread, before the clock starts.
class Bridge {
public:
    explicit Bridge(const benchmark::State &state) : mine_(state.thread_index() == 0) {
        if (!mine_) return;
        gs_bridge_t bridge{};
        bridge.struct_size = sizeof bridge;
        bridge.name = "benchmark";
        bridge.get = get;
        bridge.set = set;
        failed = gs_bridge_register(&bridge, &id_);
    }
    ~Bridge() {
        if (mine_) gs_bridge_unregister(id_);
        t_theirs = 0;
    }
    Bridge(const Bridge &) = delete;
    Bridge &operator=(const Bridge &) = delete;
    void lead() {
        if (mine_) failed |= gs_bridge_lead(id_, 1);
    }
    void follow() {
        if (mine_) failed |= gs_bridge_follow(id_);
    }
    gs_status_t failed = GS_OK;

private:
    bool mine_;
    int32_t id_ = 0;
};

void push_pop_leading(benchmark::State &state) {
    Stream stream;
    Bridge bridge(state);
    bridge.lead();
    uint64_t scope = 0;
    gs_status_t failed = bridge.failed;
    for (auto _ : state) {
        failed |= gs_push_current_stream(stream, &scope);
        failed |= gs_pop_current_stream(scope);
    }
    check_gs(state, failed);
}

void current_following(benchmark::State &state) {
    Stream stream;
    Bridge bridge(state);
    bridge.follow();
    gs_stream_t current = nullptr;
    gs_status_t failed = bridge.failed | gs_stream_native(stream, &t_theirs);
    for (auto _ : state) failed |= gs_current_stream(GS_DEVICE_CURRENT, &current);
    check_gs(state, failed);
}

void current_native(benchmark::State &state) {
    uintptr_t native = 0;
    gs_status_t failed = GS_OK;
    for (auto _ : state) failed |= gs_current_native(GS_DEVICE_CURRENT, &native);
    check_gs(state, failed);
}

void wrap_known(benchmark::State &state) {
    Stream stream;
    uintptr_t native = 0;
    gs_stream_t wrapped = nullptr;
    gs_status_t failed = gs_stream_native(stream, &native);
    for (auto _ : state) {
        failed |= gs_stream_from_native(GS_DEVICE_NONE, native, &wrapped);
        failed |= gs_stream_destroy(wrapped);
    }
    check_gs(state, failed);
}

} // namespace

void add_gpustream_bridges() {
    add("push + pop, leading", "gpustream", State::Idle, push_pop_leading);
    add("current stream, following", "gpustream", State::Idle, current_following);
    add("current native", "gpustream", State::Idle, current_native);
    add("wrap + destroy, known handle", "gpustream", State::Idle, wrap_known);
}

} // namespace bench
