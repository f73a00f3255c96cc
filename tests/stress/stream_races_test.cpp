// SPDX-License-Identifier: Apache-2.0
// Streams that some threads use while others destroy and replace them; streams are leased, so the driver streams behind
// the handles are reused all the time.
#include <mutex>
#include <set>

#include "stress.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 12;
constexpr int kShared = 6;
constexpr uint32_t kFlags[] = {0, 0, GS_STREAM_BLOCKING, GS_STREAM_SHARED, GS_STREAM_DEDICATED};

struct Table {
    Shared<gs_stream_t> streams[kShared];
    std::vector<Event> events;
};

void replace(Table &table, Random &random) {
    gs_stream_t fresh = nullptr;
    EXPECT_OK(gs_stream_create(static_cast<int32_t>(random.below(2)), 0, kFlags[random.below(5)], &fresh));
    gs_stream_t old = table.streams[random.below(kShared)].put(fresh);
    if (old) EXPECT_OK(gs_stream_destroy(old));
}

bool bound_elsewhere(gs_status_t status) { return alive_or_gone(status) || status == GS_ERROR_DEVICE_MISMATCH; }

void use(Table &table, Random &random) {
    gs_stream_t stream = table.streams[random.below(kShared)].get();
    gs_stream_t other = table.streams[random.below(kShared)].get();
    gs_event_t event = table.events[random.below(static_cast<uint32_t>(table.events.size()))];
    int32_t number = 0;
    gs_stream_info_t info{};
    info.struct_size = sizeof info;
    uintptr_t native = 0;
    switch (random.below(12)) {
    case 0:
    case 1: EXPECT_TRUE(bound_elsewhere(gs_event_record(event, stream))); break;
    case 2:
    case 3: EXPECT_ALIVE_OR_GONE(gs_stream_wait_event(stream, event)); break;
    case 4: EXPECT_ALIVE_OR_GONE(gs_stream_wait_stream(stream, other)); break;
    case 5: EXPECT_ALIVE_OR_GONE(gs_stream_query(stream, &number)); break;
    case 6: EXPECT_ALIVE_OR_GONE(gs_stream_synchronize(stream)); break;
    case 7: EXPECT_ALIVE_OR_GONE(gs_stream_sleep(stream, random.below(20'000))); break;
    case 8: EXPECT_ALIVE_OR_GONE(gs_stream_equal(stream, other, &number)); break;
    case 9: EXPECT_ALIVE_OR_GONE(gs_stream_get_info(stream, &info)); break;
    case 10: EXPECT_ALIVE_OR_GONE(gs_stream_native(stream, &native)); break;
    default: {
        const gs_status_t status = gs_stream_retain(stream);
        EXPECT_ALIVE_OR_GONE(status);
        if (status != GS_OK) break;
        EXPECT_OK(gs_stream_query(stream, &number)); // this thread's now, whatever other threads do
        EXPECT_OK(gs_stream_destroy(stream));
    }
    }
}

TEST(StreamRaces, UseWhileOthersReplace) {
    Table table;
    for (int i = 0; i < 4; ++i) table.events.push_back(make_event());
    use_while_others_replace(kThreads, rounds(15'000, 1'000), table, use, replace);
    for (auto &stream : table.streams)
        if (gs_stream_t last = stream.put(nullptr)) EXPECT_OK(gs_stream_destroy(last));
    settle();
}

// Leases are exclusive: while the owner has its stream, no other owner gets the driver stream behind it.
TEST(StreamRaces, LeasesNeverMeet) {
    std::mutex mutex;
    std::set<uintptr_t> held;
    const int steps = rounds(3'000, 300);
    run_threads(8, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int step = 0; step < steps; ++step) {
            Stream stream = make_stream(0);
            const uintptr_t native = native_of(stream);
            {
                std::lock_guard<std::mutex> lock(mutex);
                EXPECT_TRUE(held.insert(native).second) << "the driver stream has another owner";
            }
            // Work of the last owner would make it busy or out of order.
            if (step % 4 == 0) EXPECT_TRUE(done(stream));
            if (random.chance(50)) EXPECT_OK(gs_stream_sleep(stream, random.below(50'000)));
            std::lock_guard<std::mutex> lock(mutex);
            held.erase(native);
        }
    });
    settle();
}

TEST(StreamRaces, RetainAgainstDestroy) {
    const int turns = rounds(2'000, 200);
    for (int turn = 0; turn < turns; ++turn) {
        gs_stream_t stream = nullptr;
        ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
        run_threads(3, [&](int i) {
            if (i == 0) {
                EXPECT_OK(gs_stream_destroy(stream));
                return;
            }
            const gs_status_t status = gs_stream_retain(stream);
            EXPECT_ALIVE_OR_GONE(status);
            if (status != GS_OK) return;
            EXPECT_OK(gs_stream_sleep(stream, 10));
            EXPECT_OK(gs_stream_destroy(stream));
        });
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_sleep(stream, 10));
    }
    settle();
}

TEST(StreamRaces, OneDestroyWins) {
    const int turns = rounds(2'000, 200);
    for (int turn = 0; turn < turns; ++turn) {
        gs_stream_t stream = nullptr;
        ASSERT_OK(gs_stream_create(0, 0, turn % 3 == 0 ? GS_STREAM_DEDICATED : 0, &stream));
        std::atomic<int> successes{0};
        run_threads(4, [&](int) {
            const gs_status_t status = gs_stream_destroy(stream);
            EXPECT_ALIVE_OR_GONE(status);
            successes += status == GS_OK;
        });
        EXPECT_EQ(successes, 1);
    }
}

// gs_trim takes idle streams away from the pool while others lease from it.
TEST(StreamRaces, TrimWhileOthersCreate) {
    const int steps = rounds(3'000, 300);
    run_threads(8, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int step = 0; step < steps; ++step) {
            if (i < 2) {
                EXPECT_OK(gs_trim());
                continue;
            }
            Stream stream = make_stream(static_cast<int32_t>(random.below(2)));
            Event event = make_event(random.chance(50) ? GS_EVENT_TIMING : 0);
            if (random.chance(70)) EXPECT_OK(gs_event_record(event, stream));
            if (random.chance(30)) EXPECT_OK(gs_stream_synchronize(stream));
        }
    });
    settle();
}

// Statistics read during the calls never decrease and are exact at the end.
TEST(StreamRaces, StatisticsWhileOthersWork) {
    const gs_stats_t before = read_stats();
    std::atomic<int> working{4};
    const int steps = rounds(5'000, 500);
    run_threads(6, [&](int i) {
        if (i < 2) {
            gs_stats_t last = read_stats();
            while (working > 0) {
                const gs_stats_t now = read_stats();
                EXPECT_GE(now.records, last.records);
                EXPECT_GE(now.events_created, last.events_created);
                EXPECT_GE(now.driver_calls, last.driver_calls);
                last = now;
            }
            return;
        }
        Stream stream = make_stream(0);
        for (int step = 0; step < steps; ++step) {
            Event event = make_event();
            EXPECT_OK(gs_event_record(event, stream));
        }
        --working;
    });
    const gs_stats_t after = read_stats();
    EXPECT_EQ(after.records - before.records, 4u * static_cast<unsigned>(steps));
    EXPECT_EQ(after.events_created - before.events_created, 4u * static_cast<unsigned>(steps));
    EXPECT_EQ(after.streams_created - before.streams_created, 4u);
}

} // namespace
} // namespace gs::test
