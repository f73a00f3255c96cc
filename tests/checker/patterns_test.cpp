// SPDX-License-Identifier: Apache-2.0
// Races as programs have them, after public bugs: each is reported, and its correction is not.
#include <gtest/gtest.h>

#include <thread>

#include "checker/pattern.hpp"
#include "support/gate.hpp"

namespace gs::check::test {
namespace {

// A received buffer is used on another stream before the receive is done (ray#48747, ray PR57112).
TEST_F(CheckPattern, ReceivedOnOneStreamUsedOnAnother) {
    Checking checking;
    ASSERT_OK(write(copy, "receive"));
    ASSERT_OK(read(compute, "use"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].text.find("\"receive\""), std::string::npos) << reports[0].text;
    EXPECT_NE(reports[0].text.find("\"use\""), std::string::npos);
    ASSERT_OK(gs_stream_wait_stream(copy, compute));
    ASSERT_OK(write(copy, "receive 2"));
    ASSERT_OK(gs_event_record(event, copy));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(read(compute, "use 2"));
    EXPECT_EQ(checking.count(), 0u);
}

// The next input overwrites the buffer that the last one's copy still reads (llama.cpp#13299).
TEST_F(CheckPattern, BufferIsFilledAgainWhileItIsRead) {
    Checking checking;
    ASSERT_OK(write(compute, "produce"));
    ASSERT_OK(gs_stream_wait_stream(copy, compute));
    ASSERT_OK(read(copy, "send"));
    ASSERT_OK(write(compute, "produce again"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_wait_stream(compute, copy));
    ASSERT_OK(write(compute, "produce a third time"));
    EXPECT_EQ(checking.count(), 0u);
}

// The event was recorded before the work that it should cover (mstar#66: it ordered only the first use).
TEST_F(CheckPattern, TheRecordCoversOnlyTheFirstUse) {
    Checking checking;
    ASSERT_OK(write(copy, "first"));
    ASSERT_OK(gs_event_record(event, copy));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(read(compute, "use of the first"));
    ASSERT_OK(gs_stream_wait_stream(copy, compute));
    ASSERT_OK(write(copy, "second"));
    ASSERT_OK(gs_stream_wait_event(compute, event)); // not recorded again
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(read(compute, "use of the second"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].text.find("covers only what came before"), std::string::npos) << reports[0].text;
    EXPECT_NE(reports[0].json.find("\"waited_before\":true"), std::string::npos);
}

// A wait that was issued keeps the record that it found, although the event is recorded again afterwards.
TEST_F(CheckPattern, RecordedAgainAfterTheWait) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_event_record(event, copy));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(gs_event_record(event, side));
    ASSERT_OK(read(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_stream_wait_event(side, event)); // side's own record, not copy's
    ASSERT_OK(read(side, "three"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPattern, AnEventThatWasNeverRecordedOrdersNothing) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(read(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
}

// Memory is freed on its own stream while another one still uses it (torchrec#4231, record_stream forgotten).
// Memory that is allocated again may have the address of what was freed: its past is not its own.
// Pinned memory is given back while a copy reads it (vLLM#29288).
TEST_F(CheckPattern, SynchronizingTheWrongStreamProvesNothing) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_synchronize(side));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_stream_synchronize(compute));
    ASSERT_OK(write(copy, "three"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPattern, TheDefaultStreamOrdersBlockingStreamsOnly) {
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING);
    gs_stream_t legacy = nullptr;
    ASSERT_OK(gs_default_stream(0, &legacy));
    Checking checking;
    ASSERT_OK(write(blocking, "one"));
    ASSERT_OK(write(legacy, "two"));
    ASSERT_OK(write(blocking, "three"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "four"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPattern, PerThreadStreamsAreOnesOfTheirOwn) {
    gs_stream_t own = nullptr, legacy = nullptr;
    ASSERT_OK(gs_per_thread_stream(0, &own));
    ASSERT_OK(gs_default_stream(0, &legacy));
    Checking checking;
    ASSERT_OK(write(own, "of this thread"));
    std::thread([&] { EXPECT_OK(write(own, "of that thread")); }).join();
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(read(legacy, "behind both"));
    EXPECT_EQ(checking.count(), 0u);
}

// Two threads that know of each other only by a lock.
TEST_F(CheckPattern, ThreadsHandOverWhatTheyKnow) {
    for (const bool told : {false, true}) {
        Checking checking;
        uint64_t clock = 0;
        std::atomic<int> turn{0};
        std::thread reader([&] {
            EXPECT_OK(gs_check_read(side, &turn, 1, "hello")); // the checker knows the thread from here on
            turn = 1;
            while (turn != 2) std::this_thread::yield();
            if (told) EXPECT_OK(gs_check_handover(&clock));
            EXPECT_OK(read(compute, "other thread"));
            turn = 3;
            while (turn != 4) std::this_thread::yield();
        });
        while (turn != 1) std::this_thread::yield();
        ASSERT_OK(write(copy, "this thread"));
        ASSERT_OK(gs_stream_synchronize(copy));
        if (told) ASSERT_OK(gs_check_handover(&clock));
        EXPECT_EQ(clock != 0, told);
        turn = 2;
        while (turn != 3) std::this_thread::yield();
        EXPECT_EQ(checking.count(), told ? 0u : 1u);
        turn = 4;
        reader.join();
    }
}

// The checker keeps the last clocks; with an older one threads know too much rather than too little.
TEST_F(CheckPattern, ManyClocksRaiseNoAlarm) {
    Checking checking;
    uint64_t first = 0;
    std::atomic<int> turn{0};
    std::thread reader([&] {
        EXPECT_OK(gs_check_read(side, &turn, 1, "hello")); // the checker knows the thread from here on
        turn = 1;
        while (turn != 2) std::this_thread::yield();
        EXPECT_OK(gs_check_handover(&first));
        EXPECT_OK(read(compute, "other thread"));
    });
    while (turn != 1) std::this_thread::yield();
    ASSERT_OK(write(copy, "this thread"));
    ASSERT_OK(gs_stream_synchronize(copy));
    ASSERT_OK(gs_check_handover(&first));
    for (int i = 0; i < 5000; ++i) {
        uint64_t clock = 0;
        ASSERT_OK(gs_check_handover(&clock));
    }
    turn = 2;
    reader.join();
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPattern, AThreadThatHasEndedWasJoined) {
    Checking checking;
    ASSERT_OK(gs_check_read(side, &other, 1, "hello"));
    std::thread([&] {
        EXPECT_OK(write(copy, "worker"));
        EXPECT_OK(gs_stream_synchronize(copy));
    }).join();
    ASSERT_OK(write(compute, "after the join"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPattern, AnEntryOfAQueueProvesWhatItStandsFor) {
    gs_queue_t queue = nullptr;
    ASSERT_OK(gs_queue_create(8, 0, &queue));
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_queue_add_stream(queue, copy, 7));
    ASSERT_OK(read(copy, "behind the point"));
    gs_completion_t entry{};
    size_t count = 0;
    ASSERT_OK(gs_queue_wait(queue, &entry, 1, -1, &count));
    ASSERT_OK(read(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(compute, "three")); // races with what was read behind the point
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_queue_destroy(queue));
}

// It comes at once, whether the work is done or not.
TEST_F(CheckPattern, ACancelledEntryProvesNothing) {
    gs_queue_t queue = nullptr;
    ASSERT_OK(gs_queue_create(8, 0, &queue));
    Checking checking;
    gs::test::Gate gate;
    gate.hold(copy);
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_queue_add_stream(queue, copy, 7));
    size_t count = 0;
    ASSERT_OK(gs_queue_cancel(queue, 7, &count));
    gs_completion_t entry{};
    ASSERT_OK(gs_queue_wait(queue, &entry, 1, -1, &count));
    ASSERT_EQ(entry.status, GS_ERROR_CANCELLED);
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
    gate.open();
    ASSERT_OK(gs_queue_destroy(queue));
}

TEST_F(CheckPattern, AQueryProvesOnlyWhatIsDone) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_event_record(event, copy));
    while (!gs::test::done(event.get())) std::this_thread::yield();
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_stream_sleep(copy, 1000));
    ASSERT_OK(read(copy, "three"));
    ASSERT_OK(write(compute, "four"));
    EXPECT_EQ(checking.count(), 2u); // with the write "two", and with the read "three"
}

// A new stream inherits no order from a stream that has ended.
TEST_F(CheckPattern, StreamsThatEnd) {
    Checking checking;
    {
        Stream brief = make_stream(0);
        ASSERT_OK(write(brief, "brief"));
    }
    Stream next = make_stream(0);
    ASSERT_OK(read(next, "next"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(write(copy, "after all"));
    EXPECT_EQ(checking.count(), 0u);
}

// The checker leaves out accesses in a capture, and the launch of such a graph orders nothing that would be reported.
TEST_F(CheckPattern, CapturesRaiseNoAlarm) {
    Checking checking;
    gs_graph_t graph = nullptr;
    gs_graph_exec_t exec = nullptr;
    ASSERT_OK(gs_stream_begin_capture(copy, GS_CAPTURE_RELAXED));
    ASSERT_OK(write(copy, "captured"));
    ASSERT_OK(gs_event_record(event, copy));
    ASSERT_OK(gs_stream_wait_event(compute, event));
    ASSERT_OK(write(compute, "captured too"));
    ASSERT_OK(gs_event_record(other, compute));
    ASSERT_OK(gs_stream_wait_event(copy, other));
    ASSERT_OK(gs_stream_end_capture(copy, &graph));
    ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
    ASSERT_OK(gs_graph_exec_launch(exec, copy));
    ASSERT_OK(write(compute, "eager"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(gs_graph_exec_destroy(exec));
    ASSERT_OK(gs_graph_destroy(graph));
}

} // namespace
} // namespace gs::check::test
