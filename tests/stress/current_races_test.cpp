// SPDX-License-Identifier: Apache-2.0
// Current streams: threads make shared streams current and open scopes on them while others destroy those streams, so
// that streams outlive their last owner; threads that come and go and leave their state behind.
#include "stress.hpp"

namespace gs::test {
namespace {

constexpr int kShared = 5;

struct Table {
    Shared<gs_stream_t> streams[kShared];
};

void replace(Table &table, Random &random) {
    gs_stream_t fresh = nullptr;
    EXPECT_OK(gs_stream_create(static_cast<int32_t>(random.below(2)), 0, random.chance(30) ? GS_STREAM_DEDICATED : 0,
                               &fresh));
    gs_stream_t old = table.streams[random.below(kShared)].put(fresh);
    if (old) EXPECT_OK(gs_stream_destroy(old));
}

// The calling thread's own state is consistent, whatever other threads destroy.
void check_own(int32_t device) {
    gs_stream_t current = nullptr;
    int32_t done = 0;
    gs_device_t of_stream = GS_DEVICE_NONE;
    EXPECT_OK(gs_current_stream(device, &current));
    EXPECT_OK(gs_stream_device(current, &of_stream));
    EXPECT_EQ(of_stream, device);
    EXPECT_OK(gs_stream_query(current, &done)); // works even if no owner is left
    EXPECT_OK(gs_stream_sleep(current, 10));
}

void one_step(Table &table, Random &random, std::vector<uint64_t> &scopes) {
    gs_stream_t stream = table.streams[random.below(kShared)].get();
    uint64_t scope = 0;
    switch (random.below(8)) {
    case 0:
    case 1: EXPECT_ALIVE_OR_GONE(gs_set_current_stream(stream)); break;
    case 2:
    case 3: {
        const gs_status_t status = gs_push_current_stream(stream, &scope);
        EXPECT_ALIVE_OR_GONE(status);
        if (status == GS_OK) scopes.push_back(scope);
        break;
    }
    case 4:
        if (scopes.empty()) break;
        EXPECT_OK(gs_pop_current_stream(scopes.back()));
        scopes.pop_back();
        break;
    case 5: {
        gs_stream_t previous = nullptr;
        const gs_status_t status = gs_exchange_current_stream(stream, &previous);
        EXPECT_ALIVE_OR_GONE(status);
        if (status != GS_OK) break;
        int32_t done = 0;
        EXPECT_OK(gs_stream_query(previous, &done)); // this thread owns the reference
        EXPECT_OK(gs_stream_destroy(previous));
        break;
    }
    case 6: {
        // Borrowed: may be retained even after its owners have destroyed it.
        gs_stream_t current = nullptr;
        EXPECT_OK(gs_current_stream(0, &current));
        EXPECT_OK(gs_stream_retain(current));
        EXPECT_OK(gs_stream_sleep(current, 10));
        EXPECT_OK(gs_stream_destroy(current));
        break;
    }
    default: replace(table, random);
    }
    check_own(static_cast<int32_t>(random.below(2)));
}

void unwind(std::vector<uint64_t> &scopes) {
    if (!scopes.empty()) EXPECT_OK(gs_unwind_current_stream(scopes.front()));
    scopes.clear();
    for (int32_t device = 0; device < 2; ++device) EXPECT_OK(gs_set_current_stream(default_stream(device)));
}

void end(Table &table) {
    for (auto &stream : table.streams)
        if (gs_stream_t last = stream.put(nullptr)) EXPECT_OK(gs_stream_destroy(last));
    settle();
}

TEST(CurrentRaces, ScopesOnStreamsThatOthersDestroy) {
    Table table;
    Random first(0);
    for (int i = 0; i < 4 * kShared; ++i) replace(table, first);
    const int steps = rounds(8'000, 600);
    run_threads(10, [&](int i) {
        Random random(static_cast<uint32_t>(i) + 1);
        std::vector<uint64_t> scopes;
        for (int step = 0; step < steps; ++step) {
            one_step(table, random, scopes);
            if (scopes.size() > 40) unwind(scopes); // beyond one block of scopes
        }
        unwind(scopes);
    });
    end(table);
}

// A stream without an owner ends exactly when the last thread stops using it, and its handle with it.
TEST(CurrentRaces, TheLastThreadThatLetsGoEndsTheStream) {
    const int turns = rounds(400, 60);
    for (int turn = 0; turn < turns; ++turn) {
        gs_stream_t stream = nullptr;
        ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
        constexpr int kHolders = 4;
        std::atomic<int> holding{0};
        std::atomic<bool> destroyed{false};
        run_threads(kHolders + 1, [&](int i) {
            if (i == kHolders) {
                while (holding < kHolders) std::this_thread::yield();
                EXPECT_OK(gs_stream_destroy(stream));
                EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(stream)); // no reference is left
                destroyed = true;
                return;
            }
            uint64_t scope = 0;
            EXPECT_OK(i % 2 ? gs_push_current_stream(stream, &scope) : gs_set_current_stream(stream));
            ++holding;
            while (!destroyed) std::this_thread::yield();
            EXPECT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 10));
            if (i == 3) return; // ends with the stream current
            EXPECT_OK(i % 2 ? gs_pop_current_stream(scope) : gs_set_current_stream(default_stream(0)));
        });
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_sleep(stream, 10)) << "in turn " << turn;
    }
    settle();
}

// Threads that leave current streams, open scopes and events behind, many at once.
TEST(CurrentRaces, ThreadsThatComeAndGo) {
    Table table;
    Random first(0);
    for (int i = 0; i < 4 * kShared; ++i) replace(table, first);
    const int generations = rounds(200, 25);
    for (int generation = 0; generation < generations; ++generation)
        run_threads(8, [&](int i) {
            Random random(static_cast<uint32_t>(generation * 8 + i) + 1);
            std::vector<uint64_t> scopes;
            for (int step = 0; step < 40; ++step) one_step(table, random, scopes);
            gs_event_t left_behind = nullptr;
            EXPECT_OK(gs_event_create(0, &left_behind));
            EXPECT_OK(gs_event_record(left_behind, GS_STREAM_CURRENT));
            gs_event_t destroyed = nullptr;
            EXPECT_OK(gs_event_create(GS_EVENT_TIMING, &destroyed));
            EXPECT_OK(gs_event_destroy(destroyed));
            EXPECT_OK(gs_event_destroy(left_behind));
        });
    end(table);
}

// A new thread starts with nothing current, although it may reuse the block of an ended one.
TEST(CurrentRaces, ANewThreadInheritsNothing) {
    const int turns = rounds(1'000, 100);
    Stream stream = make_stream(1);
    for (int turn = 0; turn < turns; ++turn)
        std::thread([&] {
            EXPECT_EQ(current_device(), 0);
            EXPECT_EQ(current_stream(1), default_stream(1));
            EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0));
            uint64_t scope = 0;
            EXPECT_OK(gs_push_current_stream(stream, &scope));
            EXPECT_OK(gs_set_current_stream(stream));
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(nullptr)); // and leaves an error behind
            const gs_error_info_t error = last_error();
            EXPECT_EQ(error.status, GS_ERROR_INVALID_HANDLE);
        }).join();
}

} // namespace
} // namespace gs::test
