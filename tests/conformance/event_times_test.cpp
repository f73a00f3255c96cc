// SPDX-License-Identifier: Apache-2.0
// Times of events in nanoseconds, and by the host's clock.
#include <cmath>

#include "base/clock.hpp"
#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

int64_t now() { return static_cast<int64_t>(monotonic_ns()); }

// The time that is reported lies between two looks at the clock, as exactly as is said.
void check_time(gs_event_t event, gs_stream_t stream) {
    const int64_t before = now();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_synchronize(event));
    const int64_t after = now();
    int64_t at = 0, error = 0;
    ASSERT_OK(gs_event_time_ns(event, &at, &error));
    EXPECT_GT(error, 0);
    EXPECT_GE(at + error, before);
    EXPECT_LE(at - error, after);
}

} // namespace

TEST_P(Conformance, Times_ByTheHostsClock) {
    Stream stream = make_stream(0);
    Event event = make_event(GS_EVENT_TIMING), untimed = make_event();
    int64_t at = 5, error = 5;
    EXPECT_FAILS(GS_ERROR_TIMING_DISABLED, gs_event_time_ns, "timing", untimed, &at, &error);
    EXPECT_EQ(at, 0);
    EXPECT_EQ(error, 0);
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_time_ns, "recorded", event, &at, &error);
    for (int i = 0; i < 12; ++i) { // more comparisons than are kept
        ASSERT_OK(gs_device_calibrate(0, &error));
        EXPECT_GT(error, 0);
        check_time(event, stream);
    }
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_device_calibrate(0, &error)) << "the streams of others do not matter";
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_STATUS(GS_NOT_READY, gs_event_time_ns(event, &at, &error));
    gate.open();
}

TEST_P(Conformance, Times_BadArguments) {
    int64_t error = 5;
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_calibrate(99, &error));
    EXPECT_EQ(error, 0);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_device_calibrate(0, nullptr));
    Event event = make_event(GS_EVENT_TIMING);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_time_ns(event, nullptr, &error));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_time_ns(event, &error, nullptr));
}

TEST_P(ConformanceProcess, Times_WithoutAComparison) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    Stream here = make_stream(0), there = make_stream(1);
    Event event = make_event(GS_EVENT_TIMING);
    ASSERT_OK(gs_event_record(event, there));
    ASSERT_OK(gs_event_synchronize(event));
    int64_t at = 0, error = 0;
    ASSERT_OK(gs_device_calibrate(0, &error));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_time_ns, "gs_device_calibrate", event, &at, &error);
    ASSERT_OK(gs_device_calibrate(1, &error));
    check_time(event, there);
}

} // namespace gs::test
