// SPDX-License-Identifier: Apache-2.0
// Captures, sticky errors and the texts of failures, on the scripted driver.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_scripted_driver.hpp"
#include "support/launches.hpp"

namespace gs::cuda {
namespace {

class CudaCalls : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaCalls() : stream_{0, make_stream()} {}
    static ::testing::AssertionResult mentions(const char *word) {
        if (std::strstr(detail().message, word)) return ::testing::AssertionSuccess();
        return ::testing::AssertionFailure() << "no '" << word << "' in: " << detail().message;
    }
    StreamRef stream_;
};

TEST_F(CudaCalls, HotCallsAreOneDriverCall) {
    const uint64_t before = thread().counters.driver_calls.get();
    EXPECT_TRUE(backend_.event_record(thread(), 0x6000, stream_, false).ok());
    EXPECT_TRUE(backend_.stream_wait_event(thread(), stream_, 0x6000, false).ok());
    EXPECT_EQ(script_.total(), 2);
    EXPECT_EQ(thread().counters.driver_calls.get() - before, 2u);
}

TEST_F(CudaCalls, QueriesRunRelaxedAndPutTheModeBack) {
    for (const CUstreamCaptureMode mode :
         {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
        script_.mode = mode;
        bool done = false;
        fail("cuEventQuery", CUDA_ERROR_NOT_READY);
        EXPECT_TRUE(backend_.event_query(thread(), 0, 0x6000, &done).ok());
        EXPECT_FALSE(done);
        EXPECT_TRUE(backend_.stream_query(thread(), stream_, &done).ok());
        EXPECT_TRUE(done);
        EXPECT_TRUE(backend_.stream_synchronize(thread(), stream_).ok());
        for (const char *function : {"cuEventQuery", "cuStreamQuery", "cuStreamSynchronize"})
            EXPECT_EQ(script_.mode_during[function], CU_STREAM_CAPTURE_MODE_RELAXED) << function;
        EXPECT_EQ(script_.mode, mode);
    }
}

TEST_F(CudaCalls, ACaptureModeThatCannotBeChangedStopsTheQuery) {
    fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_UNKNOWN);
    bool done = false;
    EXPECT_EQ(backend_.event_query(thread(), 0, 0x6000, &done).code, GS_ERROR_DRIVER);
    EXPECT_STREQ(detail().native_function, "cuThreadExchangeStreamCaptureMode");
    EXPECT_EQ(calls("cuEventQuery"), 0);
    EXPECT_EQ(script_.mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_F(CudaCalls, ACapturedStreamIsNotAsked) {
    bool done = false;
    for (const CUstreamCaptureStatus status : {CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_INVALIDATED}) {
        script_.capture_status = status;
        EXPECT_EQ(backend_.stream_query(thread(), stream_, &done).code, GS_ERROR_CAPTURING);
        EXPECT_EQ(backend_.stream_synchronize(thread(), stream_).code, GS_ERROR_CAPTURING);
        EXPECT_TRUE(backend_.stream_is_capturing(thread(), stream_, &done).ok());
        EXPECT_TRUE(done);
    }
    EXPECT_EQ(calls("cuStreamQuery") + calls("cuStreamSynchronize"), 0);
}

TEST_F(CudaCalls, ADeviceWithACaptureOnABlockingStreamIsNotSynchronised) {
    fail("cuStreamIsCapturing", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(backend_.device_synchronize(0).code, GS_ERROR_CAPTURING);
    EXPECT_EQ(calls("cuCtxSynchronize"), 0);
    EXPECT_TRUE(backend_.device_synchronize(0).ok());
    EXPECT_EQ(calls("cuCtxSynchronize"), 1);
    EXPECT_TRUE(script_.stack.empty());
}

TEST_F(CudaCalls, AFinalErrorIsLatchedWithItsOrigin) {
    bool done = false;
    fail("cuEventQuery", CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(backend_.event_query(thread(), 0, 0x6000, &done).code, GS_ERROR_STICKY);
    EXPECT_EQ(detail().native_code, 700);
    EXPECT_EQ(detail().sticky, 1);
    script_.calls.clear();
    EXPECT_EQ(backend_.event_record(thread(), 0x6000, stream_, false).code, GS_ERROR_STICKY);
    EXPECT_TRUE(mentions("first seen at cuEventQuery"));
    EXPECT_NE(std::strstr(detail().origin, "cuEventQuery (CUDA_ERROR_ILLEGAL_ADDRESS, 700)"), nullptr);
    EXPECT_TRUE(backend_.stream_destroy(stream_).ok());
    EXPECT_EQ(script_.total(), 0);
    EXPECT_TRUE(backend_.health(1).ok());
}

TEST_F(CudaCalls, AWaitDoesNotLatchItsOwnDeviceForAnothersError) {
    fail("cuStreamWaitEvent", CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(backend_.stream_wait_event(thread(), stream_, 0x6000, false).code, GS_ERROR_DRIVER);
    EXPECT_TRUE(backend_.health(0).ok());
    fail("cuStreamWaitEvent", CUDA_ERROR_LAUNCH_FAILED);
    fail("cuStreamQuery", CUDA_ERROR_LAUNCH_FAILED); // the device itself reports it as well
    EXPECT_EQ(backend_.stream_wait_event(thread(), stream_, 0x6000, false).code, GS_ERROR_STICKY);
    EXPECT_EQ(backend_.health(0).code, GS_ERROR_STICKY);
}

TEST_F(CudaCalls, ACheckFindsAFinalErrorThatNobodySawYet) {
    fail("cuStreamQuery", CUDA_ERROR_ASSERT);
    EXPECT_EQ(backend_.device_check(0).code, GS_ERROR_STICKY);
    EXPECT_TRUE(script_.stack.empty());
}

TEST_F(CudaCalls, ShutdownIsSuccessForADestroyOnly) {
    fail("cuStreamDestroy", CUDA_ERROR_DEINITIALIZED);
    EXPECT_TRUE(backend_.stream_destroy(stream_).ok());
    fail("cuEventRecord", CUDA_ERROR_DEINITIALIZED);
    EXPECT_EQ(backend_.event_record(thread(), 0x6000, stream_, false).code, GS_ERROR_SHUTDOWN);
    // Also if the driver has shut down before the handle is checked.
    fail("cuDevicePrimaryCtxGetState", CUDA_ERROR_DEINITIALIZED);
    EXPECT_TRUE(backend_.event_destroy(0, 0x6000).ok());
}

TEST_F(CudaCalls, OutOfMemorySaysHowMuchWasWantedAndIsFree) {
    void *pointer = nullptr;
    fail("cuMemAllocAsync", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(backend_.malloc_async(thread(), stream_, 0, 987654321, &pointer).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_TRUE(mentions("987654321 bytes"));
    EXPECT_TRUE(mentions("12345 of 67890 bytes are free"));
    EXPECT_EQ(script_.current_during["cuMemGetInfo"], ScriptedDriver::context_of(0));
    EXPECT_TRUE(script_.stack.empty());
    EXPECT_TRUE(backend_.malloc_async(thread(), stream_, 0, 16, &pointer).ok());
}

TEST_F(CudaCalls, AnIllegalLaunchIsTheCallersArgument) {
    fail("cuLaunchKernel", CUDA_ERROR_INVALID_VALUE);
    gs_launch_config_t config = test::launch_of(1, 4096, 7);
    config.block_y = 5;
    config.block_z = 6;
    EXPECT_EQ(backend_.kernel_launch(thread(), stream_, 0x9000, config, nullptr).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(mentions("block (4096, 5, 6)"));
    EXPECT_TRUE(backend_.health(0).ok());
}

TEST_F(CudaCalls, TheCompilersLogIsInTheText) {
    script_.jit_log = "ptxas application ptx input, line 3; error: Unknown symbol 'q'\n";
    fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX, true);
    uintptr_t module = 0;
    EXPECT_EQ(backend_.module_load(0, "junk", 4, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(mentions("Unknown symbol 'q'"));
    EXPECT_TRUE(mentions("CUDA_ERROR_INVALID_PTX"));
    EXPECT_EQ(script_.mode_during["cuModuleLoadDataEx"], CU_STREAM_CAPTURE_MODE_RELAXED);
    fail("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND);
    uintptr_t kernel = 0;
    EXPECT_EQ(backend_.module_get_kernel(0, 0x8000, "no_such_kernel", &kernel).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(mentions("no_such_kernel"));
}

TEST_F(CudaCalls, TheSleepKernelIsLoadedOnceAndAFailedLoadIsTriedAgain) {
    fail("cuModuleGetFunction", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(backend_.sleep(thread(), stream_, 10).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(calls("cuModuleUnload"), 1);
    EXPECT_TRUE(backend_.sleep(thread(), stream_, 10).ok());
    script_.calls.clear();
    EXPECT_TRUE(backend_.sleep(thread(), stream_, 10).ok());
    EXPECT_EQ(script_.total(), 1);
}

TEST_F(CudaCalls, WhatTheDriverLacksIsNamed) {
    gs_ipc_handle_t handle{};
    EXPECT_EQ(backend_.event_ipc_export(0, 0x6000, &handle).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(mentions("cuIpcGetEventHandle"));
    EXPECT_EQ(backend_.caps() & kCapIpcEvents, 0u);
}

TEST_F(CudaCalls, ForeignPinnedMemoryNeverReachesTheDriver) {
    int local = 0;
    EXPECT_EQ(backend_.free_host(&local).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(script_.total(), 0);
}

} // namespace
} // namespace gs::cuda
#endif
