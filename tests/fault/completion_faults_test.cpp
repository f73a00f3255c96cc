// SPDX-License-Identifier: Apache-2.0
// Entries, notifications, limits and deferred functions that are awaited while devices break, contexts are reset and drivers
// fail or end. Each comes once, and says what happened.
#include <set>
#include <thread>
#include <vector>

#include "fault/inject.hpp"
#include "handle/grace.hpp"
#include "support/entries.hpp"
#include "support/foreign_stream.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr size_t kEntries = 10'000;
constexpr size_t kStreams = 10;

std::atomic<int> g_told_status{-1};

// Work that waits for a gate, with everything that can wait for it.
struct Pending {
    std::vector<Stream> streams;
    Event event = make_event();
    Queue queue{kEntries + 1};
    Count deferred{0};
    Gate gate;

    Pending() {
        for (size_t i = 0; i < kStreams; ++i) streams.push_back(make_stream(0));
        EXPECT_OK(gate.hold(streams[0]));
        gate.wait_until_reached(); // else the failed device drops its function, for which the gate's end waits
        for (size_t i = 1; i < kStreams; ++i) EXPECT_OK(gs_stream_wait_stream(streams[i], streams[0]));
        EXPECT_OK(gs_event_record(event, streams[0]));
        EXPECT_OK(gs_stream_defer(streams[1], add_one, &deferred));
        for (size_t i = 0; i < kEntries; ++i) EXPECT_OK(gs_queue_add_stream(queue, streams[i % kStreams], i));
        EXPECT_OK(gs_queue_add_event(queue, event, kEntries));
        g_told_status = -1;
        EXPECT_OK(gs_stream_notify(streams[2], [](void *, gs_status_t status) { g_told_status = status; }, nullptr));
    }

    // Each add has one entry, with one of these statuses and this code.
    void expect_entries(const std::set<gs_status_t> &wanted, int code) {
        std::vector<int> seen(kEntries + 1);
        for (const gs_completion_t &entry : queue.take(kEntries + 1)) {
            ++seen.at(entry.token);
            ASSERT_EQ(wanted.count(entry.status), 1u) << gs_status_name(entry.status);
            ASSERT_EQ(entry.native_code, code) << entry.token;
        }
        EXPECT_EQ(seen, std::vector<int>(kEntries + 1, 1));
        EXPECT_EQ(queue.poll(), 0u);
        while (g_told_status == -1) std::this_thread::yield();
        EXPECT_EQ(wanted.count(g_told_status), 1u) << g_told_status;
    }
};

} // namespace

TEST(CompletionFaults, ADeviceThatBreaks) {
    OWN_PROCESS();
    Stream other = make_stream(1);
    Pending pending;
    std::thread waiter([&] { EXPECT_STATUS(GS_ERROR_STICKY, gs_event_synchronize_for(pending.event, INT64_MAX)); });
    EXPECT_STATUS(GS_ERROR_FULL, gs_queue_add_stream(pending.queue, other, 0));
    fake().break_device(0, 719);
    pending.expect_entries({GS_ERROR_STICKY}, 719);
    waiter.join();
    while (pending.deferred == 0) EXPECT_OK(gs_trim());
    EXPECT_EQ(pending.deferred, 1) << "what it would release is not in use any more";
    EXPECT_STATUS(GS_ERROR_STICKY, gs_queue_add_stream(pending.queue, pending.streams[0], 1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize_for(pending.streams[0], 1));
    ASSERT_OK(gs_queue_add_stream(pending.queue, other, 7));
    EXPECT_EQ(pending.queue.take_one().status, GS_OK) << "the other device works";
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(CompletionFaults, AContextThatIsReset) {
    OWN_PROCESS();
    Pending pending;
    pending.gate.open();
    fake().reset_device(0);
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_device_check(0));
    std::vector<int> seen(kEntries + 1);
    for (const gs_completion_t &entry : pending.queue.take(kEntries + 1)) {
        ++seen.at(entry.token);
        // OK: it was complete before.
        EXPECT_TRUE(entry.status == GS_OK || entry.status == GS_ERROR_CONTEXT_LOST) << gs_status_name(entry.status);
    }
    EXPECT_EQ(seen, std::vector<int>(kEntries + 1, 1));
    while (g_told_status == -1) std::this_thread::yield();
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_queue_add_stream(pending.queue, pending.streams[0], 1));
}

// The thread that asks gets the failures, at any moment: before the driver has done anything, or although it has.
TEST(CompletionFaults, QuestionsThatFail) {
    OWN_PROCESS();
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        Pending pending;
        inject("cuEventQuery", phase, FAKE_CUDA_PERSISTENT);
        pending.expect_entries({GS_ERROR_DRIVER}, 999);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_event_synchronize_for(pending.event, INT64_MAX));
        fake().clear_fault();
        pending.gate.open();
        ASSERT_OK(gs_stream_synchronize_for(pending.streams[0], INT64_MAX));
        ASSERT_OK(gs_queue_add_stream(pending.queue, pending.streams[0], 5));
        EXPECT_EQ(pending.queue.take_one().status, GS_OK) << "the library works afterwards";
        while (pending.deferred == 0) EXPECT_OK(gs_trim());
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// Whether it is about the first entry of the stream or about one ahead: the failure comes with one entry, in its turn.
TEST(CompletionFaults, AQuestionThatFailsIsAnEntrysOwn) {
    OWN_PROCESS();
    constexpr size_t kAdded = 24;
    Stream stream = make_stream(0);
    Queue queue{kAdded};
    uint64_t failed = 0;
    for (int round = 0; round < 64; ++round) {
        const int phase = round & 1 ? FAKE_CUDA_BEFORE : FAKE_CUDA_AFTER;
        const uint64_t nth = static_cast<uint64_t>(round) / 8 + 1;
        const bool early = (round & 2) != 0; // while they are pending: it hits a question about the first one
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        for (size_t i = 0; i < kAdded; ++i) ASSERT_OK(gs_queue_add_stream(queue, stream, i));
        if (early) inject("cuEventQuery", phase, FAKE_CUDA_TRANSIENT, nth);
        gate.open();
        if (!early) inject("cuEventQuery", phase, FAKE_CUDA_TRANSIENT, nth);
        size_t next = 0;
        uint64_t failures = 0;
        for (const gs_completion_t &entry : queue.take(kAdded)) {
            ASSERT_EQ(entry.token, next++);
            failures += entry.status != GS_OK;
        }
        EXPECT_EQ(failures, fake().injected(nullptr, 0));
        failed += failures;
        fake().clear_fault();
    }
    EXPECT_GT(failed, 0u) << "no question was made to fail";
    EXPECT_EQ(fake().violation_text(), "");
}

// An entry serves again for work that is complete already: it must not report the failure of its first use.
TEST(CompletionFaults, NoEntryHasTheFailureOfAnother) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event(), never = make_event();
    Queue queue{1};
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    ASSERT_OK(gs_queue_add_stream(queue, stream, 1));
    EXPECT_EQ(queue.take_one().status, GS_ERROR_DRIVER);
    fake().clear_fault();
    gate.open();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    for (const gs_event_t complete : {gs_event_t(event), gs_event_t(never)}) {
        ASSERT_OK(gs_queue_add_event(queue, complete, 2));
        const gs_completion_t entry = queue.take_one();
        EXPECT_EQ(entry.status, GS_OK);
        EXPECT_EQ(entry.native_code, 0);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// A question that fails says nothing about the work, which still uses what a deferred function releases.
TEST(CompletionFaults, AQuestionThatFailsRunsNoDeferredFunction) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        Count ran{0}, told{0};
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(gs_stream_defer(stream, add_one, &ran));
        inject("cuEventQuery", phase);
        ASSERT_OK(gs_trim()); // marks it
        while (fake().injected(nullptr, 0) == 0) std::this_thread::yield();
        // Behind the function, had that been due.
        ASSERT_OK(gs_stream_notify(other, [](void *count, gs_status_t) { add_one(count); }, &told));
        while (told == 0) std::this_thread::yield();
        EXPECT_EQ(ran, 0) << "the work is not done";
        gate.open();
        while (ran == 0) std::this_thread::yield();
        EXPECT_EQ(ran, 1);
        fake().clear_fault();
    }
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(CompletionFaults, ADriverThatEnds) {
    OWN_PROCESS();
    Pending pending;
    fake().deinitialise();
    pending.expect_entries({GS_ERROR_SHUTDOWN}, 4);
    EXPECT_STATUS(GS_ERROR_SHUTDOWN, gs_queue_add_stream(pending.queue, pending.streams[0], 1));
    pending.gate.open();
}

// A mark that fails leaves its functions for the next one.
TEST(CompletionFaults, MarksThatFail) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count ran{0};
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        ran = 0;
        ASSERT_OK(gs_stream_defer(stream, add_one, &ran));
        inject("cuEventRecord", phase);
        ASSERT_OK(gs_stream_sleep(stream, 1));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(fake().injected(nullptr, 0), 1u);
        EXPECT_EQ(ran, 0);
        ASSERT_OK(gs_stream_sleep(stream, 1));
        while (ran == 0) std::this_thread::yield();
        EXPECT_EQ(ran, 1);
    }
}

// A stream of the library waits for such an event.
TEST(CompletionFaults, AnEventOfOtherCodeThatNoStreamCanWaitFor) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    uintptr_t native = 0;
    ASSERT_OK(gs_event_native(event, &native));
    inject("cuStreamCreateWithPriority", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_queue_add_event(queue, event, 1));
    EXPECT_EQ(fake().injected(nullptr, 0), 1u);
    ASSERT_OK(gs_queue_add_event(queue, event, 2));
    gate.open();
    EXPECT_EQ(queue.take_one().token, 2u);
    EXPECT_EQ(fake().violation_text(), "");
}

// Once the wrap has ended, the owner of the driver's stream may end that too, while another thread is inside a call for long.
TEST(CompletionFaults, DeferredFunctionsOfAWrapAreMarkedBeforeItsEnd) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    gs_stream_t wrap = nullptr;
    ASSERT_OK(gs_stream_from_native(0, foreign.native(), &wrap));
    Count ran{0};
    std::atomic<bool> inside{false}, leave{false};
    std::thread other([&] {
        ASSERT_OK(gs_stream_sleep(wrap, 1)); // the wrap is of two threads
        const CallMark mark(*this_thread());
        inside = true;
        while (!leave) std::this_thread::yield();
    });
    while (!inside) std::this_thread::yield();
    ASSERT_OK(gs_stream_defer(wrap, add_one, &ran));
    ASSERT_OK(gs_stream_destroy(wrap));
    ForeignStream::release(&foreign);
    leave = true;
    other.join();
    ASSERT_OK(gs_trim());
    ASSERT_EQ(fake().violation_text(), "");
    while (ran == 0) std::this_thread::yield();
}

} // namespace gs::test
