// SPDX-License-Identifier: Apache-2.0
// Contexts that another library resets or breaks. tests/conformance/cuda_contexts_test.cpp covers which calls create a
// context, and which is current.
#include <gtest/gtest.h>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

CUcontext retain(int device) {
    CUcontext context = nullptr;
    EXPECT_EQ(fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, device),
              CUDA_SUCCESS);
    return context;
}

CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(fake().symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&context), CUDA_SUCCESS);
    return context;
}

CUresult set_current(CUcontext context) { return fake().symbol<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent")(context); }

TEST(Contexts, ResetByAnotherLibraryIsReportedAndNotFollowed) {
    OWN_PROCESS();
    Bytes kept(8);
    Stream stream = make_stream(0), other = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_sleep(stream, 1000));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(8, stream, &memory));
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_EQ(last_error().sticky, 1);
    EXPECT_NE(std::string(last_error().origin), "");
    fake().reset_calls();
    // The context exists again, at the same address: objects of the old one are still invalid.
    ASSERT_NE(retain(0), nullptr);
    int32_t number = 1;
    gs_stream_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_query(stream, &number));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create(0, 0, 0, &none));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_free_async(memory, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_memset_async(memory, 0, 8, default_stream(0)));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_synchronize(0));
    EXPECT_OK(gs_stream_synchronize(other)) << "the other device is not affected";
    stream.reset();
    event.reset();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().violation_text(), "") << "no dead handle may reach the driver";
    EXPECT_EQ(fake().calls("cuStreamDestroy_v2") + fake().calls("cuEventDestroy_v2"), 0u);
    EXPECT_EQ(current(), nullptr);
}

TEST(Contexts, DestroyDetectsAReset) {
    OWN_PROCESS();
    gs_stream_t stream = make_stream(0, GS_STREAM_DEDICATED).release();
    fake().reset_device(0);
    EXPECT_OK(gs_stream_destroy(stream)) << "lost objects need no destroying";
    EXPECT_OK(gs_trim());
    EXPECT_EQ(fake().violation_text(), "");
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
}

TEST(Contexts, DeinitialisedDriver) {
    OWN_PROCESS();
    gs_stream_t stream = make_stream(0, GS_STREAM_DEDICATED).release();
    gs_event_t event = make_event().release();
    ASSERT_OK(gs_event_record(event, stream));
    fake().deinitialise();
    EXPECT_STATUS(GS_ERROR_SHUTDOWN, gs_event_record(event, stream));
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(Contexts, BrokenByAKernel) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    ASSERT_OK(gs_stream_sleep(stream, 1)); // an unused stream is known to be idle
    fake().break_device(0, 700);
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(stream));
    EXPECT_EQ(last_error().native_code, 700);
    const std::string origin = last_error().origin;
    EXPECT_NE(origin.find("cuStream"), std::string::npos) << origin;
    gs_stream_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_create(0, 0, 0, &none));
    EXPECT_EQ(std::string(last_error().origin), origin) << "the first origin stays";
    EXPECT_OK(gs_stream_synchronize(other));
}

// The pop that goes back to a lost context leaves none current. A thread that set no device then follows the driver.
TEST(Contexts, APopThatFindsTheContextLost) {
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    uint64_t outer = 0, inner = 0;
    ASSERT_EQ(set_current(retain(0)), CUDA_SUCCESS);
    ASSERT_OK(gs_push_current_stream(there, &outer));
    ASSERT_OK(gs_push_current_stream(here, &inner));
    fake().reset_device(0);
    EXPECT_OK(gs_pop_current_stream(inner));
    EXPECT_EQ(current(), retain(1));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_pop_current_stream(outer));
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(current_device(), 0);
}

TEST(Contexts, AnUnwindThatFindsTheContextLost) {
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    uint64_t outer = 0, inner = 0;
    ASSERT_EQ(set_current(retain(0)), CUDA_SUCCESS);
    ASSERT_OK(gs_push_current_stream(here, &outer));
    ASSERT_OK(gs_push_current_stream(there, &inner));
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_set_current_device(1));
    fake().reset_device(0);
    fake().reset_calls();
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_unwind_current_stream(outer));
    EXPECT_EQ(fake().calls("cuCtxSetCurrent"), 2u) << "what is lost is not retried";
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(current_device(), 0);
}

// A context of the caller's own, destroyed while a scope goes to another device.
TEST(Contexts, APopThatFindsTheCallersContextDestroyed) {
    OWN_PROCESS();
    Stream there = make_stream(1);
    uint64_t scope = 0;
    CUcontext own = nullptr;
    ASSERT_EQ(fake().symbol<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2")(&own, 0, 0), CUDA_SUCCESS);
    ASSERT_OK(gs_push_current_stream(there, &scope));
    ASSERT_EQ(fake().symbol<PFN_cuCtxDestroy_v4000>("cuCtxDestroy_v2")(own), CUDA_SUCCESS);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_pop_current_stream(scope));
    EXPECT_EQ(last_error().native_code, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(current_device(), 0);
}

// What the driver refused to restore, the enclosing scope restores.
TEST(Contexts, TheNextPopTriesAgain) {
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    const CUcontext zero = retain(0);
    for (const bool unwind : {false, true}) {
        uint64_t outer = 0, inner = 0;
        ASSERT_EQ(set_current(zero), CUDA_SUCCESS);
        ASSERT_OK(gs_push_current_stream(here, &outer));
        ASSERT_OK(gs_push_current_stream(there, &inner));
        fake_cuda_fault_t fault{};
        fault.function = "cuCtxSetCurrent";
        fault.nth = 1;
        fault.code = CUDA_ERROR_UNKNOWN;
        fault.device = -1;
        fake().inject(&fault);
        if (unwind) {
            EXPECT_STATUS(GS_ERROR_DRIVER, gs_unwind_current_stream(outer));
        } else {
            EXPECT_STATUS(GS_ERROR_DRIVER, gs_pop_current_stream(inner));
            EXPECT_EQ(current_stream(0), here.get());
            EXPECT_OK(gs_pop_current_stream(outer));
        }
        EXPECT_EQ(current(), zero);
        EXPECT_EQ(current_device(), 0);
    }
}

// What the driver refused to restore at the end of the outermost scope, the same call restores. It reports the refusal.
TEST(Contexts, TheOutermostPopTriesTwice) {
    OWN_PROCESS();
    Stream there = make_stream(1);
    const CUcontext zero = retain(0);
    for (const bool unwind : {false, true}) {
        uint64_t scope = 0;
        ASSERT_EQ(set_current(zero), CUDA_SUCCESS);
        ASSERT_OK(gs_push_current_stream(there, &scope));
        fake_cuda_fault_t fault{};
        fault.function = "cuCtxSetCurrent";
        fault.nth = 1;
        fault.code = CUDA_ERROR_UNKNOWN;
        fault.device = -1;
        fake().inject(&fault);
        EXPECT_STATUS(GS_ERROR_DRIVER, unwind ? gs_unwind_current_stream(scope) : gs_pop_current_stream(scope));
        EXPECT_EQ(last_error().native_code, CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(current(), zero);
        EXPECT_EQ(current_device(), 0);
    }
}

} // namespace
} // namespace gs::test
