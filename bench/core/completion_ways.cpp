// SPDX-License-Identifier: Apache-2.0
#include "completion_ways.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "../paired/driver.hpp"

namespace completion {
namespace {

gs_queue_t g_queue = nullptr;
bool g_driver = false;
void *g_blocking_event = nullptr;

uint64_t in_mode(int32_t mode, gs_stream_t stream) {
    check(gs_set_option(GS_OPTION_WAIT_MODE, mode), "gs_set_option");
    check(gs_stream_synchronize(stream), "gs_stream_synchronize");
    const uint64_t end = now_ns();
    check(gs_set_option(GS_OPTION_WAIT_MODE, GS_WAIT_DRIVER), "gs_set_option");
    return end;
}

uint64_t with_limit(gs_stream_t stream) {
    check(gs_stream_synchronize_for(stream, 10'000'000'000), "gs_stream_synchronize_for");
    return now_ns();
}

uint64_t by_queue(gs_stream_t stream) {
    check(gs_queue_add_stream(g_queue, stream, 1), "gs_queue_add_stream");
    drain(g_queue, 1);
    return now_ns();
}

std::atomic<uint64_t> g_told{0};

// The thread that waits for a callback sleeps, so that it does not count as load: what is measured is when it was called.
uint64_t when_told() {
    g_told.wait(0);
    return g_told.exchange(0);
}

void tell() {
    g_told = now_ns();
    g_told.notify_one();
}

uint64_t by_notification(gs_stream_t stream) {
    check(gs_stream_notify(stream, [](void *, gs_status_t) { tell(); }, nullptr), "gs_stream_notify");
    return when_told();
}

void *native_of(gs_stream_t stream) {
    uintptr_t native = 0;
    check(gs_stream_native(stream, &native), "gs_stream_native");
    return reinterpret_cast<void *>(native);
}

void check_driver(int result, const char *call) {
    if (result == 0) return;
    std::fprintf(stderr, "%s: CUDA error %d\n", call, result);
    std::exit(1);
}

uint64_t by_blocking_event(gs_stream_t stream) {
    check_driver(paired::g_driver.event_record(g_blocking_event, native_of(stream)), "cuEventRecord");
    check_driver(paired::g_driver.event_synchronize(g_blocking_event), "cuEventSynchronize");
    return now_ns();
}

uint64_t by_driver(gs_stream_t stream) {
    check_driver(paired::g_driver.stream_synchronize(native_of(stream)), "cuStreamSynchronize");
    return now_ns();
}

uint64_t by_host_function(gs_stream_t stream) {
    check_driver(paired::g_driver.launch_host(native_of(stream), [](void *) { tell(); }, nullptr), "cuLaunchHostFunc");
    return when_told();
}

} // namespace

void check(gs_status_t status, const char *call) {
    if (status == GS_OK) return;
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    std::fprintf(stderr, "%s: %s: %s\n", call, gs_status_name(status), info.message);
    std::exit(1);
}

void begin() {
    check(gs_init(), "gs_init");
    check(gs_queue_create(1u << 20, 0, &g_queue), "gs_queue_create");
    gs_backend_t backend = 0;
    check(gs_default_backend(&backend), "gs_default_backend");
    if (backend != GS_BACKEND_CUDA) return;
    if (const char *wrong = paired::open_driver()) {
        std::printf("without the driver's own ways: %s\n", wrong);
        return;
    }
    g_driver = true;
    check_driver(paired::g_driver.set_context(paired::g_driver.context), "cuCtxSetCurrent");
    check_driver(paired::g_driver.event_create(&g_blocking_event, 1 | 2), "cuEventCreate");
}

Way spinning() {
    return {"spinning", [](gs_stream_t stream) { return in_mode(GS_WAIT_SPIN, stream); }};
}

std::vector<Way> ways() {
    std::vector<Way> all = {{"adaptive", [](gs_stream_t stream) { return in_mode(GS_WAIT_ADAPTIVE, stream); }},
                            {"block", [](gs_stream_t stream) { return in_mode(GS_WAIT_BLOCK, stream); }},
                            {"with a limit", with_limit},
                            {"queue", by_queue},
                            {"gs_stream_notify", by_notification}};
    if (!g_driver) return all;
    all.push_back({"cuStreamSynchronize", by_driver});
    all.push_back({"cuEventSynchronize, blocking", by_blocking_event});
    all.push_back({"cuLaunchHostFunc", by_host_function});
    return all;
}

Objects::Objects() {
    check(gs_stream_create(0, 0, 0, &stream), "gs_stream_create");
    check(gs_stream_create(0, 0, 0, &free), "gs_stream_create");
    check(gs_event_create(0, &event), "gs_event_create");
    check(gs_queue_create(1u << 20, 0, &queue), "gs_queue_create");
}

Objects::~Objects() {
    check(gs_queue_destroy(queue), "gs_queue_destroy");
    check(gs_event_destroy(event), "gs_event_destroy");
    check(gs_stream_destroy(free), "gs_stream_destroy");
    check(gs_stream_destroy(stream), "gs_stream_destroy");
}

void drain(gs_queue_t queue, size_t count) {
    gs_completion_t entries[64];
    for (size_t got = 0; count > 0; count -= got)
        check(gs_queue_wait(queue, entries, count < 64 ? count : 64, -1, &got), "gs_queue_wait");
}

double calibrate(gs_stream_t stream) {
    const Way spin = spinning();
    const auto time_of = [&](uint64_t cycles) {
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < 5; ++i) {
            const uint64_t start = now_ns();
            check(gs_stream_sleep(stream, cycles), "gs_stream_sleep");
            const uint64_t took = spin.wait(stream) - start;
            if (took < best) best = took;
        }
        return static_cast<double>(best);
    };
    (void)time_of(1'000'000); // warm
    return 9'000'000 / ((time_of(10'000'000) - time_of(1'000'000)) / 1e3);
}

std::string device_name() {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    check(gs_device_get_info(0, &info), "gs_device_get_info");
    return info.name;
}

} // namespace completion
