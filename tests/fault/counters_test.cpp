// SPDX-License-Identifier: Apache-2.0
// Driver calls, counted on the driver's side: the library's own statistics must agree, and no unnecessary call
// may be made.
#include <gtest/gtest.h>

#include <thread>

#include "fault/fake_driver.hpp"
#include "support/gate.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

// The driver calls of the calling thread while `body` ran, which the library has to have counted as well.
template <typename Body>
std::vector<std::string> calls_of(Body &&body) {
    StatsDelta stats;
    fake().start_trace();
    body();
    std::vector<std::string> lines = fake().trace_lines();
    EXPECT_EQ(stats.driver_calls(), lines.size());
    return lines;
}

using Calls = std::vector<std::string>;

TEST(Counters, RecordAndWaitAreOneCall) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream)); // creates the driver's event
    EXPECT_EQ(calls_of([&] { EXPECT_OK(gs_event_record(event, stream)); }), Calls{"cuEventRecord"});
    EXPECT_EQ(calls_of([&] { EXPECT_OK(gs_event_wait(event, other)); }), Calls{"cuStreamWaitEvent"});
    EXPECT_EQ(calls_of([&] { EXPECT_FALSE(done(event.get())); }),
              (Calls{"cuThreadExchangeStreamCaptureMode", "cuEventQuery", "cuThreadExchangeStreamCaptureMode"}));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(other));
}

TEST(Counters, WhatIsKnownCostsNoCall) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event(), never = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_EQ(calls_of([&] { EXPECT_OK(gs_event_wait(event, stream)); }), Calls{}) << "the same stream";
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_EQ(calls_of([&] {
                  EXPECT_TRUE(done(event.get()));
                  EXPECT_OK(gs_event_synchronize(event));
                  EXPECT_OK(gs_event_wait(event, other));
                  EXPECT_TRUE(done(never.get()));
                  EXPECT_OK(gs_event_synchronize(never));
                  EXPECT_OK(gs_event_wait(never, other));
              }),
              Calls{})
        << "known complete, or never recorded";
}

TEST(Counters, PooledObjectsCostNoCall) {
    OWN_PROCESS();
    {
        Stream stream = make_stream(0);
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_EQ(calls_of([&] {
                  gs_event_t event = nullptr;
                  EXPECT_OK(gs_event_create(0, &event));
                  EXPECT_OK(gs_event_destroy(event));
              }),
              Calls{});
    // Never used: returned to the pool at once, and taken from it again.
    make_stream(0).reset();
    EXPECT_EQ(calls_of([&] { make_stream(0).reset(); }), Calls{});
}

TEST(Counters, CurrentStreamCostsNoCall) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    uint64_t scope = 0;
    (void)current_stream(0);
    EXPECT_EQ(calls_of([&] { EXPECT_EQ(current_stream(0), default_stream(0)); }), Calls{});
    for (const std::string &call : calls_of([&] {
             EXPECT_OK(gs_push_current_stream(stream, &scope));
             EXPECT_OK(gs_pop_current_stream(scope));
         }))
        EXPECT_EQ(call.rfind("cuCtx", 0), 0u) << call << ": at most the current context is queried";
}

// A scope on the current device makes none of these calls; one that changes the device makes one more, at the pop.
TEST(Counters, AScopeSavesTheContextWhereItChanges) {
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    uint64_t scope = 0;
    ASSERT_OK(gs_set_current_device(0));
    EXPECT_EQ(calls_of([&] {
                  EXPECT_OK(gs_push_current_stream(here, &scope));
                  EXPECT_OK(gs_pop_current_stream(scope));
              }),
              Calls{});
    EXPECT_EQ(calls_of([&] {
                  EXPECT_OK(gs_push_current_stream(there, &scope));
                  EXPECT_OK(gs_pop_current_stream(scope));
              }),
              (Calls{"cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxSetCurrent"}));
    EXPECT_EQ(calls_of([&] {
                  EXPECT_OK(gs_push_current_stream(here, &scope));
                  EXPECT_OK(gs_set_current_device(1));
                  EXPECT_OK(gs_pop_current_stream(scope));
              }),
              (Calls{"cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxSetCurrent"}));
}

TEST(Counters, DestroyCallsNoDriver) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    gs_event_t event = make_event().release();
    gs_stream_t used = make_stream(0).release();
    ASSERT_OK(gs_event_record(event, used));
    EXPECT_EQ(calls_of([&] {
                  EXPECT_OK(gs_event_destroy(event));
                  EXPECT_OK(gs_stream_destroy(used));
              }),
              Calls{});
}

// A pooled driver stream belongs to its present owner. Two owners take turns; neither may use the other's stream.
TEST(Owners, LeasedStreamsBelongToOneUser) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    std::vector<gs_stream_t> mine;
    for (uint64_t owner = 1; owner <= 40; ++owner) {
        fake().act_as(owner);
        gs_stream_t stream = make_stream(0).release();
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        fake().set_owner(FAKE_CUDA_STREAM, fake().last(FAKE_CUDA_STREAM), owner);
        ASSERT_OK(gs_stream_synchronize(stream));
        if (owner % 3 != 0) {
            mine.push_back(stream); // still this owner's
        } else {
            fake().set_owner(FAKE_CUDA_STREAM, fake().last(FAKE_CUDA_STREAM), 0);
            EXPECT_OK(gs_stream_destroy(stream));
        }
    }
    EXPECT_EQ(fake().violation_text(), "");
    fake().act_as(99); // the check itself works: use of another owner's stream is detected
    EXPECT_OK(gs_stream_sleep(mine[0], 1));
    EXPECT_NE(fake().violation_text().find("owner 1 was used for owner 99"), std::string::npos)
        << fake().violation_text();
    fake().act_as(0);
}

// A thread that set no device follows the driver's current context; with one device no query is needed.
TEST(Counters, TheOnlyDeviceIsTheCurrentOne) {
    OWN_PROCESS({{"FAKE_CUDA_DEVICES", "1"}});
    Stream stream = make_stream(0);
    const StatsDelta stats;
    uint64_t scope = 0;
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_EQ(current_stream(), default_stream(0));
    EXPECT_OK(gs_current_device(&device));
    EXPECT_EQ(device, 0);
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    EXPECT_EQ(current_stream(), stream.get());
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(stats.driver_calls(), 0u);
}

// An event whose first record failed still has a driver event, and other code that gets it may record it.
TEST(Counters, AnEventGivenOutAfterAFailedRecordIsAsked) {
    OWN_PROCESS();
    Gate gate;
    Stream stream = make_stream(0);
    Event event = make_event();
    fake_cuda_fault_t fault{};
    fault.function = "cuEventRecord";
    fault.nth = 1;
    fault.code = CUDA_ERROR_OUT_OF_MEMORY;
    fault.phase = FAKE_CUDA_BEFORE;
    fault.device = -1;
    fake().inject(&fault);
    EXPECT_STATUS(GS_ERROR_OUT_OF_MEMORY, gs_event_record(event, stream));
    fake().clear_fault();
    EXPECT_TRUE(done(event.get())) << "never recorded";
    uintptr_t number = 0;
    ASSERT_OK(gs_event_native(event, &number));
    ASSERT_NE(number, 0u);
    const auto native = reinterpret_cast<CUevent>(number);
    ASSERT_OK(gate.hold(stream));
    const auto record = fake().symbol<PFN_cuEventRecord_v2000>("cuEventRecord");
    ASSERT_EQ(record(native, reinterpret_cast<CUstream>(native_of(stream))), CUDA_SUCCESS);
    EXPECT_FALSE(done(event.get())) << "other code recorded it";
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
}

// In the mode that sleeps the driver wakes the caller up; in the one that spins the library asks.
TEST(Counters, WaitsSleepInTheDriverWhereThatIsWanted) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (const int32_t mode : {GS_WAIT_BLOCK, GS_WAIT_SPIN}) {
        SCOPED_TRACE(mode);
        ASSERT_OK(gs_set_option(GS_OPTION_WAIT_MODE, mode));
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        const uint64_t records = fake().calls("cuEventRecord"), sleeps = fake().calls("cuEventSynchronize");
        std::thread waiter([&] { EXPECT_OK(gs_stream_synchronize(stream)); });
        while (fake().calls("cuEventRecord") == records) std::this_thread::yield();
        gate.open();
        waiter.join();
        EXPECT_EQ(fake().calls("cuEventSynchronize"), sleeps + (mode == GS_WAIT_BLOCK ? 1 : 0));
    }
}

} // namespace
} // namespace gs::test
