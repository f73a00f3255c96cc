// SPDX-License-Identifier: Apache-2.0
// Answers of the driver that are rare: contexts replaced during a call, handles of other processes, pinned memory.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_scripted_driver.hpp"

namespace gs::cuda {
namespace {

class CudaOddAnswers : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaOddAnswers() : stream_{0, make_stream()} {
        g_driver.ipc_open_event_handle.pfn = [](CUevent *out, CUipcEventHandle) {
            return g_script->call("cuIpcOpenEventHandle", [&] {
                *out = reinterpret_cast<CUevent>(0x6000);
                return CUDA_SUCCESS;
            });
        };
        g_driver.mem_host_alloc.pfn = [](void **out, size_t, unsigned flags) {
            return g_script->call("cuMemHostAlloc", [&] {
                EXPECT_EQ(flags, static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE));
                *out = &g_script;
                return CUDA_SUCCESS;
            });
        };
        g_driver.mem_free_host.pfn = [](void *) { return g_script->call("cuMemFreeHost"); };
        g_driver.device_can_access_peer.pfn = [](int *out, CUdevice, CUdevice) {
            return g_script->call("cuDeviceCanAccessPeer", [&] {
                *out = 1;
                return CUDA_SUCCESS;
            });
        };
        g_driver.event_record_with_flags.pfn = [](CUevent, CUstream, unsigned) {
            return g_script->call("cuEventRecordWithFlags");
        };
    }
    static bool mentions(const char *words) { return std::strstr(detail().message, words) != nullptr; }
    Status open() {
        uintptr_t event = 0;
        return backend_.event_ipc_open(0, handle_, &event);
    }
    StreamRef stream_;
    gs_ipc_handle_t handle_{};
};

TEST_F(CudaOddAnswers, BytesThatOpenNoEvent) {
    EXPECT_TRUE(open().ok());
    fail("cuIpcOpenEventHandle", CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(open().code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(mentions("in the process that exported it"));
    for (const CUresult result : {CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_MAP_FAILED}) {
        fail("cuIpcOpenEventHandle", result);
        EXPECT_EQ(open().code, GS_ERROR_INVALID_ARGUMENT);
        EXPECT_TRUE(mentions("are not an event handle"));
    }
    fail("cuIpcOpenEventHandle", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    EXPECT_EQ(open().code, GS_ERROR_NOT_SUPPORTED);
    fail("cuIpcOpenEventHandle", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(open().code, GS_ERROR_DRIVER);
}

TEST_F(CudaOddAnswers, AHandleIsNotBlamedForALostContext) {
    fail("cuIpcOpenEventHandle", CUDA_ERROR_INVALID_HANDLE);
    script_.reset_by_others(0);
    EXPECT_EQ(open().code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(backend_.health(0).code, GS_ERROR_CONTEXT_LOST);
}

TEST_F(CudaOddAnswers, AContextThatCannotBeNamedIsNotKept) {
    fail("cuCtxGetId", CUDA_ERROR_UNKNOWN);
    StreamNative native{};
    EXPECT_EQ(backend_.stream_create({1, 0, false}, &native).code, GS_ERROR_DRIVER);
    EXPECT_STREQ(detail().native_function, "cuCtxGetId");
    EXPECT_EQ(calls("cuDevicePrimaryCtxRelease"), 1);
    EXPECT_TRUE(backend_.stream_create({1, 0, false}, &native).ok()) << "the next call tries again";
}

// Two threads retain the context at once; between them another library resets the device.
TEST_F(CudaOddAnswers, AContextReplacedBetweenTwoThreadsIsLost) {
    g_devices[1].context_id.store(12345);
    StreamNative native{};
    EXPECT_EQ(backend_.stream_create({1, 0, false}, &native).code, GS_ERROR_CONTEXT_LOST);
    EXPECT_EQ(calls("cuDevicePrimaryCtxRelease"), 1) << "the new one is kept alive by other code alone";
}

TEST_F(CudaOddAnswers, TheSecondOfTwoThreadsUsesTheFirstOnesContext) {
    g_driver.ctx_get_id.pfn = [](CUcontext context, unsigned long long *id) {
        g_devices[1].context.store(context); // the other thread, at this moment
        *id = 4;
        return CUDA_SUCCESS;
    };
    g_devices[1].context_id.store(4);
    StreamNative native{};
    EXPECT_TRUE(backend_.stream_create({1, 0, false}, &native).ok());
    EXPECT_EQ(calls("cuDevicePrimaryCtxRelease"), 1) << "one reference is kept";
}

TEST_F(CudaOddAnswers, AFinalErrorFoundByTheContextsCheckIsLatched) {
    fail("cuIpcOpenEventHandle", CUDA_ERROR_INVALID_HANDLE);
    fail("cuCtxGetId", CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(open().code, GS_ERROR_STICKY);
    EXPECT_EQ(backend_.health(0).code, GS_ERROR_STICKY);
}

TEST_F(CudaOddAnswers, PinnedMemorySaysHowMuchWasWanted) {
    void *pointer = nullptr;
    fail("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(backend_.malloc_host(0, 7654321, &pointer).code, GS_ERROR_OUT_OF_MEMORY);
    EXPECT_TRUE(mentions("7654321 bytes of pinned host memory"));
    fail("cuMemHostAlloc", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.malloc_host(0, 16, &pointer).code, GS_ERROR_DRIVER);
}

TEST_F(CudaOddAnswers, PinnedMemoryIsFreedOnceWhateverTheDriverSays) {
    void *pointer = nullptr;
    for (const CUresult result : {CUDA_SUCCESS, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_UNKNOWN}) {
        ASSERT_TRUE(backend_.malloc_host(0, 16, &pointer).ok());
        if (result != CUDA_SUCCESS) fail("cuMemFreeHost", result);
        EXPECT_EQ(backend_.free_host(pointer).ok(), result != CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(backend_.free_host(pointer).code, GS_ERROR_INVALID_ARGUMENT) << "the address may be someone else's";
    }
    ASSERT_TRUE(backend_.malloc_host(0, 16, &pointer).ok());
    fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_UNKNOWN); // the driver was not asked
    EXPECT_EQ(backend_.free_host(pointer).code, GS_ERROR_DRIVER);
    EXPECT_TRUE(backend_.free_host(pointer).ok());
}

TEST_F(CudaOddAnswers, ADeviceReachesItself) {
    bool can = false;
    EXPECT_TRUE(backend_.can_access_peer(0, 0, &can).ok());
    EXPECT_TRUE(can);
    EXPECT_EQ(calls("cuDeviceCanAccessPeer"), 0) << "the driver says no";
    can = false;
    EXPECT_TRUE(backend_.can_access_peer(0, 1, &can).ok());
    EXPECT_TRUE(can);
    fail("cuDeviceCanAccessPeer", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.can_access_peer(0, 1, &can).code, GS_ERROR_DRIVER);
}

TEST_F(CudaOddAnswers, AnExternalRecordOutsideACaptureIsTheCallersArgument) {
    EXPECT_TRUE(backend_.event_record(thread(), 0x6000, stream_, true).ok());
    fail("cuEventRecordWithFlags", CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_FALSE(backend_.event_record(thread(), 0x6000, stream_, true).ok());
    EXPECT_STREQ(detail().native_function, "cuEventRecordWithFlags");
}

TEST_F(CudaOddAnswers, AnImageThatThisDriverCannotCompileIsNotSupported) {
    uintptr_t module = 0;
    for (const CUresult result :
         {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_JIT_COMPILATION_DISABLED}) {
        fail("cuModuleLoadDataEx", result);
        EXPECT_EQ(backend_.module_load(0, "junk", 4, &module).code, GS_ERROR_NOT_SUPPORTED) << result;
    }
    for (const CUresult result : {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_INVALID_SOURCE,
                                  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND}) {
        fail("cuModuleLoadDataEx", result);
        EXPECT_EQ(backend_.module_load(0, "junk", 4, &module).code, GS_ERROR_INVALID_ARGUMENT) << result;
    }
    fail("cuModuleLoadDataEx", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.module_load(0, "junk", 4, &module).code, GS_ERROR_DRIVER);
}

TEST_F(CudaOddAnswers, ADeviceWithACaptureOrWorkIsHealthy) {
    fail("cuStreamIsCapturing", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_TRUE(backend_.device_check(0).ok());
    fail("cuStreamQuery", CUDA_ERROR_NOT_READY);
    EXPECT_TRUE(backend_.device_check(0).ok());
    EXPECT_TRUE(backend_.device_check(1).ok()) << "it has no context";
    fail("cuStreamIsCapturing", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.device_check(0).code, GS_ERROR_DRIVER);
}

} // namespace
} // namespace gs::cuda
#endif
