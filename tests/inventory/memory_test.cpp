// SPDX-License-Identifier: Apache-2.0
// Memory use if NVML cannot report it: the driver does, for devices that have a context already.
#include "inventory/inventory_support.hpp"
#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"

namespace gs::test {
namespace {

constexpr uint64_t kMiB = 1 << 20;

constexpr uint32_t kMemory = GS_TELEMETRY_MEMORY;

struct Memory : Telemetry {
    gs_status_t read(gs_device_t device) { return gs_device_get_telemetry(device, kMemory, this); }
};

size_t contexts() { return driver_symbol<decltype(&fake_cuda_live)>("fake_cuda_live")(FAKE_CUDA_CONTEXT); }

int32_t depth() { return driver_symbol<decltype(&fake_cuda_context_depth)>("fake_cuda_context_depth")(); }

} // namespace

TEST(MemoryWithoutNvml, IsTheDrivers) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/no/such/library"}, {"FAKE_CUDA_MEMORY", "67108864"}});
    Memory memory;
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_device_get_telemetry, "/no/such/library", kCuda1, kMemory, &memory);
    EXPECT_EQ(memory.known, 0u);
    ASSERT_OK(gs_init());
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "context, which device 1", 1, kMemory, &memory);
    EXPECT_NE(last_text().find("no NVML"), std::string::npos) << "why the driver had to be queried: " << last_text();
    EXPECT_EQ(memory.known, 0u);
    EXPECT_FAILS(GS_ERROR_UNAVAILABLE, gs_device_get_telemetry, "/no/such/library", 1, 0, &memory);
    EXPECT_EQ(contexts(), 0u) << "a query created a context";
    gs_stream_t stream = nullptr;
    void *block = nullptr;
    ASSERT_OK(gs_stream_create(1, 0, 0, &stream));
    ASSERT_OK(memory.read(1));
    EXPECT_EQ(memory.memory_total_bytes, 64 * kMiB);
    EXPECT_EQ(memory.memory_used_bytes + memory.memory_free_bytes, memory.memory_total_bytes);
    const uint64_t before = memory.memory_used_bytes;
    ASSERT_OK(gs_malloc_async(5 * kMiB, stream, &block));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(memory.read(1));
    EXPECT_EQ(memory.memory_used_bytes - before, 5 * kMiB);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "context, which device 0", 0, kMemory, &memory);
    EXPECT_EQ(contexts(), 1u);
    EXPECT_EQ(depth(), 0) << "the caller's context was replaced";
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_telemetry, "2 device", 2, kMemory, &memory);
    EXPECT_OK(gs_free_async(block, stream));
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(MemoryWithoutNvml, WhereNvmlDoesNotMeasureIt) {
    OWN_PROCESS({{"FAKE_NVML_FAIL", "nvmlDeviceGetMemoryInfo=3,nvmlDeviceGetMemoryInfo_v2=3"}});
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    Memory memory;
    ASSERT_OK(memory.read(0));
    EXPECT_EQ(memory.memory_total_bytes, 1024 * kMiB) << "the driver's number";
    Telemetry all;
    ASSERT_OK(gs_device_get_telemetry(0, 0, &all));
    EXPECT_EQ(all.known, 63u) << "beside what NVML measures";
    EXPECT_EQ(all.memory_total_bytes, 1024 * kMiB);
    EXPECT_EQ(all.utilization_percent, 10);
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(MemoryWithoutNvml, ALostGpuStaysLost) {
    OWN_PROCESS({{"FAKE_NVML_LOST", "0"}});
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    Memory memory;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_device_get_telemetry, "lost", 0, kMemory, &memory);
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(MemoryWithoutNvml, TheDriverMayFailToo) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/no/such/library"}, {"FAKE_CUDA_FAIL", "cuMemGetInfo_v2,1,999"}});
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    Memory memory;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_device_get_telemetry, "cuMemGetInfo", 0, kMemory, &memory);
    EXPECT_EQ(last_error().native_code, 999);
    EXPECT_EQ(memory.known, 0u);
    EXPECT_OK(memory.read(0)) << "and work again";
    EXPECT_EQ(depth(), 0);
    EXPECT_OK(gs_stream_destroy(stream));
}

TEST(MemoryWithoutNvml, InAHostFunctionTheDriverIsNotAsked) {
    OWN_PROCESS({{"GPUSTREAM_LIBNVML", "/no/such/library"}});
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    ASSERT_OK(gs_stream_launch_host(
        stream,
        [](void *) {
            Memory memory;
            const uint64_t before = driver_calls("cuDevicePrimaryCtxGetState");
            EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "host function", kCuda0, kMemory, &memory);
            EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_telemetry, "host function", kCuda0, 0, &memory);
            EXPECT_EQ(driver_calls("cuDevicePrimaryCtxGetState"), before);
        },
        nullptr));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(driver_calls("cuMemGetInfo_v2"), 0u);
    EXPECT_OK(gs_stream_destroy(stream));
}

} // namespace gs::test
