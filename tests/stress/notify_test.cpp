// SPDX-License-Identifier: Apache-2.0
// Notifications from many threads: each exactly once, after the work before it, in the order of its stream.
#include "stress.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 8;

struct Lane {
    gs_stream_t stream = nullptr;
    std::atomic<uint64_t> executed{0}; // host functions in the stream
    std::atomic<uint64_t> delivered{0};
    std::atomic<int> disorder{0};
    std::atomic<int> early{0};
};

struct Item {
    Lane *lane;
    uint64_t number;
};

void work(void *opaque) { static_cast<Item *>(opaque)->lane->executed.store(static_cast<Item *>(opaque)->number); }

void notified(void *opaque, gs_status_t status) {
    const Item *item = static_cast<Item *>(opaque);
    if (status != GS_OK || item->lane->executed.load() < item->number) ++item->lane->early;
    if (item->lane->delivered.load() + 1 != item->number) ++item->lane->disorder;
    // It may call the library, and must not wait.
    EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize(item->lane->stream));
    Event event = make_event();
    item->lane->delivered.store(item->number);
    delete item;
}

void wait_for(const std::atomic<uint64_t> &value, uint64_t wanted) {
    while (value.load() < wanted)
        std::this_thread::yield(); // a notification that is lost shows as the test's time limit
}

TEST(Notify, ExactlyOnceAndInOrderPerStream) {
    Lane lanes[kThreads];
    const int count = rounds(2'000, 300);
    run_threads(kThreads, [&](int i) {
        Lane &lane = lanes[i];
        Random random(static_cast<uint32_t>(i));
        Stream stream = make_stream(i % 2);
        lane.stream = stream;
        for (int n = 1; n <= count; ++n) {
            auto *item = new Item{&lane, static_cast<uint64_t>(n)};
            if (random.chance(20)) EXPECT_OK(gs_stream_sleep(stream, random.below(100'000)));
            EXPECT_OK(gs_stream_launch_host(stream, work, item));
            EXPECT_OK(gs_stream_notify(stream, notified, item));
        }
        wait_for(lane.delivered, static_cast<uint64_t>(count));
        lane.stream = nullptr;
    });
    for (Lane &lane : lanes) {
        EXPECT_EQ(lane.delivered, static_cast<uint64_t>(count));
        EXPECT_EQ(lane.disorder, 0);
        EXPECT_EQ(lane.early, 0);
    }
    settle();
}

// The stream may be destroyed, and its thread end, with notifications pending.
TEST(Notify, OutlivesStreamAndThread) {
    std::atomic<uint64_t> delivered{0};
    const int turns = rounds(500, 80);
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int turn = 0; turn < turns; ++turn)
            std::thread([&] {
                Stream stream = make_stream(0);
                EXPECT_OK(gs_stream_sleep(stream, random.below(200'000)));
                EXPECT_OK(gs_stream_notify(
                    stream, [](void *counter, gs_status_t) { ++*static_cast<std::atomic<uint64_t> *>(counter); },
                    &delivered));
            }).join();
    });
    wait_for(delivered, static_cast<uint64_t>(kThreads) * static_cast<uint64_t>(turns));
    settle();
    EXPECT_EQ(delivered, static_cast<uint64_t>(kThreads) * static_cast<uint64_t>(turns));
}

// The dispatcher creates and destroys objects itself, while all other threads do.
TEST(Notify, ANotificationStartsTheNext) {
    struct Chain {
        gs_stream_t stream;
        std::atomic<uint64_t> left;
        std::atomic<uint64_t> ended{0};
        static void next(void *opaque, gs_status_t) {
            Chain &chain = *static_cast<Chain *>(opaque);
            if (--chain.left == 0) {
                chain.ended = 1;
                return;
            }
            Event passing = make_event();
            EXPECT_OK(gs_event_record(passing, chain.stream));
            EXPECT_OK(gs_stream_notify(chain.stream, next, &chain));
        }
    };
    run_threads(4, [&](int) {
        Stream stream = make_stream(0);
        Chain chain{stream, {static_cast<uint64_t>(rounds(300, 60))}};
        EXPECT_OK(gs_stream_notify(stream, Chain::next, &chain));
        wait_for(chain.ended, 1);
    });
    settle();
}

} // namespace
} // namespace gs::test
