// SPDX-License-Identifier: Apache-2.0
// gs_device_reset() and the driver: what it is asked to do, what it must not see, and its failures.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr const char kReset[] = "cuDevicePrimaryCtxReset_v2";

CUcontext current_context() {
    CUcontext context = nullptr;
    EXPECT_EQ(fake().symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&context), CUDA_SUCCESS);
    return context;
}

TEST(Reset, EndsTheContext) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(8, stream, &memory));
    ASSERT_OK(gs_stream_synchronize(other));
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_NE(current_context(), nullptr);
    const size_t streams = fake().live(FAKE_CUDA_STREAM);
    ASSERT_OK(gs_device_reset(0));
    EXPECT_EQ(fake().calls(kReset), 1u);
    EXPECT_LT(fake().live(FAKE_CUDA_STREAM), streams);
    EXPECT_EQ(fake().live(FAKE_CUDA_MEMORY), 0u);
    EXPECT_EQ(current_context(), nullptr) << "no dead context stays current";
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_EQ(last_error().native_code, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_NE(last_text().find("gs_device_reset()"), std::string::npos) << last_text();

    // Another library has the device in a new context, at the same address: no handle of ours reaches it.
    CUcontext context = nullptr;
    ASSERT_EQ(fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, 0), CUDA_SUCCESS);
    fake().reset_calls();
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_free_async(memory, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_reset(0));
    stream.reset();
    event.reset();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().calls(kReset), 0u) << "that context is not ours to end";
    EXPECT_EQ(fake().calls("cuStreamDestroy_v2") + fake().calls("cuEventDestroy_v2"), 0u);
    EXPECT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(fake().violation_text(), "");
}

// Pinned memory goes with the context; its address may be someone else's by then.
TEST(Reset, HostMemoryEndsWithItsDevice) {
    OWN_PROCESS();
    void *mine = nullptr, *theirs = nullptr;
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_malloc_host(64, &mine));
    ASSERT_OK(gs_set_current_device(1));
    ASSERT_OK(gs_malloc_host(64, &theirs));
    ASSERT_EQ(fake().live(FAKE_CUDA_HOST_MEMORY), 2u);
    ASSERT_OK(gs_device_reset(0));
    EXPECT_EQ(fake().live(FAKE_CUDA_HOST_MEMORY), 1u);
    CUcontext context = nullptr; // another library's: what is freed there now would be its own
    ASSERT_EQ(fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, 0), CUDA_SUCCESS);
    fake().reset_calls();
    EXPECT_OK(gs_free_host(mine));
    EXPECT_EQ(fake().calls("cuMemFreeHost"), 0u) << "the driver is not asked to free it again";
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_host(mine));
    EXPECT_OK(gs_free_host(theirs));
    EXPECT_EQ(fake().calls("cuMemFreeHost"), 1u);
    EXPECT_EQ(fake().live(FAKE_CUDA_HOST_MEMORY), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(Reset, LeavesADeviceWithoutAContext) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    EXPECT_OK(gs_device_reset(1));
    EXPECT_EQ(fake().calls(kReset), 0u);
    EXPECT_OK(gs_stream_synchronize(make_stream(1)));
}

TEST(Reset, ContextsOfOtherLibrariesToo) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    CUcontext context = nullptr;
    ASSERT_EQ(fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, 1), CUDA_SUCCESS);
    EXPECT_OK(gs_device_reset(1));
    EXPECT_EQ(fake().calls(kReset), 1u);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(1));
}

TEST(Reset, AfterAnotherLibrarysReset) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_reset(0));
    EXPECT_NE(last_text().find("other code"), std::string::npos) << last_text();
    EXPECT_EQ(fake().calls(kReset), 0u);
}

TEST(Reset, TheDriverRefuses) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    fake_cuda_fault_t fault{};
    fault.function = kReset;
    fault.nth = 1;
    fault.code = CUDA_ERROR_OPERATING_SYSTEM;
    fault.phase = FAKE_CUDA_BEFORE;
    fault.device = -1;
    fake().inject(&fault);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_device_reset(0));
    EXPECT_EQ(std::string(last_error().native_function), "cuDevicePrimaryCtxReset");
    fake().clear_fault();
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream)) << "whether it is gone is not known";
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(Reset, ASynchronizationThatFailsLeavesTheDevice) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    fake_cuda_fault_t fault{};
    fault.function = "cuCtxSynchronize";
    fault.nth = 1;
    fault.code = CUDA_ERROR_OUT_OF_MEMORY;
    fault.phase = FAKE_CUDA_BEFORE;
    fault.device = -1;
    fake().inject(&fault);
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_device_reset(0));
    fake().clear_fault();
    EXPECT_EQ(fake().calls(kReset), 0u);
    EXPECT_OK(gs_stream_synchronize(stream));
}

// The fake driver notes every dead handle that it is given, and every object that ends during a call on it.
TEST(Reset, NoCallIsInsideTheDriver) {
    OWN_PROCESS({{"GPUSTREAM_WAIT", "adaptive"}});
    std::atomic<int> rounds{0}, ready{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            Stream stream = make_stream(0);
            Event event = make_event();
            ++ready;
            for (gs_status_t status = GS_OK; status != GS_ERROR_CONTEXT_LOST; ++rounds) {
                status = gs_event_record(event, stream);
                if (status == GS_OK) status = gs_stream_wait_event(stream, event);
                if (status == GS_OK) status = rounds % 2 ? gs_event_synchronize(event) : gs_stream_synchronize(stream);
                if (status != GS_OK && status != GS_ERROR_CONTEXT_LOST) ++wrong;
            }
        });
    while (ready < 4 || rounds < 1000) std::this_thread::yield();
    EXPECT_OK(gs_device_reset(0));
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace
} // namespace gs::test
