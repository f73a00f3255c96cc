// SPDX-License-Identifier: Apache-2.0
// Launches that need more than one driver call: large shared memory, and the kernel of gs_stream_sleep.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>

#include "cuda_scripted_driver.hpp"
#include "support/launches.hpp"

namespace gs::cuda {
namespace {

constexpr int kMost = 100'000; // of the device, per block
constexpr int kFixed = 1'000;  // of the kernel
int g_allowed = 0;

class CudaLaunch : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaLaunch() : stream_{0, make_stream()} {
        g_allowed = 0;
        g_driver.device_get_attribute.pfn = [](int *out, CUdevice_attribute attribute, CUdevice) {
            return g_script->call("cuDeviceGetAttribute", [&] {
                EXPECT_EQ(attribute, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
                *out = kMost;
                return CUDA_SUCCESS;
            });
        };
        g_driver.func_get_attribute.pfn = [](int *out, CUfunction_attribute attribute, CUfunction) {
            return g_script->call("cuFuncGetAttribute", [&] {
                EXPECT_EQ(attribute, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
                *out = kFixed;
                return CUDA_SUCCESS;
            });
        };
        g_driver.func_set_attribute.pfn = [](CUfunction, CUfunction_attribute attribute, int value) {
            return g_script->call("cuFuncSetAttribute", [&] {
                EXPECT_EQ(attribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
                g_allowed = value;
                return CUDA_SUCCESS;
            });
        };
    }
    Status launch(uint32_t shared_bytes) {
        const gs_launch_config_t config = test::launch_of(1, 32, shared_bytes);
        return backend_.kernel_launch(thread(), stream_, 0x9000, config, nullptr);
    }
    StreamRef stream_;
};

TEST_F(CudaLaunch, UpTo48KilobytesNeedNoPermission) {
    EXPECT_TRUE(launch(48 * 1024).ok());
    EXPECT_EQ(script_.total(), 1);
}

TEST_F(CudaLaunch, MoreIsRaisedToAllThatTheDeviceHasBesideTheKernelsOwn) {
    EXPECT_TRUE(launch(48 * 1024 + 1).ok());
    EXPECT_EQ(g_allowed, kMost - kFixed);
    EXPECT_EQ(calls("cuLaunchKernel"), 1);
}

TEST_F(CudaLaunch, NothingIsLaunchedWithoutThePermission) {
    for (const char *function : {"cuDeviceGetAttribute", "cuFuncGetAttribute"}) {
        fail(function, CUDA_ERROR_UNKNOWN);
        EXPECT_EQ(launch(50'000).code, GS_ERROR_DRIVER);
        EXPECT_STREQ(detail().native_function, function);
    }
    fail("cuFuncSetAttribute", CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(launch(50'000).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(detail().native_function, "cuFuncSetAttribute");
    g_driver.func_set_attribute.pfn = g_driver.func_set_attribute.absent(); // the driver lacks it
    EXPECT_EQ(launch(50'000).code, GS_ERROR_NOT_SUPPORTED);
    EXPECT_NE(std::strstr(detail().message, "cuFuncSetAttribute"), nullptr) << detail().message;
    EXPECT_EQ(calls("cuLaunchKernel"), 0);
}

TEST_F(CudaLaunch, TooManyResourcesAreTheCallersArgumentAndOtherFailuresAreNot) {
    fail("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_EQ(launch(16).code, GS_ERROR_INVALID_ARGUMENT);
    fail("cuLaunchKernel", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(launch(16).code, GS_ERROR_DRIVER);
}

TEST_F(CudaLaunch, ADefaultStreamNeedsItsContext) {
    stream_.native = 0;
    EXPECT_TRUE(launch(16).ok());
    EXPECT_EQ(script_.current_during["cuLaunchKernel"], ScriptedDriver::context_of(0));
    EXPECT_TRUE(script_.stack.empty());
}

TEST_F(CudaLaunch, AFailedSleepSaysWhy) {
    ASSERT_TRUE(backend_.sleep(thread(), stream_, 10).ok());
    fail("cuLaunchKernel", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.sleep(thread(), stream_, 10).code, GS_ERROR_DRIVER);
    EXPECT_STREQ(detail().native_function, "cuLaunchKernel");
    stream_.native = 0;
    EXPECT_TRUE(backend_.sleep(thread(), stream_, 10).ok());
    EXPECT_EQ(script_.current_during["cuLaunchKernel"], ScriptedDriver::context_of(0));
}

TEST_F(CudaLaunch, TheSecondOfTwoThreadsThatLoadTheSleepKernelUsesTheFirstOnes) {
    static CUfunction launched = nullptr;
    g_driver.module_get_function.pfn = [](CUfunction *out, CUmodule, const char *) {
        g_devices[0].sleep_kernel.store(reinterpret_cast<CUfunction>(0xA000)); // the other thread, at this moment
        *out = reinterpret_cast<CUfunction>(0x9000);
        return CUDA_SUCCESS;
    };
    g_driver.launch_kernel.pfn = [](CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    unsigned, CUstream, void **, void **) {
        launched = function;
        return CUDA_SUCCESS;
    };
    EXPECT_TRUE(backend_.sleep(thread(), stream_, 10).ok());
    EXPECT_EQ(launched, reinterpret_cast<CUfunction>(0xA000));
    EXPECT_EQ(calls("cuModuleUnload"), 1) << "the module of the second one has no use";
}

} // namespace
} // namespace gs::cuda
#endif
