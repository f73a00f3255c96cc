// SPDX-License-Identifier: Apache-2.0
// Raw driver streams exported and wrapped again while their owners destroy them, and release functions that must be
// called exactly once.
#include "stress.hpp"

namespace gs::test {
namespace {

// What a release function may do: count itself, and destroy another stream.
struct Owned {
    gs_stream_t source = nullptr;
    std::atomic<int> released{0};

    static void release(void *self) {
        Owned &owned = *static_cast<Owned *>(self);
        ++owned.released;
        EXPECT_OK(gs_stream_destroy(owned.source)); // it may call the library
    }
};

// The driver stream behind a shared-pool handle is never destroyed. When the handle that exported it ends, the library
// forgets it: from then on it is a foreign one.
uintptr_t foreign_native() {
    Stream stream = make_stream(0, GS_STREAM_SHARED);
    return native_of(stream);
}

TEST(OwnershipRaces, ReleaseIsCalledExactlyOnce) {
    const int turns = rounds(1'500, 150);
    for (int turn = 0; turn < turns; ++turn) {
        const uintptr_t native = foreign_native();
        Owned owned;
        ASSERT_OK(gs_stream_create(0, 0, 0, &owned.source));
        gs_stream_t wrapped = nullptr;
        ASSERT_OK(gs_stream_from_native_owned(0, native, Owned::release, &owned, &wrapped));
        std::atomic<int> retained{0};
        run_threads(4, [&](int i) {
            if (i == 0) {
                EXPECT_OK(gs_stream_destroy(wrapped));
                return;
            }
            if (i == 1) {
                uint64_t scope = 0;
                const gs_status_t status = gs_push_current_stream(wrapped, &scope);
                EXPECT_ALIVE_OR_GONE(status);
                if (status == GS_OK) EXPECT_OK(gs_pop_current_stream(scope));
                return;
            }
            const gs_status_t status = gs_stream_retain(wrapped);
            EXPECT_ALIVE_OR_GONE(status);
            if (status != GS_OK) return;
            EXPECT_EQ(owned.released, 0) << "released with a reference left";
            EXPECT_OK(gs_stream_sleep(wrapped, 10));
            EXPECT_OK(gs_stream_destroy(wrapped));
        });
        // A call in flight may have deferred the end to the next create or destroy.
        for (int i = 0; i < 1000 && owned.released == 0; ++i) {
            Stream next = make_stream(0);
            std::this_thread::yield();
        }
        EXPECT_EQ(owned.released, 1) << "in turn " << turn;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_sleep(wrapped, 10));
    }
    settle();
}

// A thread that ends with the wrapper current is its last holder.
TEST(OwnershipRaces, ReleaseAtThreadExit) {
    for (int turn = 0; turn < rounds(200, 40); ++turn) {
        Owned owned;
        ASSERT_OK(gs_stream_create(0, 0, 0, &owned.source));
        gs_stream_t wrapped = nullptr;
        ASSERT_OK(gs_stream_from_native_owned(0, foreign_native(), Owned::release, &owned, &wrapped));
        std::thread([&] {
            EXPECT_OK(gs_set_current_stream(wrapped));
            EXPECT_OK(gs_stream_destroy(wrapped));
            EXPECT_EQ(owned.released, 0);
        }).join();
        for (int i = 0; i < 1000 && owned.released == 0; ++i) Stream next = make_stream(0);
        EXPECT_EQ(owned.released, 1);
    }
}

// The raw handle of a stream is queried, wrapped and used while the stream is destroyed and leased again.
TEST(OwnershipRaces, NativeAgainstDestroy) {
    constexpr int kShared = 4;
    Shared<gs_stream_t> streams[kShared];
    const int steps = rounds(5'000, 500);
    run_threads(8, [&](int i) {
        Random random(static_cast<uint32_t>(i));
        for (int step = 0; step < steps; ++step) {
            Shared<gs_stream_t> &place = streams[random.below(kShared)];
            if (random.chance(30)) {
                gs_stream_t fresh = nullptr;
                EXPECT_OK(gs_stream_create(0, 0, random.chance(30) ? GS_STREAM_SHARED : 0, &fresh));
                if (gs_stream_t old = place.put(fresh)) EXPECT_OK(gs_stream_destroy(old));
                continue;
            }
            gs_stream_t stream = place.get();
            if (gs_stream_retain(stream) != GS_OK) continue;
            const uintptr_t native = native_of(stream);
            gs_stream_t wrapped = nullptr;
            int32_t same = 0;
            EXPECT_OK(gs_stream_from_native(0, native, &wrapped));
            EXPECT_OK(gs_stream_equal(stream, wrapped, &same));
            EXPECT_EQ(same, 1);
            EXPECT_OK(gs_stream_sleep(wrapped, 10));
            EXPECT_OK(gs_stream_destroy(wrapped));
            EXPECT_OK(gs_stream_destroy(stream));
        }
    });
    for (auto &place : streams)
        if (gs_stream_t last = place.put(nullptr)) EXPECT_OK(gs_stream_destroy(last));
    settle();
}

// Exported events: recorded through their raw handle while their owner destroys them.
TEST(OwnershipRaces, NativeEvents) {
    const int turns = rounds(1'500, 150);
    Stream stream = make_stream(0);
    for (int turn = 0; turn < turns; ++turn) {
        Event event = make_event();
        ASSERT_OK(gs_event_record(event, stream));
        uintptr_t native = 0;
        ASSERT_OK(gs_event_native(event, &native));
        run_threads(3, [&](int) {
            gs_event_t wrapped = nullptr;
            EXPECT_OK(gs_event_from_native(0, native, &wrapped)); // its owner keeps it alive
            EXPECT_OK(gs_event_record(wrapped, stream));
            EXPECT_OK(gs_event_synchronize(wrapped));
            EXPECT_OK(gs_event_destroy(wrapped));
        });
    }
    settle();
}

} // namespace
} // namespace gs::test
