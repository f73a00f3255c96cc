// SPDX-License-Identifier: Apache-2.0
// What happens when somebody takes a context away or breaks it. Which calls make one, and whose is current, is
// tests/conformance/cuda_contexts_test.cpp.
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
    // A context is there again, at the same address: what was made in the old one is still gone.
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
    EXPECT_OK(gs_stream_synchronize(other)) << "the other device is not concerned";
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
    EXPECT_OK(gs_stream_destroy(stream)) << "what is gone needs no destroying";
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

} // namespace
} // namespace gs::test
