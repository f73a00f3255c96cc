// SPDX-License-Identifier: Apache-2.0
// Many threads on the same objects.
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Case17_RecordWaitAndQueryFromEightThreads) {
    constexpr int kThreads = 8, kRounds = 300;
    Stream source = make_stream(0);
    Event event = make_event();
    // Byte n is written before record n. A thread that saw record n and then waits must find byte n written.
    constexpr size_t kRecords = 250;
    Bytes bytes(1 + kRecords + kThreads);
    bytes[0] = 1;
    std::atomic<int> recorded{0};
    std::atomic<bool> stop{false};
    std::thread recorder([&] {
        for (int i = 1; i <= int{kRecords} && !stop; ++i) {
            bytes.set(source, static_cast<size_t>(i), 1);
            EXPECT_OK(gs_event_record(event, source));
            recorded = i;
        }
    });
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            Stream sink = make_stream(0);
            const size_t mine = 1 + kRecords + t;
            for (int round = 0; round < kRounds; ++round) {
                bytes.set(sink, mine, 0);
                const int at_least = recorded;
                EXPECT_OK(gs_event_wait(event, sink));
                bytes.copy(sink, mine, static_cast<size_t>(at_least));
                (void)done(event.get());
                if (round % 16 == 0) {
                    EXPECT_OK(gs_stream_synchronize(sink));
                    EXPECT_EQ(bytes[mine], 1) << "the wait did not bind to a record that was current during the call";
                }
                if (round % 64 == 0) EXPECT_OK(gs_event_synchronize(event));
            }
            EXPECT_OK(gs_stream_synchronize(sink));
        });
    for (std::thread &thread : threads) thread.join();
    stop = true;
    recorder.join();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
}

TEST_P(Conformance, AThreadDoesNotInheritWhatAnotherForbade) {
    Stream stream = make_stream(0);
    int32_t before = -1;
    std::thread([&] {
        EXPECT_OK(gs_forbid_sync(1, &before));
        EXPECT_STATUS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize(stream));
    }).join();
    EXPECT_EQ(before, 0);
    // Likely with what the library kept for the thread that has ended.
    std::thread([&] {
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_OK(gs_forbid_sync(0, &before));
    }).join();
    EXPECT_EQ(before, 0);
}

TEST_P(Conformance, RowE6_CreateAndDestroyFromManyThreads) {
    constexpr int kThreads = 8;
    Stream shared = make_stream(0);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                Stream stream = make_stream(0);
                Event event = make_event(i % 2 ? GS_EVENT_TIMING : 0);
                EXPECT_OK(gs_event_record(event, shared));
                EXPECT_OK(gs_event_wait(event, stream));
                EXPECT_OK(gs_event_record(event, stream));
                EXPECT_OK(gs_event_synchronize(event));
                EXPECT_TRUE(done(event.get()));
                EXPECT_TRUE(done(stream.get()));
            }
        });
    for (std::thread &thread : threads) thread.join();
}

TEST_P(Conformance, RowE6_DestroyRacesWithUse) {
    constexpr int kRounds = 300;
    for (int round = 0; round < kRounds; ++round) {
        const gs_stream_t stream = make_stream(0).release();
        const gs_event_t event = make_event().release();
        std::atomic<bool> go{false};
        std::thread user([&] {
            while (!go) std::this_thread::yield();
            for (int i = 0; i < 20; ++i) {
                // Succeeds or finds the handle invalid, and never reaches another owner's object.
                const gs_status_t status = gs_event_record(event, stream);
                EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_HANDLE) << gs_status_name(status);
                int32_t number = 0;
                const gs_status_t query = gs_event_query(event, &number);
                EXPECT_TRUE(query == GS_OK || query == GS_ERROR_INVALID_HANDLE) << gs_status_name(query);
            }
        });
        go = true;
        EXPECT_OK(gs_event_destroy(event));
        EXPECT_OK(gs_stream_destroy(stream));
        user.join();
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(event));
    }
}

TEST_P(Conformance, RowE6_OneOfManyDestroysWins) {
    for (int round = 0; round < 200; ++round) {
        const gs_event_t event = make_event().release();
        const gs_stream_t stream = make_stream(0).release();
        std::atomic<int> events{0}, streams{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                events += gs_event_destroy(event) == GS_OK;
                streams += gs_stream_destroy(stream) == GS_OK;
            });
        for (std::thread &thread : threads) thread.join();
        ASSERT_EQ(events, 1);
        ASSERT_EQ(streams, 1);
    }
}

} // namespace gs::test
