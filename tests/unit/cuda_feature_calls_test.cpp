// SPDX-License-Identifier: Apache-2.0
// Features that a driver or a device may lack: memory pools, semaphores of other APIs, conditions of waits for words.
#if defined(GPUSTREAM_WITH_CUDA)
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "cuda_counted_functions.hpp"

namespace gs::cuda {
namespace {

std::map<int, int> g_attributes; // what the device has; others are refused as unknown

class CudaFeatureCalls : public ::testing::Test, protected ScriptedTestBase {
protected:
    CudaFeatureCalls() : stream_{0, make_stream()} {
        g_attributes.clear();
        g_driver.device_get_attribute.pfn = [](int *out, CUdevice_attribute attribute, CUdevice) {
            return g_script->call("cuDeviceGetAttribute", [&] {
                const auto found = g_attributes.find(attribute);
                if (found == g_attributes.end()) return CUDA_ERROR_INVALID_VALUE;
                *out = found->second;
                return CUDA_SUCCESS;
            });
        };
        count_calls_of(g_driver.mem_alloc_from_pool_async, g_driver.mem_pool_create, g_driver.mem_pool_trim_to,
                       g_driver.mem_pool_set_attribute, g_driver.mem_pool_get_attribute, g_driver.mem_pool_set_access,
                       g_driver.device_get_mem_pool, g_driver.device_can_access_peer);
        count_calls_of(g_driver.import_external_semaphore, g_driver.destroy_external_semaphore,
                       g_driver.signal_external_semaphores_async, g_driver.wait_external_semaphores_async);
        count_calls_of(g_driver.mem_host_register, g_driver.stream_wait_value32, g_driver.stream_batch_mem_op);
    }
    Status make_pool(uint32_t flags = 0) {
        uintptr_t pool = 0;
        script_.calls.clear();
        return backend_.pool_create(0, flags, 0, &pool);
    }
    Status import(int32_t type = GS_FD_VULKAN_TIMELINE) {
        uintptr_t semaphore = 0;
        return backend_.import_semaphore(0, type, 3, &semaphore);
    }
    void expect(Status status, gs_status_t wanted, const char *text) {
        EXPECT_EQ(status.code, wanted) << text;
        EXPECT_NE(std::strstr(detail().message, text), nullptr) << detail().message;
    }
    StreamRef stream_;
    static inline uint32_t word_ = 0;
};

TEST_F(CudaFeatureCalls, PoolsNeedAllOfTheirFunctions) {
    EXPECT_TRUE(make_pool().ok());
    void (*const without[])() = {
        [] { take_away(g_driver.mem_alloc_from_pool_async); }, [] { take_away(g_driver.mem_pool_create); },
        [] { take_away(g_driver.mem_pool_trim_to); },          [] { take_away(g_driver.mem_pool_set_attribute); },
        [] { take_away(g_driver.mem_pool_get_attribute); },    [] { take_away(g_driver.mem_pool_set_access); },
        [] { take_away(g_driver.device_get_mem_pool); }};
    const DriverTable all = g_driver;
    for (const auto remove : without) {
        remove();
        expect(make_pool(), GS_ERROR_NOT_SUPPORTED, "has no memory pools");
        EXPECT_EQ(script_.total(), 0);
        EXPECT_TRUE(backend_.pool_trim(thread(), 0, 0x7000, 0).ok()) << "there are none to trim";
        g_driver = all;
    }
    g_devices[0].memory_pools = false;
    expect(make_pool(), GS_ERROR_NOT_SUPPORTED, "has no memory pools");
}

TEST_F(CudaFeatureCalls, APoolThatCannotBeSetUp) {
    const struct {
        const char *function;
        uint32_t flags;
    } rows[] = {{"cuMemPoolSetAttribute", 0}, {"cuDeviceCanAccessPeer", GS_POOL_PEERS}};
    for (const auto &row : rows) {
        fail(row.function, CUDA_ERROR_OUT_OF_MEMORY);
        expect(make_pool(row.flags), GS_ERROR_OUT_OF_MEMORY, row.function);
        EXPECT_EQ(detail().native_code, CUDA_ERROR_OUT_OF_MEMORY);
    }
    EXPECT_TRUE(make_pool(GS_POOL_PEERS).ok());
    EXPECT_EQ(calls("cuDeviceCanAccessPeer"), 1);
    EXPECT_EQ(calls("cuMemPoolSetAccess"), 0) << "the other device cannot be reached";
    latch_lost(g_devices[0], "a test");
    EXPECT_EQ(make_pool().code, GS_ERROR_CONTEXT_LOST);
    EXPECT_TRUE(backend_.pool_destroy(0, 0, 0x7000).ok()) << "it went with the context";
    EXPECT_EQ(script_.total(), 0);
}

TEST_F(CudaFeatureCalls, PoolsOfHostMemoryAreAskedFor) {
    constexpr int kSupported = 142;
    expect(make_pool(GS_POOL_HOST), GS_ERROR_NOT_SUPPORTED, "no pools of host memory"); // older than the question
    g_attributes[kSupported] = 0;
    expect(make_pool(GS_POOL_HOST), GS_ERROR_NOT_SUPPORTED, "no pools of host memory");
    fail("cuDeviceGetAttribute", CUDA_ERROR_UNKNOWN);
    expect(make_pool(GS_POOL_HOST), GS_ERROR_DRIVER, "cuDeviceGetAttribute");
    g_attributes[kSupported] = 1;
    EXPECT_EQ(make_pool(GS_POOL_HOST).code, GS_ERROR_DRIVER) << "no answer about the node of memory";
    EXPECT_EQ(calls("cuMemPoolCreate"), 0);
    static int node = -1;
    g_driver.mem_pool_create.pfn = [](CUmemoryPool *, const CUmemPoolProps *props) {
        node = props->location.id;
        return g_script->call("cuMemPoolCreate");
    };
    for (const int asked : {3, -1}) {
        g_attributes[CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID] = asked;
        EXPECT_TRUE(make_pool(GS_POOL_HOST).ok());
        EXPECT_EQ(node, asked < 0 ? 0 : asked) << "a machine without nodes has the first";
    }
}

TEST_F(CudaFeatureCalls, SemaphoresNeedAllOfTheirFunctions) {
    expect(import(), GS_ERROR_NOT_SUPPORTED, "cannot import timeline semaphores");
    g_attributes[CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED] = 1;
    EXPECT_TRUE(import().ok());
    expect(import(GS_FD_D3D12_FENCE), GS_ERROR_NOT_SUPPORTED, "D3D12");
    fail("cuDeviceGetAttribute", CUDA_ERROR_UNKNOWN);
    expect(import(), GS_ERROR_DRIVER, "cuDeviceGetAttribute");
    fail("cuImportExternalSemaphore", CUDA_ERROR_UNKNOWN); // as drivers say of other files
    expect(import(), GS_ERROR_INVALID_ARGUMENT, "file descriptor 3 is no timeline semaphore");
    fail("cuImportExternalSemaphore", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(import().code, GS_ERROR_OUT_OF_MEMORY);
    void (*const without[])() = {[] { take_away(g_driver.import_external_semaphore); },
                                 [] { take_away(g_driver.destroy_external_semaphore); },
                                 [] { take_away(g_driver.signal_external_semaphores_async); },
                                 [] { take_away(g_driver.wait_external_semaphores_async); }};
    const DriverTable all = g_driver;
    for (const auto remove : without) {
        remove();
        expect(import(), GS_ERROR_NOT_SUPPORTED, "the driver cannot import semaphores");
        g_driver = all;
    }
}

TEST_F(CudaFeatureCalls, ASemaphoreIsDestroyedInItsContextOrGoesWithIt) {
    script_.stack = {ScriptedDriver::context_of(1)};
    EXPECT_TRUE(backend_.destroy_semaphore(0, 0x7000).ok());
    EXPECT_EQ(script_.current_during["cuDestroyExternalSemaphore"], ScriptedDriver::context_of(0));
    fail("cuDestroyExternalSemaphore", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.destroy_semaphore(0, 0x7000).code, GS_ERROR_DRIVER);
    fail("cuDestroyExternalSemaphore", CUDA_ERROR_DEINITIALIZED);
    EXPECT_TRUE(backend_.destroy_semaphore(0, 0x7000).ok());
    fail("cuDevicePrimaryCtxGetState", CUDA_ERROR_DEINITIALIZED); // the process ends
    EXPECT_TRUE(backend_.destroy_semaphore(0, 0x7000).ok());
    fail("cuDevicePrimaryCtxGetState", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.destroy_semaphore(0, 0x7000).code, GS_ERROR_DRIVER);
    fail("cuCtxPushCurrent", CUDA_ERROR_UNKNOWN);
    EXPECT_EQ(backend_.destroy_semaphore(0, 0x7000).code, GS_ERROR_DRIVER);
    EXPECT_EQ(script_.stack.size(), 1u);
    script_.calls.clear();
    script_.reset_by_others(0);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(backend_.destroy_semaphore(0, 0x7000).ok()); // seen as lost, then known
    EXPECT_EQ(calls("cuDestroyExternalSemaphore"), 0);
}

TEST_F(CudaFeatureCalls, ConditionsThatNotAllDevicesHave) {
    const struct {
        uint32_t flags;
        CUdevice_attribute attribute;
        const char *text;
    } rows[] = {{GS_VALUE_32 | GS_VALUE_NOR, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, "no GS_VALUE_NOR"},
                {GS_VALUE_32 | GS_VALUE_FLUSH, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, "no GS_VALUE_FLUSH"}};
    for (const auto &row : rows) {
        const gs_value_op_t op{&word_, 1, row.flags, 0};
        script_.calls.clear();
        expect(backend_.wait_value(thread(), stream_, &word_, 1, row.flags), GS_ERROR_NOT_SUPPORTED, row.text);
        expect(backend_.batch_values(thread(), stream_, &op, 1), GS_ERROR_NOT_SUPPORTED, row.text);
        fail("cuDeviceGetAttribute", CUDA_ERROR_UNKNOWN, false, 2);
        expect(backend_.wait_value(thread(), stream_, &word_, 1, row.flags), GS_ERROR_DRIVER, "cuDeviceGetAttribute");
        expect(backend_.batch_values(thread(), stream_, &op, 1), GS_ERROR_DRIVER, "cuDeviceGetAttribute");
        EXPECT_EQ(calls("cuStreamWaitValue32") + calls("cuStreamBatchMemOp"), 0);
        g_attributes[row.attribute] = 1;
        EXPECT_TRUE(backend_.wait_value(thread(), stream_, &word_, 1, row.flags).ok());
        EXPECT_TRUE(backend_.batch_values(thread(), stream_, &op, 1).ok());
    }
}

} // namespace
} // namespace gs::cuda
#endif
