// SPDX-License-Identifier: Apache-2.0
// Queues, waits with a limit and deferred functions from many threads at once.
#include "stress.hpp"
#include "support/entries.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 6;

// Threads add, cancel and take from one queue: every add has one entry, in the order of its stream.
TEST(Completion, ExactlyOneEntryPerAdd) {
    const int count = rounds(2'000, 200);
    Queue queue(1u << 20);
    std::atomic<uint64_t> added{0}, taken{0}, cancelled{0}, reported{0};
    std::atomic<bool> ended{false};
    std::vector<std::thread> takers;
    for (int i = 0; i < 2; ++i)
        takers.emplace_back([&] {
            while (!ended || taken < added) {
                gs_completion_t entries[8];
                size_t got = 0;
                const gs_status_t status = gs_queue_wait(queue, entries, 8, 1'000'000, &got);
                EXPECT_TRUE(status == GS_OK || status == GS_ERROR_TIMEOUT) << status;
                for (size_t k = 0; k < got; ++k)
                    if (entries[k].status == GS_ERROR_CANCELLED) ++cancelled;
                taken += got;
            }
        });
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        Stream stream = make_stream(i % 2);
        Event event = make_event();
        for (int n = 0; n < count; ++n) {
            if (random.chance(10)) {
                EXPECT_OK(gs_stream_sleep(stream, random.below(100'000)));
            }
            const uint64_t token = static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(n);
            if (random.chance(50)) {
                EXPECT_OK(gs_queue_add_stream(queue, stream, token));
            } else {
                EXPECT_OK(gs_event_record(event, stream));
                EXPECT_OK(gs_queue_add_event(queue, event, token));
            }
            ++added;
            if (random.chance(5)) {
                size_t found = 0;
                EXPECT_OK(gs_queue_cancel(queue, token, &found));
                reported += found;
            }
            if (random.chance(2)) event = make_event();
            if (random.chance(1)) {
                EXPECT_OK(gs_queue_wake(queue));
            }
        }
    });
    ended = true;
    for (std::thread &taker : takers) taker.join();
    EXPECT_EQ(taken, added);
    EXPECT_EQ(cancelled, reported);
    EXPECT_EQ(queue.poll(), 0u);
    settle();
}

TEST(Completion, QueuesEndWhileOthersUseThem) {
    const int turns = rounds(300, 40);
    Stream stream = make_stream(0);
    std::atomic<gs_queue_t> shared{nullptr};
    std::atomic<bool> ended{false};
    std::vector<std::thread> users;
    for (int i = 0; i < 4; ++i)
        users.emplace_back([&, i] {
            while (!ended) {
                gs_completion_t entry;
                size_t got = 0;
                const gs_queue_t queue = shared;
                gs_status_t status = GS_OK;
                switch (i) {
                case 0: status = gs_queue_add_stream(queue, stream, 1); break;
                case 1: status = gs_queue_wait(queue, &entry, 1, 100'000, &got); break;
                case 2: status = gs_queue_wake(queue); break;
                default: status = gs_queue_cancel(queue, 1, &got); break;
                }
                EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_HANDLE || status == GS_ERROR_TIMEOUT ||
                            status == GS_ERROR_FULL)
                    << status;
            }
        });
    for (int turn = 0; turn < turns; ++turn) {
        gs_queue_t queue = nullptr;
        EXPECT_OK(gs_queue_create(16, 0, &queue));
        shared = queue;
        std::this_thread::yield();
        EXPECT_OK(gs_queue_destroy(queue));
    }
    ended = true;
    for (std::thread &user : users) user.join();
    settle();
}

// Records of an event go on while threads wait for it, with and without a limit.
TEST(Completion, RecordsAgainstWaits) {
    const int count = rounds(3'000, 300);
    Stream stream = make_stream(0);
    Event event = make_event();
    EXPECT_OK(gs_event_record(event, stream));
    std::atomic<bool> ended{false};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i)
        waiters.emplace_back([&, i] {
            while (!ended) {
                const gs_event_t events[] = {event, event};
                size_t index = 0;
                const gs_status_t status = i == 0   ? gs_event_synchronize_for(event, 50'000)
                                           : i == 1 ? gs_event_synchronize_any(events, 2, 50'000, &index)
                                                    : gs_event_synchronize_all(events, 2, -1);
                EXPECT_TRUE(status == GS_OK || status == GS_ERROR_TIMEOUT) << status;
            }
        });
    for (int n = 0; n < count; ++n) {
        EXPECT_OK(gs_stream_sleep(stream, 20'000));
        EXPECT_OK(gs_event_record(event, stream));
    }
    ended = true;
    for (std::thread &waiter : waiters) waiter.join();
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_TRUE(done(event.get()));
    settle();
}

TEST(Completion, DeferredFunctionsRunOnceFromManyThreads) {
    const int count = rounds(5'000, 500);
    static std::atomic<uint64_t> ran{0};
    ran = 0;
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int n = 0; n < count / 100; ++n) {
            Stream stream = make_stream(i % 2);
            for (int k = 0; k < 100; ++k) {
                EXPECT_OK(gs_stream_defer(stream, [](void *) { ++ran; }, nullptr));
                if (random.chance(10)) {
                    EXPECT_OK(gs_stream_sleep(stream, random.below(10'000)));
                }
            }
        }
    });
    const uint64_t all = static_cast<uint64_t>(kThreads) * static_cast<uint64_t>(count / 100) * 100;
    while (ran < all) {
        EXPECT_OK(gs_trim());
        std::this_thread::yield();
    }
    settle();
    EXPECT_EQ(ran, all);
}

} // namespace
} // namespace gs::test
