// SPDX-License-Identifier: Apache-2.0
// Whose context is current, which calls make one, and what happens when somebody takes one away.
#include <gtest/gtest.h>

#include <thread>

#include "fault/fake_driver.hpp"
#include "support/gate.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

struct Driver {
    PFN_cuDevicePrimaryCtxRetain_v7000 retain;
    PFN_cuCtxSetCurrent_v4000 set_current;
    PFN_cuCtxGetCurrent_v4000 get_current;
    PFN_cuCtxCreate_v3020 create;
};
Driver driver() {
    return {fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain"),
            fake().symbol<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent"),
            fake().symbol<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent"),
            fake().symbol<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2")};
}

CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver().get_current(&context), CUDA_SUCCESS);
    return context;
}

size_t contexts() { return fake().live(FAKE_CUDA_CONTEXT); }

TEST(Contexts, OnlyCreationMakesOne) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
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
    EXPECT_OK(gs_maybe_exchange_device(1, &device));
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
    EXPECT_EQ(contexts(), 0u) << "none of these may make a context";
    EXPECT_EQ(fake().calls("cuDevicePrimaryCtxRetain"), 0u);
    Stream made = make_stream(1);
    EXPECT_EQ(contexts(), 1u);
    EXPECT_OK(gs_event_record(event, stream)); // work for a default stream needs its device
    EXPECT_EQ(contexts(), 2u);
    EXPECT_EQ(fake().context_depth(), 0);
}

// Everything that might touch contexts, with a context of the caller's current.
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
            EXPECT_OK(gs_stream_launch_host(
                each, [](void *) {}, nullptr));
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

TEST(Contexts, TheCallersIsNeverReplaced) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    CUcontext first = nullptr, foreign = nullptr;
    ASSERT_EQ(driver().retain(&first, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver().create(&foreign, 0, 1), CUDA_SUCCESS); // now current: not a primary one
    for (const CUcontext mine : {foreign, first, static_cast<CUcontext>(nullptr)}) {
        while (current()) ASSERT_EQ(driver().set_current(nullptr), CUDA_SUCCESS);
        if (mine) ASSERT_EQ(driver().set_current(mine), CUDA_SUCCESS);
        for (const int32_t device : {0, 1}) {
            SCOPED_TRACE(device);
            use_everything(device);
            EXPECT_EQ(current(), mine);
            EXPECT_EQ(fake().context_depth(), mine ? 1 : 0);
        }
    }
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(Contexts, DefaultStreamsActOnTheirDevice) {
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
    CUcontext again = nullptr;
    ASSERT_EQ(driver().retain(&again, 0), CUDA_SUCCESS);
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
