// SPDX-License-Identifier: Apache-2.0
// Completion in a forked child, at the end of the process, after a fault, and in a process that waits for nothing.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/clock.hpp"
#include "base/testing.hpp"
#include "conformance/conformance.hpp"
#include "core/completion/lanes.hpp"
#include "core/completion/point.hpp"
#include "handle/handle_bits.hpp"
#include "support/entries.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kAddressError = 700;

// Everything of the child's that could reach the parent's queue.
void use_in_child(gs_queue_t queue, gs_stream_t stream, gs_event_t event) {
    gs_completion_t entry;
    size_t count = 1;
    int32_t fd = 0;
    gs_queue_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_add_stream(queue, stream, 1));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_add_event(queue, event, 1));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_poll(queue, &entry, 1, &count));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_wait(queue, &entry, 1, -1, &count));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_cancel(queue, 1, &count));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_wake(queue));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_fd(queue, &fd));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_queue_create(1, 0, &none));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_stream_synchronize_for(stream, -1));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_event_synchronize_all(&event, 1, -1));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_device_synchronize_for(0, 1));
    EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_stream_defer(stream, [](void *) { ADD_FAILURE(); }, nullptr));
    EXPECT_OK(gs_queue_destroy(queue));
}

} // namespace

TEST_P(ConformanceProcess, Queue_InAForkedChild) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    Queue queue;
    int32_t fd = -1;
    ASSERT_OK(gs_queue_fd(queue, &fd));
    static std::atomic<int> g_ran{0};
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    ASSERT_OK(gs_queue_add_event(queue, event, 2));
    ASSERT_OK(gs_stream_defer(stream, [](void *) { ++g_ran; }, nullptr));
    const pid_t child = fork();
    if (child == 0) {
        use_in_child(queue, stream, event);
        EXPECT_EQ(g_ran, 0);
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    gate.open();
    EXPECT_EQ(queue.take(2).size(), 2u) << "the parent's entries come";
    ASSERT_OK(gs_trim());
    while (g_ran == 0) std::this_thread::yield();
}

TEST_P(ConformanceProcess, Queue_ExitWithEntriesPending) {
    if (std::getenv("GS_TEST_EXIT")) {
        const gs_stream_t held = make_stream().release();
        gs_queue_t queue = nullptr;
        EXPECT_OK(gs_queue_create(8, 0, &queue));
        EXPECT_OK(gs_stream_sleep(held, 6'000'000'000)); // longer than any sanitizer keeps the process after exit()
        EXPECT_OK(gs_queue_add_stream(queue, held, 1));
        EXPECT_OK(gs_stream_defer(held, [](void *) { std::abort(); }, nullptr));
        std::thread([queue] {
            gs_completion_t entry;
            size_t count = 0;
            (void)gs_queue_wait(queue, &entry, 1, -1, &count);
        }).detach();
        std::thread([held] { (void)gs_stream_synchronize_for(held, INT64_MAX); }).detach();
        std::exit(::testing::Test::HasFailure() ? 1 : 42);
    }
    const ChildResult child =
        run_self("ConformanceProcess.Queue_ExitWithEntriesPending/" + std::string(backend_name(GetParam())),
                 {{"GS_TEST_EXIT", "1"}});
    EXPECT_FALSE(child.timed_out) << child.output;
    EXPECT_TRUE(WIFEXITED(child.status) && WEXITSTATUS(child.status) == 42) << child.status << "\n" << child.output;
}

// An idle process is not woken up: the scanner parks a moment after the last entry.
TEST_P(ConformanceProcess, Queue_AnIdleProcessSleeps) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Queue queue;
    for (uint64_t i = 0; i < 10; ++i) {
        ASSERT_OK(gs_stream_sleep(stream, 1000));
        ASSERT_OK(gs_queue_add_stream(queue, stream, i));
        (void)queue.take_one();
    }
    uint64_t before = 0, after = scanner_turns();
    do { // until a tenth of a second passes without one
        before = after;
        usleep(100'000);
        after = scanner_turns();
    } while (after != before);
    EXPECT_EQ(after, before);
}

// The lane may end after the thread has found it and before its point is in. Here it was never there: the work counts from
// the scanner's first look at the point.
TEST_P(ConformanceProcess, Queue_AnAddBehindALaneThatHasEnded) {
    OWN_PROCESS();
    const uint64_t began = monotonic_ns();
    Stream busy = make_stream(0);
    Stream stream = make_stream(0);
    const uint64_t lane = handle_bits(stream.get());
    Queue queue;
    Gate gate; // one for both streams: a driver runs one host function at a time
    ASSERT_OK(gate.hold(busy));
    ASSERT_OK(gs_queue_add_stream(queue, busy, 1)); // so that the scanner looks for new points again and again
    while (!g_lane_keys.has(handle_bits(busy.get()))) usleep(100);
    ASSERT_OK(gate.hold(stream));
    g_lane_keys.add(lane);
    ASSERT_OK(gs_queue_add_stream(queue, stream, 2));
    for (const uint64_t turns = scanner_turns(); scanner_turns() < turns + 2;) usleep(100);
    gate.open();
    (void)queue.take(2);
    const Learner::Window window = learner_of(stream_slots().find(lane)->device->index).window();
    EXPECT_TRUE(window.known);
    EXPECT_LE(window.high_ns, monotonic_ns() - began);
}

// What is added behind pending entries of its stream is asked about after them: the scanner is not woken for it.
TEST_P(ConformanceProcess, Queue_AnAddBehindOthersWakesNoThread) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 0));
    const uint64_t lane = handle_bits(stream.get());
    while (!g_lane_keys.has(lane)) usleep(100);
    const uint64_t wakes = scanner_wakes();
    for (uint64_t i = 1; i < 300; ++i) {
        for (const uint64_t turns = scanner_turns(); i % 100 == 0 && scanner_turns() == turns;)
            usleep(100); // it sleeps in between
        ASSERT_OK(gs_queue_add_stream(queue, stream, i));
    }
    EXPECT_EQ(scanner_wakes(), wakes);
    gate.open();
    const auto entries = queue.take(300);
    for (uint64_t i = 0; i < 300; ++i) ASSERT_EQ(entries[i].token, i);
    while (g_lane_keys.has(lane)) usleep(100);
}

// Two hours pass at once, as on a machine that was stopped: limits are over, what is learned is far off, nothing is lost.
TEST_P(ConformanceProcess, Queue_AClockThatJumpsLosesNothing) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    ASSERT_OK(gs_queue_add_event(queue, event, 2));
    constexpr int64_t kHour = 3'600'000'000'000;
    std::atomic<int> waiting{0};
    std::thread limited([&] {
        ++waiting;
        const gs_status_t status = gs_event_synchronize_for(event, kHour);
        EXPECT_TRUE(status == GS_ERROR_TIMEOUT || status == GS_OK) << status; // OK: it began after the jump
    });
    std::thread endless([&] {
        ++waiting;
        EXPECT_OK(gs_event_synchronize_for(event, -1));
    });
    while (waiting < 2) std::this_thread::yield();
    gs::testing::clock_ahead_ns = 2 * kHour;
    gs_completion_t none;
    size_t count = 0;
    EXPECT_EQ(gs_queue_wait(queue, &none, 1, 1'000'000, &count), GS_ERROR_TIMEOUT);
    gate.open();
    limited.join();
    endless.join();
    EXPECT_EQ(queue.take(2).size(), 2u);
    for (uint64_t i = 0; i < 20; ++i) { // more than is remembered
        ASSERT_OK(gs_stream_sleep(stream, 50'000));
        ASSERT_OK(gs_queue_add_stream(queue, stream, i));
        EXPECT_EQ(queue.take_one().token, i);
        ASSERT_OK(gs_stream_synchronize_for(stream, kHour));
    }
}

// A faulted stream never signals, but each of its entries reports the fault.
TEST_P(HostConformanceProcess, Queue_EntriesOfABrokenDeviceReportIt) {
    OWN_PROCESS();
    constexpr size_t kEntries = 10'000;
    std::vector<Stream> streams;
    for (int i = 0; i < 10; ++i) streams.push_back(make_stream(0));
    Event event = make_event();
    Queue queue(kEntries + 1);
    Gate gate;
    ASSERT_OK(gate.hold(streams[0]));
    ASSERT_TRUE(host::testing::inject_fault_later(0, native_of(streams[0]), kAddressError, "the test"));
    for (size_t i = 1; i < streams.size(); ++i) ASSERT_OK(gs_stream_wait_stream(streams[i], streams[0]));
    ASSERT_OK(gs_event_record(event, streams[0]));
    for (size_t i = 0; i < kEntries; ++i) ASSERT_OK(gs_queue_add_stream(queue, streams[i % streams.size()], i));
    ASSERT_OK(gs_queue_add_event(queue, event, kEntries));
    std::thread waiter([&] { EXPECT_STATUS(GS_ERROR_STICKY, gs_event_synchronize_for(event, INT64_MAX)); });
    gate.open();
    std::vector<int> seen(kEntries + 1);
    for (const gs_completion_t &entry : queue.take(kEntries + 1)) {
        ++seen.at(entry.token);
        EXPECT_EQ(entry.status, GS_ERROR_STICKY);
        EXPECT_NE(entry.native_code, 0);
    }
    EXPECT_EQ(seen, std::vector<int>(kEntries + 1, 1));
    waiter.join();
    EXPECT_STATUS(GS_ERROR_STICKY, gs_queue_add_stream(queue, streams[0], 1));
    EXPECT_EQ(queue.poll(), 0u);
}

TEST_P(HostConformance, Queue_CapturingStreamsAreRefused) {
    Stream stream = make_stream(0);
    Queue queue;
    ASSERT_TRUE(host::testing::begin_capture(0, native_of(stream)));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_queue_add_stream(queue, stream, 1));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_synchronize_for(stream, 1'000'000));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize_for(0, 1'000'000));
    int32_t capturing = 0;
    EXPECT_OK(gs_stream_is_capturing(stream, &capturing));
    EXPECT_EQ(capturing, 1) << "the refused calls left the capture intact";
    EXPECT_TRUE(host::testing::end_capture(0, native_of(stream)));
    EXPECT_EQ(queue.poll(), 0u);
    EXPECT_OK(gs_queue_add_stream(queue, stream, 2));
    EXPECT_EQ(queue.take_one().token, 2u);
}

} // namespace gs::test
