// SPDX-License-Identifier: Apache-2.0
// Owners hold one reference, and moving passes it on.
#include <gtest/gtest.h>

#include <chrono>
#include <gpustream.hpp>
#include <thread>
#include <unordered_set>

using namespace gpustream;

static_assert(!std::is_copy_constructible_v<stream> && std::is_nothrow_move_constructible_v<stream>);
static_assert(!std::is_copy_constructible_v<event> && std::is_nothrow_move_assignable_v<event>);
static_assert(!std::is_copy_constructible_v<buffer> && !std::is_copy_constructible_v<graph_exec>);
static_assert(sizeof(stream) == sizeof(gs_stream_t) && sizeof(event_ref) == sizeof(gs_event_t));
static_assert(std::is_trivially_copyable_v<stream_ref> && std::is_trivially_copyable_v<timed_event_ref>);
// A timed event is an event; an event is none with a time.
static_assert(std::is_convertible_v<timed_event, event_ref> && !std::is_convertible_v<event, timed_event_ref>);
static_assert(!std::is_convertible_v<event_ref, timed_event_ref> && !std::is_convertible_v<timed_event, event>);
static_assert(!std::is_convertible_v<gs_stream_t, stream> && !std::is_convertible_v<gs_stream_t, stream_ref>);

namespace {

bool lives(gs_stream_t handle) {
    int64_t id = 0;
    return gs_stream_id(handle, &id) == GS_OK;
}

TEST(Owners, DestructorEndsTheReference) {
    gs_stream_t handle = nullptr;
    {
        const stream owned = stream::create();
        handle = owned.get();
        EXPECT_TRUE(lives(handle));
    }
    EXPECT_FALSE(lives(handle));
}

TEST(Owners, MovingPassesTheReferenceOn) {
    stream first = stream::create();
    const gs_stream_t handle = first.get();
    stream second = std::move(first);
    EXPECT_FALSE(first); // NOLINT(bugprone-use-after-move): what is left is specified
    EXPECT_EQ(second.get(), handle);
    stream third = stream::create();
    const gs_stream_t replaced = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), handle);
    EXPECT_FALSE(lives(replaced));
    stream &same = third;
    third = std::move(same);
    EXPECT_TRUE(lives(handle));
}

TEST(Owners, RetainedReferencesEndOneByOne) {
    stream first = stream::create();
    const gs_stream_t handle = first.get();
    stream second = stream::retain(first);
    first.close();
    EXPECT_TRUE(lives(handle));
    EXPECT_TRUE(second.query());
    second.reset();
    EXPECT_FALSE(lives(handle));
}

TEST(Owners, ReleaseGivesTheHandleAway) {
    event owned = event::create();
    const gs_event_t handle = owned.release();
    EXPECT_FALSE(owned);
    event again(handle);
    EXPECT_EQ(again.get(), handle);
}

TEST(Owners, EmptyOnesFailWithInvalidHandle) {
    const stream none;
    const event nothing;
    for (const auto &call :
         {+[](stream_ref s, event_ref) { s.synchronize(); }, +[](stream_ref s, event_ref) { s.query(); },
          +[](stream_ref s, event_ref e) { s.record(e); }, +[](stream_ref, event_ref e) { e.query(); }})
        try {
            call(none, nothing);
            ADD_FAILURE() << "accepted";
        } catch (const error &failure) {
            EXPECT_EQ(failure.status(), status::invalid_handle);
        }
    stream closed;
    EXPECT_THROW(closed.close(), error);
    EXPECT_THROW(stream::retain(none), error);
}

TEST(Owners, ClosedTwiceIsAFailureNotACrash) {
    stream owned = stream::create();
    const stream_ref stale = owned;
    owned.close();
    EXPECT_THROW(stale.synchronize(), error);
    EXPECT_THROW(owned.close(), error);
    EXPECT_THROW(stream(stale.get()).close(), error);
}

TEST(Owners, IntoNativeGivesTheDriversStreamAway) {
    stream owned = stream::create(0, 0, stream_flags::dedicated);
    const uintptr_t native = std::move(owned).into_native();
    EXPECT_NE(native, 0u);
    EXPECT_FALSE(owned); // NOLINT(bugprone-use-after-move)
    const stream wrapped = stream::from_native(0, native);
    EXPECT_EQ(wrapped.native(), native);
}

TEST(Owners, AdoptedStreamsCallTheirReleaseOnce) {
    const uintptr_t native = stream::create(0, 0, stream_flags::dedicated).into_native();
    int released = 0;
    {
        stream adopted = stream::adopt_native(0, native, [&] { ++released; });
        EXPECT_EQ(adopted.native(), native);
        EXPECT_EQ(released, 0);
    }
    EXPECT_EQ(released, 1);
    EXPECT_THROW(stream::adopt_native(0, 5, [&] { ++released; }), error);
    EXPECT_EQ(released, 1);
}

TEST(Owners, EqualityAndHashAreTheStreams) {
    const stream one = stream::create();
    const stream other = stream::create();
    const stream wrapped = stream::from_native(0, one.native());
    EXPECT_TRUE(one == wrapped);
    EXPECT_TRUE(one != other);
    EXPECT_EQ(std::hash<stream_ref>()(one), std::hash<stream_ref>()(wrapped));
    std::unordered_set<stream_ref> known{one, other, wrapped};
    EXPECT_EQ(known.size(), 2u);
    EXPECT_TRUE(stream_ref() == stream_ref());
    EXPECT_TRUE(stream_ref() != stream_ref(one));
}

TEST(Owners, FlagsAndPrioritiesArriveAndReturn) {
    const stream blocking = stream::create(0, 0, stream_flags::blocking | stream_flags::dedicated);
    EXPECT_TRUE(blocking.flags() & stream_flags::blocking);
    EXPECT_TRUE(blocking.flags() & stream_flags::dedicated);
    EXPECT_FALSE(blocking.flags() & stream_flags::shared);
    const auto range = device(0).priority_range();
    EXPECT_EQ(stream::create(0, range.greatest).priority(), range.greatest);
    EXPECT_EQ(stream::create(0, priority_level::high).priority(), range.greatest);
    EXPECT_EQ(stream::create(0, priority_level::normal).priority(), 0);
    EXPECT_EQ(stream::create(0, priority_level::low).priority(), range.least);
    EXPECT_EQ(blocking.device(), device(0));
    EXPECT_THROW(stream::create(99), error);
    EXPECT_THROW(event::create(static_cast<event_flags>(1u << 30)), error);
}

TEST(Owners, EndElsewhereIfTheyEndInAHostFunction) {
    const stream work = stream::create(), user = stream::create();
    const pool counted = pool::create();
    stream owned = stream::create();
    event mark = event::create();
    buffer block = buffer::create(512, work, counted), shared = buffer::create(512, work, counted),
           nothing = buffer::create(0, work);
    shared.record_stream(owned);
    nothing.record_stream(owned);
    const stream_ref stream_left = owned;
    const event_ref event_left = mark;
    work.launch_host([owned = std::move(owned), mark = std::move(mark), block = std::move(block),
                      shared = std::move(shared), nothing = std::move(nothing), pinned = host_buffer::create(8)] {});
    work.synchronize();
    const auto live = [](auto left) {
        try {
            static_cast<void>(left.query());
        } catch (const error &) {
            return false;
        }
        return true;
    };
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while ((live(stream_left) || live(event_left) || counted.stats().blocks != 0) &&
           std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    EXPECT_FALSE(live(stream_left));
    EXPECT_FALSE(live(event_left));
    EXPECT_EQ(counted.stats().blocks, 0u);
}

} // namespace
