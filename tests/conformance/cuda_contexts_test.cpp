// SPDX-License-Identifier: Apache-2.0
// Which context is current and which calls create one, on any driver.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <cudaTypedefs.h>

#include <string>

#include "support/cuda_driver.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

struct Driver {
    PFN_cuDevicePrimaryCtxRetain_v7000 retain =
        driver_symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain");
    PFN_cuDevicePrimaryCtxGetState_v7000 state =
        driver_symbol<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState");
    PFN_cuCtxSetCurrent_v4000 set_current = driver_symbol<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent");
    PFN_cuCtxGetCurrent_v4000 get_current = driver_symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
    PFN_cuCtxCreate_v3020 create = driver_symbol<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2");
    PFN_cuCtxPopCurrent_v4000 pop = driver_symbol<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent_v2");
};
const Driver &driver() {
    static const Driver instance;
    return instance;
}

CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver().get_current(&context), CUDA_SUCCESS);
    return context;
}

bool has_context(int device) {
    unsigned flags = 0;
    int active = -1;
    EXPECT_EQ(driver().state(device, &flags, &active), CUDA_SUCCESS);
    return active == 1;
}

// The number of contexts on this thread's stack; they are popped.
int drain_contexts() {
    int depth = 0;
    CUcontext context = nullptr;
    while (current() && driver().pop(&context) == CUDA_SUCCESS) ++depth;
    return depth;
}

// All calls that might change contexts, while a context of the caller is current.
void use_everything(int32_t device) {
    int32_t number = 0, greatest = 0;
    Bytes bytes(64);
    {
        Stream stream = make_stream(device), blocking = make_stream(device, GS_STREAM_BLOCKING | GS_STREAM_DEDICATED);
        Event event = make_event(GS_EVENT_TIMING), shared = make_event(GS_EVENT_INTERPROCESS);
        gs_ipc_handle_t handle{};
        void *memory = nullptr;
        for (const gs_stream_t each :
             {stream.get(), blocking.get(), default_stream(device), per_thread_stream(device)}) {
            EXPECT_OK(gs_event_record(event, each));
            EXPECT_OK(gs_event_wait(event, each));
            EXPECT_OK(gs_stream_query(each, &number));
            EXPECT_OK(gs_malloc_async(64, each, &memory));
            EXPECT_OK(gs_memset_async(memory, 3, 64, each));
            EXPECT_OK(gs_memcpy_async(bytes.at(0), memory, 64, each));
            EXPECT_OK(gs_free_async(memory, each));
            EXPECT_OK(gs_stream_sleep(each, 100));
            EXPECT_OK(gs_stream_launch_host(each, [](void *) {}, nullptr));
            EXPECT_OK(gs_stream_wait_stream(each, stream));
            EXPECT_OK(gs_stream_synchronize(each));
            EXPECT_OK(gs_event_synchronize(event));
        }
        EXPECT_OK(gs_event_record(shared, stream));
        EXPECT_OK(gs_event_ipc_export(shared, &handle));
        EXPECT_OK(gs_device_priority_range(device, &number, &greatest));
        EXPECT_OK(gs_device_synchronize(device));
        EXPECT_OK(gs_device_check(device));
    }
    EXPECT_OK(gs_trim());
    EXPECT_EQ(bytes[63], 3);
}

} // namespace

// The first thing in most programs: work on another device, then back to one that was not used yet.
TEST_P(CudaConformanceProcess, RowF2_AScopeGoesBackToADeviceNeverUsed) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    gs_device_t before = GS_DEVICE_NONE, inside = GS_DEVICE_NONE, after = GS_DEVICE_NONE;
    ASSERT_OK(gs_exchange_device(1, &before));
    Stream there = make_stream();
    EXPECT_OK(gs_exchange_device(before, &inside));
    EXPECT_EQ(inside, 1);
    EXPECT_FALSE(has_context(0));
    EXPECT_OK(gs_current_device(&after));
    EXPECT_EQ(after, before);
    Stream here = make_stream(GS_DEVICE_CURRENT);
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_stream_device(here, &device));
    EXPECT_EQ(device, 0);
}

TEST_P(CudaConformanceProcess, Contexts_OnlyCreationMakesOne) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    gs_stream_t stream = nullptr, before = nullptr;
    gs_device_t device = 0;
    int32_t number = 0;
    uint64_t scope = 0;
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_device_get_info(0, &info));
    EXPECT_OK(gs_device_can_access_peer(0, 1, &number));
    EXPECT_OK(gs_current_device(&device));
    EXPECT_OK(gs_set_current_device(1));
    EXPECT_OK(gs_exchange_device(0, &device));
    EXPECT_OK(gs_exchange_device(1, &device));
    EXPECT_OK(gs_current_device(&device));
    EXPECT_EQ(device, 1);
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_OK(gs_device_check(0));
    EXPECT_OK(gs_default_stream(0, &stream));
    EXPECT_OK(gs_current_stream(0, &before));
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_OK(gs_stream_query(stream, &number));
    EXPECT_EQ(number, 1);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_is_capturing(stream, &number));
    Event event = make_event(GS_EVENT_TIMING);
    EXPECT_TRUE(done(event.get()));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_event_wait(event, stream));
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(has_context(0) || has_context(1)) << "none of these may create a context";
    {
        Stream made = make_stream(1);
        EXPECT_TRUE(has_context(1));
        EXPECT_FALSE(has_context(0)) << "a call for one device created a context on another";
    }
    EXPECT_OK(gs_event_record(event, stream)); // work for a default stream needs its device
    EXPECT_TRUE(has_context(0));
    EXPECT_EQ(current(), nullptr);
    EXPECT_OK(gs_set_current_device(0));
}

TEST_P(CudaConformanceProcess, Contexts_OneThatCameLaterIsMadeCurrentBySettingItsDeviceAgain) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    ASSERT_OK(gs_set_current_device(1));
    ASSERT_OK(gs_set_current_device(1));
    EXPECT_FALSE(has_context(1));
    EXPECT_EQ(current(), nullptr);
    Stream made = make_stream(1);
    ASSERT_TRUE(has_context(1));
    EXPECT_EQ(current(), nullptr) << "using a device makes its context current for the call only";
    ASSERT_OK(gs_set_current_device(1));
    CUcontext primary = nullptr;
    ASSERT_EQ(driver().retain(&primary, 1), CUDA_SUCCESS);
    EXPECT_EQ(current(), primary);
    // From now on setting it again asks nothing.
    ASSERT_EQ(driver().set_current(nullptr), CUDA_SUCCESS);
    ASSERT_OK(gs_set_current_device(1));
    EXPECT_EQ(current(), nullptr);
}

TEST_P(CudaConformanceProcess, Contexts_OneThatCameLaterIsRestoredByTheScopeAround) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    gs_stream_t outer = nullptr, inner = nullptr;
    uint64_t scope = 0;
    ASSERT_OK(gs_default_stream(0, &outer));
    ASSERT_OK(gs_default_stream(1, &inner));
    ASSERT_OK(gs_set_current_device(0));
    ASSERT_OK(gs_push_current_stream(inner, &scope));
    Stream made = make_stream(1);
    EXPECT_EQ(current(), nullptr);
    ASSERT_OK(gs_set_current_device(1));
    CUcontext primary = nullptr;
    ASSERT_EQ(driver().retain(&primary, 1), CUDA_SUCCESS);
    EXPECT_EQ(current(), primary);
    ASSERT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(current(), nullptr);
}

TEST_P(CudaConformanceProcess, Contexts_TheCallersIsNeverReplaced) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    CUcontext first = nullptr, foreign = nullptr;
    ASSERT_EQ(driver().retain(&first, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver().create(&foreign, 0, 1), CUDA_SUCCESS); // now current, and not primary
    for (const CUcontext mine : {foreign, first, static_cast<CUcontext>(nullptr)}) {
        drain_contexts();
        if (mine) ASSERT_EQ(driver().set_current(mine), CUDA_SUCCESS);
        for (const int32_t device : {0, 1}) {
            SCOPED_TRACE(device);
            use_everything(device);
            EXPECT_EQ(current(), mine);
        }
        EXPECT_EQ(drain_contexts(), mine ? 1 : 0) << "a push without its pop";
    }
}

TEST_P(CudaConformanceProcess, Contexts_DefaultStreamsActOnTheirDevice) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    CUcontext zero = nullptr;
    ASSERT_EQ(driver().retain(&zero, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver().set_current(zero), CUDA_SUCCESS);
    Gate gate;
    ASSERT_OK(gate.hold(default_stream(1)));
    EXPECT_FALSE(done(default_stream(1)));
    EXPECT_TRUE(done(default_stream(0)));
    EXPECT_TRUE(done(per_thread_stream(0)));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(default_stream(1)));
    EXPECT_EQ(current(), zero);
}

// Another library resets the device; its streams and events are destroyed, and dead handles would crash the driver.
TEST_P(CudaConformanceProcess, Case22_ContextLost) {
    OWN_PROCESS();
    const auto reset = driver_symbol<PFN_cuDevicePrimaryCtxReset_v11000>("cuDevicePrimaryCtxReset_v2");
    Stream stream = make_stream(0), dedicated = make_stream(0, GS_STREAM_DEDICATED);
    Event event = make_event();
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(8, stream, &memory));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_EQ(reset(0), CUDA_SUCCESS);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    EXPECT_EQ(last_error().sticky, 1);
    EXPECT_NE(std::string(last_error().origin), "");
    CUcontext again = nullptr; // a new one, often at the same address: objects of the old one stay invalid
    ASSERT_EQ(driver().retain(&again, 0), CUDA_SUCCESS);
    int32_t number = 1;
    gs_stream_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_query(stream, &number));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create(0, 0, 0, &none));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_free_async(memory, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_synchronize(0));
    stream.reset();
    dedicated.reset();
    event.reset();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(current(), nullptr);
    if (device_count() < 2) return;
    Stream other = make_stream(1);
    EXPECT_OK(gs_stream_synchronize(other)) << "the other device is not affected";
}

} // namespace gs::test

#endif
