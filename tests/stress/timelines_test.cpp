// SPDX-License-Identifier: Apache-2.0
// Timelines from many threads at once.
#include "stress.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 6;

// Threads signal the next value whenever they can; every value is reached once, and never goes back.
TEST(Timelines, TheValueOnlyGrows) {
    const auto last = static_cast<uint64_t>(rounds(6'000, 600));
    Timeline timeline;
    std::atomic<uint64_t> accepted{0};
    std::atomic<bool> ended{false};
    std::thread watches([&] {
        for (uint64_t before = 0; !ended;) {
            const uint64_t now = timeline.value();
            EXPECT_GE(now, before);
            before = now;
        }
    });
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        Stream stream = make_stream(i % 2);
        for (;;) {
            const uint64_t next = timeline.value() + 1;
            if (next > last) return;
            const bool host = random.chance(30);
            const gs_status_t status =
                host ? gs_timeline_signal(timeline, next) : gs_stream_signal_timeline(stream, timeline, next);
            EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_ARGUMENT) << status;
            if (status == GS_OK) ++accepted;
            if (random.chance(20)) EXPECT_OK(gs_stream_wait_timeline(stream, timeline, next));
        }
    });
    EXPECT_OK(gs_timeline_synchronize(timeline, last, -1));
    ended = true;
    watches.join();
    EXPECT_EQ(accepted, last) << "each value was signalled by one thread";
    settle();
}

// Signals begin as records and are written from some moment on, which streams, readers and host functions choose.
TEST(Timelines, TheWordIsNeededWhileOthersSignal) {
    const int turns = rounds(150, 40);
    constexpr uint64_t kLast = 48; // even values are signalled, odd ones only waited for
    for (int turn = 0; turn < turns; ++turn) {
        Timeline timeline;
        std::atomic<bool> ended{false};
        std::thread reads([&] {
            for (uint64_t before = 0; !ended && turn % 3 != 0;) {
                const uint64_t now = timeline.value();
                EXPECT_GE(now, before);
                EXPECT_EQ(now % 2, 0u);
                before = now;
            }
        });
        run_threads(4, [&](int i) {
            Random random(static_cast<uint32_t>(4 * turn + i));
            Stream stream = make_stream(i % 2);
            for (uint64_t value = 2; value <= kLast; value += 2) {
                if (i == 0) {
                    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, value));
                } else if (random.chance(20)) {
                    // Of a value that is not signalled: the word is needed, unless a larger signal has happened.
                    EXPECT_OK(gs_stream_wait_timeline(stream, timeline, value - random.below(2)));
                } else if (random.chance(4)) {
                    const auto look = [](void *raw) {
                        uint64_t now = 0;
                        EXPECT_OK(gs_timeline_value(static_cast<gs_timeline_t>(raw), &now));
                    };
                    EXPECT_OK(gs_stream_launch_host(stream, look, timeline.get()));
                }
            }
            EXPECT_OK(gs_stream_synchronize(stream));
            if (i != 0) return;
            EXPECT_EQ(timeline.value(), kLast) << "the stream has signalled it";
        });
        ended = true;
        reads.join();
    }
    settle();
}

// Timelines end while other threads signal them, wait for them and abort them.
TEST(Timelines, EndWhileOthersUseThem) {
    const int turns = rounds(1'000, 100);
    std::atomic<gs_timeline_t> shared{nullptr};
    std::atomic<bool> ended{false};
    std::vector<std::thread> users;
    for (int i = 0; i < kThreads; ++i)
        users.emplace_back([&, i] {
            Random random(static_cast<uint32_t>(i));
            Stream stream = make_stream(i % 2);
            const auto fine = [](gs_status_t status) {
                return status == GS_OK || status == GS_ERROR_INVALID_HANDLE || status == GS_ERROR_INVALID_ARGUMENT ||
                       status == GS_ERROR_ABORTED || status == GS_ERROR_TIMEOUT || status == GS_ERROR_DEADLOCK;
            };
            for (uint64_t n = 1; !ended; ++n) {
                const gs_timeline_t timeline = shared;
                const uint64_t value = n % 64 + 1;
                switch (random.below(6)) {
                case 0: EXPECT_TRUE(fine(gs_stream_signal_timeline(stream, timeline, value))); break;
                case 1: EXPECT_TRUE(fine(gs_stream_wait_timeline(stream, timeline, value))); break;
                case 2: EXPECT_TRUE(fine(gs_timeline_signal(timeline, value))); break;
                case 3: EXPECT_TRUE(fine(gs_timeline_synchronize(timeline, value, 100'000))); break;
                case 4: EXPECT_TRUE(fine(gs_timeline_abort(timeline, GS_ERROR_ABORTED))); break;
                default: {
                    uint64_t now = 0;
                    EXPECT_TRUE(fine(gs_timeline_value(timeline, &now)));
                }
                }
            }
            EXPECT_OK(gs_stream_synchronize(stream)) << "no stream is left waiting for a timeline that has ended";
        });
    for (int turn = 0; turn < turns; ++turn) {
        gs_timeline_t timeline = nullptr;
        EXPECT_OK(gs_timeline_create(turn % 2, 0, 0, &timeline));
        const gs_timeline_t before = shared.exchange(timeline);
        if (before) EXPECT_OK(gs_timeline_destroy(before));
    }
    EXPECT_OK(gs_timeline_destroy(shared));
    ended = true;
    for (std::thread &user : users) user.join();
    settle();
}

} // namespace
} // namespace gs::test
