// SPDX-License-Identifier: Apache-2.0
// A broken device: sticky errors with their first origin, and lost contexts. Hooks of the host backend cause them; for
// CUDA the fake driver's fault tests do the same with the driver's own codes.
#include <atomic>
#include <string>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int32_t kIllegalAddress = 700;

template <typename Call>
void expect_sticky(Call &&call) {
    EXPECT_STATUS(GS_ERROR_STICKY, call());
    const gs_error_info_t info = last_error();
    EXPECT_EQ(info.sticky, 1);
    EXPECT_NE(std::string(info.message).find(std::to_string(kIllegalAddress)), std::string::npos) << info.message;
    EXPECT_NE(std::string(info.origin).find("the test"), std::string::npos) << info.origin;
}

} // namespace

TEST_P(HostConformanceProcess, StickyFaultReportsItsOriginEverywhere) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other_device = make_stream(1);
    Event event = make_event(), recorded = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(recorded, stream));
    ASSERT_OK(gs_event_synchronize(recorded));
    host::testing::inject_fault(0, kIllegalAddress, "the test");
    int32_t number = 0;
    double ms = 0;
    void *pointer = nullptr;
    gs_stream_t none = nullptr;
    expect_sticky([&] { return gs_stream_query(stream, &number); });
    expect_sticky([&] { return gs_stream_synchronize(stream); });
    expect_sticky([&] { return gs_event_record(event, stream); });
    expect_sticky([&] { return gs_event_wait(recorded, stream); }); // also if it could have been elided
    expect_sticky([&] { return gs_event_query(recorded, &number); });
    expect_sticky([&] { return gs_event_synchronize(recorded); });
    expect_sticky([&] { return gs_event_elapsed_ms(recorded, recorded, &ms); });
    expect_sticky([&] { return gs_device_synchronize(0); });
    expect_sticky([&] { return gs_device_check(0); });
    expect_sticky([&] { return gs_stream_create(0, 0, 0, &none); });
    expect_sticky([&] { return gs_malloc_async(16, stream, &pointer); });
    expect_sticky([&] { return gs_stream_sleep(stream, 1); });
    expect_sticky([&] { return gs_stream_launch_host(stream, [](void *) { ADD_FAILURE() << "called"; }, nullptr); });
    expect_sticky(
        [&] { return gs_stream_notify(stream, [](void *, gs_status_t) { ADD_FAILURE() << "called"; }, nullptr); });
    EXPECT_TRUE(done(event.get())) << "never recorded needs no device";
    // Other devices are not affected.
    EXPECT_OK(gs_device_check(1));
    EXPECT_OK(gs_event_record(event, other_device));
    EXPECT_OK(gs_event_synchronize(event));
    // Destroys are silent (the owners expect GS_OK), and getters still work.
    int64_t id = 0;
    EXPECT_OK(gs_stream_id(stream, &id));
    EXPECT_OK(gs_set_current_stream(stream));
    EXPECT_OK(gs_set_current_stream(default_stream(0)));
}

TEST_P(HostConformanceProcess, PendingWorkOfABrokenDeviceEnds) {
    ROWS("J2");
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    std::atomic<int> told{0};
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_TRUE(host::testing::inject_fault_later(0, native_of(stream), kIllegalAddress, "the test"));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_notify(
        stream, [](void *arg, gs_status_t status) { *static_cast<std::atomic<int> *>(arg) = status; }, &told));
    std::thread waiter([&] { EXPECT_STATUS(GS_ERROR_STICKY, gs_event_synchronize(event)); });
    gate.open();
    waiter.join();
    while (told == 0) std::this_thread::yield();
    EXPECT_EQ(told, GS_ERROR_STICKY)
        << "a notification runs exactly once, also after an error, with the error's status";
    expect_sticky([&] { return gs_stream_synchronize(stream); });
}

TEST_P(HostConformanceProcess, Case22_ContextLost) {
    OWN_PROCESS();
    Stream stream = make_stream(0), there = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    host::testing::lose_context(0, "the test's reset");
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    int32_t number = 0;
    gs_stream_t none = nullptr;
    const StatsDelta stats;
    EXPECT_FAILS(GS_ERROR_CONTEXT_LOST, gs_stream_query, "", stream, &number);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_query(event, &number));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_event_record(event, stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_synchronize(stream));
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_create(0, 0, 0, &none));
    EXPECT_EQ(stats.driver_calls(), 0u) << "a dead handle reached the driver";
    EXPECT_NE(std::string(last_error().origin).find("reset"), std::string::npos) << last_error().origin;
    EXPECT_OK(gs_stream_synchronize(there));
}

} // namespace gs::test
