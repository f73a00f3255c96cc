// SPDX-License-Identifier: Apache-2.0
// Foreign streams and events: every answer that the driver may give about them.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_scripted_driver.hpp"

namespace gs::cuda {
namespace {

constexpr uintptr_t kForeign = 0xB000;

struct Facts {
    CUcontext context = ScriptedDriver::context_of(0);
    CUdevice device = 0;
    unsigned flags = CU_STREAM_NON_BLOCKING;
};
Facts g_facts;

class CudaAdopt : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaAdopt() {
        make_stream(); // the primary context exists
        g_facts = {};
        g_driver.stream_get_ctx.pfn = [](CUstream, CUcontext *out) {
            return g_script->call("cuStreamGetCtx", [&] {
                *out = g_facts.context;
                return CUDA_SUCCESS;
            });
        };
        g_driver.stream_get_device.pfn = [](CUstream, CUdevice *out) {
            return g_script->call("cuStreamGetDevice", [&] {
                *out = g_facts.device;
                return CUDA_SUCCESS;
            });
        };
        g_driver.stream_get_priority.pfn = [](CUstream, int *out) {
            return g_script->call("cuStreamGetPriority", [&] {
                *out = -3;
                return CUDA_SUCCESS;
            });
        };
        g_driver.stream_get_flags.pfn = [](CUstream, unsigned *out) {
            return g_script->call("cuStreamGetFlags", [&] {
                *out = g_facts.flags;
                return CUDA_SUCCESS;
            });
        };
    }
    Status adopt() {
        found_ = {};
        return backend_.stream_adopt(kForeign, &found_);
    }
    static bool mentions(const char *words) { return std::strstr(detail().message, words) != nullptr; }
    AdoptedStream found_;
};

TEST_F(CudaAdopt, AStreamIsDescribed) {
    ASSERT_TRUE(adopt().ok()) << detail().message;
    EXPECT_EQ(found_.ordinal, 0);
    EXPECT_EQ(found_.priority, -3);
    EXPECT_FALSE(found_.blocking);
    EXPECT_FALSE(found_.capturing);
    g_facts.flags = CU_STREAM_DEFAULT;
    ASSERT_TRUE(adopt().ok());
    EXPECT_TRUE(found_.blocking);
}

TEST_F(CudaAdopt, AnOlderDriverTellsTheDeviceByTheContext) {
    g_driver.stream_get_device.pfn = g_driver.stream_get_device.absent();
    ASSERT_TRUE(adopt().ok()) << detail().message;
    EXPECT_EQ(found_.ordinal, 0);
    EXPECT_TRUE(script_.stack.empty());
    fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(adopt().code, GS_ERROR_DRIVER);
    EXPECT_STREQ(detail().native_function, "cuCtxPushCurrent");
    fail("cuCtxGetDevice", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(adopt().code, GS_ERROR_DRIVER);
    EXPECT_TRUE(script_.stack.empty()) << "the foreign context stayed current";
}

TEST_F(CudaAdopt, EveryQuestionMayFail) {
    for (const char *function : {"cuStreamIsCapturing", "cuStreamGetCtx", "cuStreamGetDevice", "cuStreamGetPriority",
                                 "cuStreamGetFlags", "cuDevicePrimaryCtxGetState"}) {
        fail(function, CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(adopt().code, GS_ERROR_DRIVER) << function;
        EXPECT_STREQ(detail().native_function, function);
    }
}

TEST_F(CudaAdopt, WhatIsNoStreamAndWhatIsOfAnotherKind) {
    fail("cuStreamIsCapturing", CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(adopt().code, GS_ERROR_INVALID_HANDLE);
    EXPECT_TRUE(mentions("is not a live stream"));
    fail("cuStreamGetCtx", CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(adopt().code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(mentions("needs a driver of CUDA 12.5"));
}

TEST_F(CudaAdopt, AStreamOfAGreenContextIsOfThePrimaryOne) {
    g_driver.stream_get_ctx_v2.pfn = [](CUstream, CUcontext *out, CUgreenCtx *green) {
        return g_script->call("cuStreamGetCtx", [&] {
            *out = g_facts.context;
            *green = reinterpret_cast<CUgreenCtx>(0x7000);
            return CUDA_SUCCESS;
        });
    };
    ASSERT_TRUE(adopt().ok()) << detail().message;
    EXPECT_EQ(found_.ordinal, 0);
    EXPECT_EQ(calls("cuStreamGetCtx"), 1) << "the older form, which refuses it, is not asked";
    fail("cuStreamGetCtx", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(adopt().code, GS_ERROR_DRIVER);
}

TEST_F(CudaAdopt, ACapturedStreamIsNotAsked) {
    script_.capture_status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    EXPECT_TRUE(adopt().ok());
    EXPECT_TRUE(found_.capturing);
    EXPECT_EQ(calls("cuStreamGetCtx"), 0) << "the question would break the capture";
}

TEST_F(CudaAdopt, OnlyPrimaryContextsOfKnownDevices) {
    g_facts.device = 7;
    EXPECT_EQ(adopt().code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(mentions("did not enumerate"));
    g_facts.device = 0;
    g_facts.context = ScriptedDriver::context_of(1);
    EXPECT_EQ(adopt().code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(mentions("not its primary context"));
}

TEST_F(CudaAdopt, AnEventIsWhateverTheDriverKnows) {
    EXPECT_TRUE(backend_.event_adopt(0, 0x6000).ok());
    for (const CUresult result : {CUDA_ERROR_NOT_READY, CUDA_ERROR_CAPTURED_EVENT, CUDA_ERROR_INVALID_VALUE}) {
        fail("cuEventQuery", result);
        EXPECT_TRUE(backend_.event_adopt(0, 0x6000).ok()) << result;
    }
    fail("cuEventQuery", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.event_adopt(0, 0x6000).code, GS_ERROR_DRIVER);
}

} // namespace
} // namespace gs::cuda
#endif
