// SPDX-License-Identifier: Apache-2.0
// Events that some threads use while others destroy and replace them.
#include "stress.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 12;
constexpr int kShared = 6;
constexpr uint32_t kFlags[] = {0, GS_EVENT_TIMING, GS_EVENT_BLOCKING, GS_EVENT_TIMING | GS_EVENT_BLOCKING,
                               GS_EVENT_EXTERNAL};

struct Table {
    Shared<gs_event_t> events[kShared];
    std::vector<Stream> streams;
};

void replace(Table &table, Random &random) {
    gs_event_t fresh = nullptr;
    EXPECT_OK(gs_event_create(kFlags[random.below(5)], &fresh));
    gs_event_t old = table.events[random.below(kShared)].put(fresh);
    if (old) EXPECT_OK(gs_event_destroy(old)); // only the thread that took it out destroys it
}

void use(Table &table, Random &random) {
    gs_event_t event = table.events[random.below(kShared)].get();
    gs_event_t other = table.events[random.below(kShared)].get();
    gs_stream_t stream = table.streams[random.below(static_cast<uint32_t>(table.streams.size()))];
    int32_t done = 0;
    uint64_t number = 0;
    gs_event_info_t info{};
    info.struct_size = sizeof info;
    gs_device_t device = 0;
    double ms = 0;
    switch (random.below(10)) {
    case 0:
    case 1: EXPECT_ALIVE_OR_GONE(gs_event_record(event, stream)); break;
    case 2:
    case 3: EXPECT_ALIVE_OR_GONE(gs_stream_wait_event(stream, event)); break;
    case 4: EXPECT_ALIVE_OR_GONE(gs_event_query(event, &done)); break;
    case 5: EXPECT_ALIVE_OR_GONE(gs_event_synchronize(event)); break;
    case 6: EXPECT_ALIVE_OR_GONE(gs_event_id(event, &number)); break;
    case 7: EXPECT_ALIVE_OR_GONE(gs_event_get_info(event, &info)); break;
    case 8: EXPECT_ALIVE_OR_GONE(gs_event_device(event, &device)); break;
    default: {
        const gs_status_t status = gs_event_elapsed_ms(event, other, &ms);
        EXPECT_TRUE(alive_or_gone(status) || status == GS_NOT_READY || status == GS_ERROR_NOT_RECORDED ||
                    status == GS_ERROR_TIMING_DISABLED)
            << gs_status_name(status);
    }
    }
}

TEST(EventRaces, UseWhileOthersReplace) {
    Table table;
    for (int i = 0; i < 4; ++i) table.streams.push_back(make_stream(0));
    use_while_others_replace(kThreads, rounds(20'000, 1'500), table, use, replace);
    for (auto &event : table.events)
        if (gs_event_t last = event.put(nullptr)) EXPECT_OK(gs_event_destroy(last));
    settle();
}

// Retain against destroy: a retained event works until it is released, and the handle ends exactly once.
TEST(EventRaces, RetainAgainstDestroy) {
    const int turns = rounds(3'000, 300);
    for (int turn = 0; turn < turns; ++turn) {
        gs_event_t event = nullptr;
        ASSERT_OK(gs_event_create(0, &event));
        std::atomic<int> retained{0};
        run_threads(3, [&](int i) {
            if (i == 0) {
                EXPECT_OK(gs_event_destroy(event));
                return;
            }
            const gs_status_t status = gs_event_retain(event);
            EXPECT_ALIVE_OR_GONE(status);
            if (status != GS_OK) return;
            ++retained;
            EXPECT_EQ(facts_of(event).flags, 0u);
            EXPECT_OK(gs_event_destroy(event));
        });
        uint64_t id = 0;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_id(event, &id));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_destroy(event));
    }
}

// One reference, many threads that release it: exactly one succeeds.
TEST(EventRaces, OneDestroyWins) {
    const int turns = rounds(2'000, 200);
    for (int turn = 0; turn < turns; ++turn) {
        gs_event_t event = nullptr;
        ASSERT_OK(gs_event_create(0, &event));
        std::atomic<int> successes{0};
        run_threads(4, [&](int) {
            const gs_status_t status = gs_event_destroy(event);
            EXPECT_ALIVE_OR_GONE(status);
            successes += status == GS_OK;
        });
        EXPECT_EQ(successes, 1);
    }
}

// Blocking calls hold the event by a pin while it is destroyed and its slot is requested again.
TEST(EventRaces, DestroyWhileOthersSynchronize) {
    const int turns = rounds(300, 40);
    Stream stream = make_stream(0);
    for (int turn = 0; turn < turns; ++turn) {
        gs_event_t event = nullptr;
        ASSERT_OK(gs_event_create(turn % 2 ? GS_EVENT_BLOCKING : 0, &event));
        ASSERT_OK(gs_stream_sleep(stream, 200'000));
        ASSERT_OK(gs_event_record(event, stream));
        run_threads(4, [&](int i) {
            if (i > 0) {
                EXPECT_ALIVE_OR_GONE(gs_event_synchronize(event));
                return;
            }
            EXPECT_OK(gs_event_destroy(event));
            for (int n = 0; n < 80; ++n) { // would take the slot if it were free
                Event passing = make_event();
                EXPECT_OK(gs_event_record(passing, stream));
            }
        });
    }
    settle();
}

} // namespace
} // namespace gs::test
