// SPDX-License-Identifier: Apache-2.0
// A device with a sticky error, and a process without a driver: every call says so, at every layer.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "backend/registry.hpp"
#include "calls/calls.hpp"
#include "fault/inject.hpp"
#include "support/launches.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// The core looks at the latch before it calls the backend, but another thread may latch the device in between.
TEST(BrokenDevice, TheBackendRefusesEachCall) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    uintptr_t native = 0, recorded = 0, made = 0;
    ASSERT_OK(gs_stream_native(stream, &native));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_native(event, &recorded));
    ASSERT_OK(gs_stream_synchronize(stream));
    fake().break_device(0, 700);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_device_check(0));
    fake().reset_calls();
    Backend &backend = *backend_instance(GS_BACKEND_CUDA);
    ThreadBlock &thread = *this_thread();
    const StreamRef streams[] = {{0, native}, {0, kNativeDefaultStream}};
    bool answer = false, freed = false;
    char bytes[8] = {};
    void *pointer = nullptr;
    StreamNative created{};
    gs_ipc_handle_t ipc{};
    const gs_launch_config_t config = launch_of(1, 1);
    const auto refused = [](Status status) { EXPECT_EQ(status.code, GS_ERROR_STICKY); };
    for (const StreamRef &ref : streams) {
        SCOPED_TRACE(ref.native);
        refused(backend.stream_query(thread, ref, &answer));
        refused(backend.stream_synchronize(thread, ref));
        refused(backend.stream_is_capturing(thread, ref, &answer));
        refused(backend.stream_wait_event(thread, ref, recorded, false));
        refused(backend.event_record(thread, recorded, ref, false));
        refused(backend.launch_host(thread, ref, add_one, nullptr));
        refused(backend.sleep(thread, ref, 1));
        refused(backend.malloc_async(thread, ref, 0, 8, &pointer));
        refused(backend.free_async(thread, ref, bytes, &freed));
        refused(backend.memcpy_async(thread, ref, bytes, bytes + 4, 4));
        refused(backend.memset_async(thread, ref, bytes, 0, 8));
        refused(backend.kernel_launch(thread, ref, 1, config, nullptr));
    }
    refused(backend.stream_create({0, 0, false}, &created));
    refused(backend.event_create(0, 0, &made));
    refused(backend.event_query(thread, 0, recorded, &answer));
    refused(backend.event_synchronize(thread, 0, recorded));
    refused(backend.event_ipc_export(0, recorded, &ipc));
    refused(backend.event_ipc_open(0, ipc, &made));
    refused(backend.malloc_host(0, 8, &pointer));
    refused(backend.module_load(0, "", 1, &made));
    refused(backend.device_synchronize(0));
    EXPECT_FALSE(backend.has_context(0));
    EXPECT_OK(gs_device_check(1));
    EXPECT_EQ(fake().violation_text(), "");
}

// A launch is in flight when the device breaks: its graph and executables end as ever, and what was kept is released once.
TEST(BrokenDevice, BetweenTheLaunchOfAGraphAndItsEnd) {
    OWN_PROCESS();
    std::atomic<int> ran{0}, released{0};
    const auto count_up = [](void *arg) { ++*static_cast<std::atomic<int> *>(arg); };
    Stream stream = make_stream(0);
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr, other = nullptr, none = nullptr;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_stream_launch_host(stream, count_up, &ran));
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    ASSERT_OK(gs_graph_keep(graph, count_up, &released));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &other));
    ASSERT_OK(gs_stream_sleep(stream, 1'000'000));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    fake().break_device(0, 700);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_graph_exec_launch(other, stream));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_graph_instantiate(graph, 0, &none));
    EXPECT_OK(gs_graph_exec_destroy(exec));
    EXPECT_OK(gs_graph_exec_destroy(other));
    EXPECT_OK(gs_graph_destroy(graph));
    for (int i = 0; i < 6000 && released == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(released, 1);
    EXPECT_LE(ran, 1);
    EXPECT_OK(gs_device_check(1));
    EXPECT_EQ(fake().violation_text(), "");
}

// Calls on nothing, where the driver is missing: UNAVAILABLE comes before what else is wrong with the arguments.
TEST(NoDriver, EveryCallSaysSo) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "cuda"}, {"GPUSTREAM_LIBCUDA", "/nowhere"}});
    EXPECT_STATUS(GS_ERROR_UNAVAILABLE, gs_init());
    const Objects nothing;
    std::set<std::string> unavailable;
    for (const Call &call : every_call()) {
        const gs_status_t status = call.call(nothing);
        // The calls on bridges register one first, and report its failure as INTERNAL.
        if (std::string(call.name).rfind("gs_bridge_", 0) != 0) EXPECT_NE(status, GS_ERROR_INTERNAL) << call.name;
        if (status == GS_ERROR_UNAVAILABLE) unavailable.insert(call.name);
    }
    for (const char *name :
         {"gs_current_device", "gs_set_current_device", "gs_exchange_device", "gs_device_synchronize",
          "gs_device_check", "gs_device_get_info", "gs_device_can_access_peer", "gs_stream_create",
          "gs_stream_from_native", "gs_current_stream", "gs_default_stream", "gs_per_thread_stream", "gs_stream_unpack",
          "gs_event_from_native", "gs_malloc_host", "gs_current_native"})
        EXPECT_EQ(unavailable.count(name), 1u) << name;
}

} // namespace
} // namespace gs::test
