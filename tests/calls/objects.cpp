// SPDX-License-Identifier: Apache-2.0
#include "calls/objects.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/status_matchers.hpp"

namespace gs::test {

static char g_bytes[64];

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
namespace {

bool others_sleep() {
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        if (task.path().filename() == std::to_string(gettid())) continue;
        std::ifstream file(task.path() / "stat");
        std::string line;
        std::getline(file, line);
        if (line.empty()) continue; // the thread has just ended
        if (line.compare(line.rfind(')') + 2, 1, "S") != 0) return false;
    }
    return true;
}

// The sanitizers' allocators lock nothing around a fork: while a thread of ours that has just started is still
// allocating, a child would inherit a lock that stays closed.
void let_threads_settle() {
    for (int looks = 0; looks < 3; looks = others_sleep() ? looks + 1 : 0) sched_yield();
}

} // namespace
#else
static void let_threads_settle() {}
#endif

Objects make_objects(gs_device_t device) {
    Objects o;
    o.device = device;
    int32_t gpus = 0, entries = 0; // so that forked children may ask, too: they could not load NVML
    (void)gs_inventory_count(&gpus, &entries);
    // As well the tools, which a child cannot load either.
    EXPECT_OK(gs_set_trace_callback([](void *, int32_t, uint64_t, uint64_t, uint64_t, const char *) {}, nullptr));
    EXPECT_OK(gs_set_trace_callback(nullptr, nullptr));
    EXPECT_OK(gs_stream_create(device, 0, 0, &o.stream));
    EXPECT_OK(gs_stream_create(device, 0, 0, &o.recorder));
    EXPECT_OK(gs_event_create(0, &o.event));
    EXPECT_OK(gs_event_create(GS_EVENT_TIMING, &o.timed));
    EXPECT_OK(gs_event_create(GS_EVENT_INTERPROCESS, &o.shared));
    EXPECT_OK(gs_event_create(0, &o.fresh));
    EXPECT_OK(gs_event_record(o.event, o.recorder));
    EXPECT_OK(gs_event_synchronize(o.event));
    EXPECT_OK(gs_event_record(o.timed, o.recorder));
    EXPECT_OK(gs_event_synchronize(o.timed));
    EXPECT_OK(gs_event_ipc_export(o.shared, &o.ipc));
    EXPECT_OK(gs_push_current_stream(o.stream, &o.scope));
    EXPECT_OK(gs_malloc_host(64, &o.host_memory));
    std::memset(o.host_memory, 0, 64);
    EXPECT_OK(gs_stream_pack(o.stream, &o.triple));
    EXPECT_OK(gs_graph_create(device, 0, &o.graph));
    EXPECT_OK(gs_graph_instantiate(o.graph, 0, &o.graph_exec));
    EXPECT_OK(gs_queue_create(1u << 20, 0, &o.queue));
    EXPECT_OK(gs_timeline_create(device, 0, 0, &o.timeline));
    EXPECT_OK(gs_pool_create(device, nullptr, &o.pool));
    const uint32_t one = 1;
    EXPECT_OK(gs_partition_create(device, &one, 1, 0, &o.partition));
    EXPECT_OK(gs_token_create(o.stream, &o.token));
    let_threads_settle();
    o.memory = g_bytes;
    o.block = g_bytes + 32;
    o.module = reinterpret_cast<gs_module_t>(uintptr_t{0x3100000001000000}); // NOLINT: a number in a pointer's clothes
    o.kernel = reinterpret_cast<gs_kernel_t>(uintptr_t{0x4100000001000000}); // NOLINT
    return o;
}

void destroy_objects(Objects &o) {
    EXPECT_OK(gs_pop_current_stream(o.scope));
    EXPECT_OK(gs_free_host(o.host_memory));
    EXPECT_OK(gs_graph_exec_destroy(o.graph_exec));
    EXPECT_OK(gs_graph_destroy(o.graph));
    for (gs_event_t event : {o.event, o.timed, o.shared, o.fresh}) EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_stream_destroy(o.stream));
    EXPECT_OK(gs_stream_destroy(o.recorder));
    EXPECT_OK(gs_queue_destroy(o.queue));
    EXPECT_OK(gs_timeline_destroy(o.timeline));
    EXPECT_OK(gs_pool_destroy(o.pool));
    EXPECT_OK(gs_partition_destroy(o.partition));
    o = Objects{};
}

} // namespace gs::test
