// SPDX-License-Identifier: Apache-2.0
// The time of day may be set back or forward at any moment. No wait of the library may depend on it.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace {

std::atomic<time_t> g_ahead{0};      // seconds by which this process sees the time of day ahead of the kernel's
std::atomic<uint64_t> g_realtime{0}; // how often it was asked for

} // namespace

// Replaces the C library's function in this process. A limit computed from it lies ahead of the kernel's clock by as much as
// if the time of day had been set back after the computation. It is noexcept where the header's declaration is.
extern "C" int clock_gettime(clockid_t clock, timespec *out) noexcept(noexcept(::clock_gettime(clock, out))) {
    const long result = syscall(SYS_clock_gettime, clock, out);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        g_realtime.fetch_add(1);
        out->tv_sec += g_ahead.load();
    }
    return static_cast<int>(result);
}

namespace gs::test {
namespace {

// All waits with a limit: the dispatcher's pauses, the timers, blocking synchronization.
GS_CHILD(time_set_back) {
    static std::atomic<int> notified{0};
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream) == GS_OK);
    CHILD_REQUIRE(gs_event_create(GS_EVENT_BLOCKING, &event) == GS_OK);
    timespec now{};
    CHILD_REQUIRE(clock_gettime(CLOCK_REALTIME, &now) == 0 && g_realtime == 1); // the replacement is in use
    g_ahead = 86400;
    // Long enough that the dispatcher has stopped polling eagerly and pauses between queries.
    CHILD_REQUIRE(gs_stream_sleep(stream, 300'000'000) == GS_OK);
    CHILD_REQUIRE(gs_stream_notify(stream, [](void *, gs_status_t) { notified = 1; }, nullptr) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, stream) == GS_OK && gs_event_synchronize(event) == GS_OK);
    while (!notified) sched_yield();
    CHILD_REQUIRE(g_realtime == 1); // the library did not read the time of day
    return 0;
}

TEST(Clock, TheTimeOfDayDelaysNothing) {
    const Outcome outcome = run_self_as("time_set_back");
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
}

} // namespace
} // namespace gs::test
