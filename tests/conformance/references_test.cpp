// SPDX-License-Identifier: Apache-2.0
// What keeps a stream or an event alive, and when its driver object may be reused.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, RowA2_EveryStreamIsItsOwn) {
    ROWS("A2 A13 C1 C7");
    constexpr size_t kCount = 1000;
    std::vector<Stream> streams;
    std::set<uintptr_t> natives;
    std::set<int64_t> ids;
    for (size_t i = 0; i < kCount; ++i) {
        streams.push_back(make_stream());
        natives.insert(native_of(streams.back()));
        int64_t id = 0;
        ASSERT_OK(gs_stream_id(streams.back(), &id));
        ASSERT_GT(id, int64_t{1} << 48);
        ids.insert(id);
        ASSERT_GE(reinterpret_cast<uintptr_t>(streams.back().get()), uintptr_t{1} << 48);
    }
    EXPECT_EQ(natives.size(), kCount) << "two live streams share a driver stream";
    EXPECT_EQ(ids.size(), kCount);
    EXPECT_EQ(natives.count(0) + natives.count(2), 0u);
}

// Streams that keep the pool empty: the next create must search the used ones or create another.
std::vector<Stream> drain_the_pool() {
    std::vector<Stream> taken;
    StatsDelta stats;
    do {
        taken.push_back(make_stream());
        if (taken.size() > 10'000) {
            ADD_FAILURE() << "the pool is not limited";
            break;
        }
    } while (stats.since(&gs_stats_t::stream_pool_misses) == 0);
    return taken;
}

// The busy stream has been in the pool longest, so every create checks it. All others are created before it is held:
// while a stream is held, a CUDA driver creates only a few more and then waits.
TEST_P(Conformance, RowA2_ReusedOnlyWhenIdle) {
    constexpr size_t kIdle = 20;
    gs_stream_t dead = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &dead));
    const uintptr_t busy = native_of(dead);
    const std::vector<Stream> taken = drain_the_pool();
    std::vector<Stream> used;
    Event idle = make_event();
    for (size_t i = 0; i < kIdle; ++i) {
        used.push_back(make_stream());
        ASSERT_OK(gs_event_record(idle, used.back()));
        ASSERT_OK(gs_event_synchronize(idle));
    }

    Gate gate;
    ASSERT_OK(gate.hold(dead));
    ASSERT_OK(gs_event_record(idle, dead));
    ASSERT_OK(gs_stream_destroy(dead));
    used.clear();
    StatsDelta stats;
    std::vector<Stream> streams;
    for (size_t i = 0; i < kIdle; ++i) {
        streams.push_back(make_stream());
        ASSERT_NE(native_of(streams.back()), busy) << "a stream with pending work was handed to a new owner";
        ASSERT_TRUE(done(streams.back().get()));
    }
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), kIdle) << "idle streams without an owner were left unused";
    gate.open();
    ASSERT_OK(gs_event_synchronize(idle));
    bool again = false;
    for (int i = 0; i < 10'000 && !again; ++i) again = native_of(make_stream()) == busy;
    EXPECT_TRUE(again) << "idle now, but never reused";
}

TEST_P(Conformance, RowA2_WarmCreateReusesDriverStreams) {
    for (int i = 0; i < 3; ++i) make_stream(0).reset();
    StatsDelta stats;
    for (int i = 0; i < 100; ++i) make_stream(0).reset();
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_misses), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), 100u);
    EXPECT_EQ(stats.since(&gs_stats_t::streams_created), 100u);
    EXPECT_EQ(stats.driver_calls(), 0u) << "a stream that was never used is returned and reused without the driver";
}

TEST_P(Conformance, RowC20_CountedReferences) {
    ROWS("C20 A5");
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream));
    EXPECT_OK(gs_stream_retain(stream));
    EXPECT_OK(gs_stream_retain(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_TRUE(done(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    int32_t number = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy, "was destroyed", stream);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_retain(stream));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(stream, &number));

    gs_event_t event = nullptr;
    ASSERT_OK(gs_event_create(0, &event));
    EXPECT_OK(gs_event_retain(event));
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_TRUE(done(event));
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_event_destroy, "was destroyed", event);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_retain(event));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_query(event, &number));
}

TEST_P(Conformance, RowG1_CurrentStreamOutlivesItsLastOwner) {
    ROWS("G1 G3");
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream));
    ASSERT_OK(gs_set_current_stream(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_EQ(current_stream(), stream) << "the thread keeps it";
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy, "no reference", stream);
    // A borrowed handle may be owned again.
    EXPECT_OK(gs_stream_retain(stream));
    ASSERT_OK(gs_set_current_stream(default_stream()));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(stream));
}

TEST_P(Conformance, RowG1_UncurrentEndsAnUnownedStream) {
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream));
    ASSERT_OK(gs_set_current_stream(stream));
    EXPECT_OK(gs_stream_destroy(stream));
    ASSERT_OK(gs_set_current_stream(default_stream()));
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(stream, &number));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_retain(stream));
}

TEST_P(Conformance, RowG1_ScopesKeepTheirStreams) {
    gs_stream_t outer = nullptr;
    ASSERT_OK(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &outer));
    Stream inner = make_stream();
    ASSERT_OK(gs_set_current_stream(outer));
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(inner, &scope));
    EXPECT_OK(gs_stream_destroy(outer)); // saved in the scope only
    ASSERT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(current_stream(), outer);
    EXPECT_OK(gs_stream_synchronize(outer));
    ASSERT_OK(gs_set_current_stream(default_stream()));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize(outer));
}

TEST_P(Conformance, RowG1_NothingKeepsAStreamThatIsCurrentNoMore) {
    const auto expect_ends = [](const char *how, void (*enter_and_leave)(gs_stream_t)) {
        SCOPED_TRACE(how);
        const gs_stream_t stream = make_stream().release();
        enter_and_leave(stream);
        EXPECT_OK(gs_stream_destroy(stream));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_retain(stream)) << "its last owner released it";
    };
    expect_ends("push and pop", [](gs_stream_t stream) {
        uint64_t scope = 0;
        ASSERT_OK(gs_push_current_stream(stream, &scope));
        ASSERT_OK(gs_pop_current_stream(scope));
    });
    expect_ends("deeper than a block of scopes", [](gs_stream_t stream) {
        std::vector<uint64_t> scopes(40);
        for (uint64_t &scope : scopes) ASSERT_OK(gs_push_current_stream(stream, &scope));
        for (; !scopes.empty(); scopes.pop_back()) ASSERT_OK(gs_pop_current_stream(scopes.back()));
    });
    expect_ends("set", [](gs_stream_t stream) {
        ASSERT_OK(gs_set_current_stream(stream));
        ASSERT_OK(gs_set_current_stream(default_stream()));
    });
    expect_ends("exchange", [](gs_stream_t stream) {
        gs_stream_t previous = nullptr, again = nullptr;
        ASSERT_OK(gs_exchange_current_stream(stream, &previous));
        ASSERT_OK(gs_exchange_current_stream(previous, &again));
        EXPECT_OK(gs_stream_destroy(again));
        EXPECT_OK(gs_stream_destroy(previous));
    });
}

TEST_P(Conformance, RowG1_AnotherThreadKeepsItToo) {
    gs_stream_t stream = nullptr;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    std::atomic<int> step{0};
    std::thread holder([&] {
        EXPECT_OK(gs_set_current_stream(stream));
        step = 1;
        while (step != 2) std::this_thread::yield();
        EXPECT_EQ(current_stream(0), stream);
        EXPECT_OK(gs_stream_synchronize(stream));
    }); // ends with the stream still current: thread exit releases it
    while (step != 1) std::this_thread::yield();
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_OK(gs_stream_synchronize(stream)) << "alive as long as a thread has it current";
    step = 2;
    holder.join();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize(stream));
}

TEST_P(Conformance, RowC4_PackAndUnpack) {
    ROWS("A5 C4 C7 C8");
    for (int32_t device = 0; device < device_count(); ++device) {
        Stream stream = make_stream(device);
        gs_stream_triple_t triple{};
        ASSERT_OK(gs_stream_pack(stream, &triple));
        EXPECT_EQ(triple.device_index, device);
        EXPECT_EQ(triple.device_type, GetParam());
        gs_stream_t again = nullptr;
        ASSERT_OK(gs_stream_unpack(&triple, &again));
        EXPECT_EQ(again, stream.get());
        EXPECT_OK(gs_stream_destroy(again)); // it came with a reference of its own
        EXPECT_TRUE(done(stream.get()));
        for (const gs_stream_t immortal : {default_stream(device), per_thread_stream(device)}) {
            gs_stream_triple_t named{};
            ASSERT_OK(gs_stream_pack(immortal, &named));
            ASSERT_OK(gs_stream_unpack(&named, &again));
            EXPECT_EQ(again, immortal);
        }
        gs_stream_triple_t wrong = triple;
        wrong.device_index = (device + 1) % device_count();
        if (wrong.device_index != device) EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_unpack(&wrong, &again));
        wrong = triple;
        wrong.device_index = 1000;
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_unpack(&wrong, &again));
        wrong.device_index = -1;
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_unpack(&wrong, &again));
        wrong = triple;
        wrong.device_type = 77;
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_unpack(&wrong, &again));
        // The bits flipped belong to the index (no slot so far) and to the generation.
        for (const int64_t id :
             {int64_t{1}, int64_t{3}, triple.id ^ int64_t{1} << 20, triple.id ^ int64_t{1} << 30, int64_t{-1}}) {
            wrong = triple;
            wrong.id = id;
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_unpack(&wrong, &again)) << id;
        }
        stream.reset();
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_unpack(&triple, &again)) << "a stale id is detected";
        EXPECT_EQ(again, nullptr);
    }
}

// It has no driver event that could be given up.
TEST_P(Conformance, Events_AnUnrecordedOneEndsOnAnotherThread) {
    for (const uint32_t flags : {0u, static_cast<uint32_t>(GS_EVENT_INTERPROCESS)}) {
        Event event = make_event(flags);
        std::thread([&] { event.reset(); }).join();
        EXPECT_OK(gs_trim());
        Event next = make_event(flags);
        EXPECT_TRUE(done(next.get()));
    }
}

} // namespace gs::test
