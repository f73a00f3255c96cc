// SPDX-License-Identifier: Apache-2.0
// A driver without an optional function: its feature is off and reports that; the rest works.
#include <gtest/gtest.h>

#include "fault/fake_driver.hpp"
#include "support/launches.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

TEST(Features, NoStreamGetDevice) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuStreamGetDevice"}});
    ASSERT_OK(gs_init());
    Stream first = make_stream(1); // makes the context
    const auto create = fake().symbol<PFN_cuStreamCreate_v2000>("cuStreamCreate");
    const auto push = fake().symbol<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent_v2");
    const auto pop = fake().symbol<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent_v2");
    const auto retain = fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
    CUcontext context = nullptr;
    CUstream native = nullptr;
    ASSERT_EQ(retain(&context, 1), CUDA_SUCCESS);
    ASSERT_EQ(push(context), CUDA_SUCCESS);
    ASSERT_EQ(create(&native, 0), CUDA_SUCCESS);
    ASSERT_EQ(pop(&context), CUDA_SUCCESS);
    gs_stream_t stream = nullptr;
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native(0, reinterpret_cast<uintptr_t>(native), &stream));
    ASSERT_OK(gs_stream_from_native(1, reinterpret_cast<uintptr_t>(native), &stream));
    Stream owner(stream);
    EXPECT_TRUE(done(stream));
    EXPECT_EQ(fake().context_depth(), 0);
    EXPECT_EQ(fake().calls("cuStreamGetDevice"), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(Features, NoInterprocessEvents) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuIpcGetEventHandle,cuIpcOpenEventHandle"}});
    Event event = make_event(0);
    Stream stream = make_stream(0);
    EXPECT_OK(gs_event_record(event, stream));
    gs_event_t shared = nullptr;
    gs_ipc_handle_t handle{};
    gs_status_t status = gs_event_create(GS_EVENT_INTERPROCESS, &shared);
    if (status == GS_OK) status = gs_event_ipc_export(shared, &handle);
    EXPECT_EQ(status, GS_ERROR_NOT_SUPPORTED);
    EXPECT_NE(last_text().find("cuIpcGetEventHandle"), std::string::npos) << last_text();
    if (shared) EXPECT_OK(gs_event_destroy(shared));
    EXPECT_EQ(gs_event_ipc_open(0, &handle, &shared), GS_ERROR_NOT_SUPPORTED);
    EXPECT_OK(gs_event_synchronize(event));
}

TEST(Features, NoStreamOrderedMemory) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuMemAllocAsync,cuMemFreeAsync"}});
    Stream stream = make_stream(0);
    void *pointer = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &pointer));
    EXPECT_EQ(fake().live(FAKE_CUDA_MEMORY), 1u);
    EXPECT_OK(gs_memset_async(pointer, 1, 100, stream));
    EXPECT_OK(gs_free_async(pointer, stream));
    EXPECT_EQ(fake().live(FAKE_CUDA_MEMORY), 1u) << "the stream keeps it";
    void *again = nullptr;
    ASSERT_OK(gs_malloc_async(100, stream, &again));
    EXPECT_EQ(again, pointer);
    EXPECT_OK(gs_free_async(again, stream));
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().live(FAKE_CUDA_MEMORY), 0u);
    EXPECT_EQ(fake().calls("cuMemAlloc_v2"), 1u);
    gs_pool_t pool = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_pool_create(0, nullptr, &pool));
    ASSERT_OK(gs_pool_default(0, &pool)) << "it has a pool nevertheless";
    gs_pool_stats_t stats{};
    stats.struct_size = sizeof stats;
    EXPECT_OK(gs_pool_get_stats(pool, &stats));
    EXPECT_EQ(stats.allocations, 2u);
    EXPECT_EQ(stats.reserved_bytes, 0u);
    EXPECT_EQ(stats.reserved_peak_bytes, 512u);
    EXPECT_OK(gs_pool_trim(pool, 0));
    EXPECT_OK(gs_pool_reset_peak(pool));
}

TEST(Features, NoStreamAttributes) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuStreamSetAttribute"}});
    for (int i = 0; i < 3; ++i) {
        Stream stream = make_stream(0);
        (void)native_of(stream); // exported: would be reset before reuse
        EXPECT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_EQ(fake().calls("cuStreamSetAttribute"), 0u);
}

// A used stream whose idle check failed is not lost: it is reused once the check succeeds.
TEST(Features, AStreamThatCouldNotBeAskedIsLentLater) {
    OWN_PROCESS();
    uintptr_t used = 0;
    {
        Stream stream = make_stream(0);
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        used = native_of(stream);
    }
    fake_cuda_fault_t fault{};
    fault.function = "cuStreamIsCapturing";
    fault.nth = 1;
    fault.code = 999;
    fault.phase = FAKE_CUDA_BEFORE;
    fault.mode = FAKE_CUDA_PERSISTENT;
    fault.device = -1;
    fake().inject(&fault);
    Stream other = make_stream(0);
    EXPECT_EQ(fake().injected_name(), "cuStreamIsCapturing");
    fake().clear_fault();
    EXPECT_NE(native_of(other), used);
    Stream again = make_stream(0);
    EXPECT_EQ(native_of(again), used);
}

// A second backend starts late, in slots that streams of the first backend used before.
TEST(Features, DefaultStreamsInRecycledSlots) {
    OWN_PROCESS();
    for (int i = 0; i < 4; ++i) {
        Stream stream = make_stream(0), dedicated = make_stream(0, GS_STREAM_DEDICATED);
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_event_record(event, dedicated));
        ASSERT_OK(gs_stream_synchronize(stream));
        ASSERT_OK(gs_stream_synchronize(dedicated));
    }
    ASSERT_OK(gs_trim());
    for (const gs_stream_t stream :
         {default_stream(GS_DEVICE(GS_BACKEND_HOST, 0)), per_thread_stream(GS_DEVICE(GS_BACKEND_HOST, 0)),
          default_stream(GS_DEVICE(GS_BACKEND_HOST, 1))}) {
        ASSERT_OK(gs_stream_retain(stream));
        EXPECT_TRUE(done(stream));
        EXPECT_OK(gs_stream_synchronize(stream));
    }
}

TEST(Features, OlderElapsedTime) {
    OWN_PROCESS({{"FAKE_CUDA_DRIVER_VERSION", "12000"}});
    Stream stream = make_stream(0);
    Event start = make_event(GS_EVENT_TIMING), end = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(start, stream));
    ASSERT_OK(gs_event_record(end, stream));
    ASSERT_OK(gs_event_synchronize(end));
    double ms = -1;
    EXPECT_OK(gs_event_elapsed_ms(start, end, &ms));
    EXPECT_GE(ms, 0.0);
    EXPECT_EQ(fake().calls("cuEventElapsedTime"), 1u);
    EXPECT_EQ(fake().calls("cuEventElapsedTime_v2"), 0u);
}

TEST(Features, OptIntoSharedMemoryNeedsItsFunctions) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", "cuFuncSetAttribute"}});
    const char ptx[] =
        ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry scratch(.param .u64 p) { ret; }\n";
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    ASSERT_OK(gs_module_load(0, ptx, sizeof ptx, &module));
    ASSERT_OK(gs_module_get_kernel(module, "scratch", &kernel));
    Bytes word(4);
    unsigned char *out = word.at(0);
    void *arguments[] = {&out};
    gs_launch_config_t config = launch_of(1, 1, 100000);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_kernel_launch, "cuFuncSetAttribute", kernel, &config, arguments,
                 default_stream(0));
    config.shared_memory_bytes = 1024;
    EXPECT_OK(gs_kernel_launch(kernel, &config, arguments, default_stream(0)));
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_OK(gs_module_destroy(module));
}

} // namespace
} // namespace gs::test
