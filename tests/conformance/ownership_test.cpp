// SPDX-License-Identifier: Apache-2.0
// Handles of the driver: which are known, who owns what is behind them, and how ownership changes hands.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "conformance/wraps.hpp"
#include "support/entries.hpp"
#include "support/foreign_stream.hpp"
#include "support/gate.hpp"

namespace gs::test {
namespace {

bool driver_knows_stream(gs_backend_t kind, uintptr_t native) {
    bool idle = false;
    return backend_instance(kind)->stream_query(*this_thread(), {0, native}, &idle).ok();
}

} // namespace

TEST_P(Conformance, RowA7_AWrappedHandleIsKnown) {
    ROWS("A7 A16");
    ForeignStream foreign(GetParam(), 0);
    Stream third = wrapped_thrice<Stream>(foreign.native(), GS_DEVICE_NONE);
    EXPECT_TRUE(done(third.get())) << "every wrap has a reference";
    const Stream fresh = wrapped_anew(std::move(third), foreign.native());
    if (device_count() < 2) return;
    gs_stream_t none = nullptr;
    const StatsDelta mismatch;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native, "device 0", 1, foreign.native(), &none);
    EXPECT_EQ(mismatch.driver_calls(), 0u);
}

TEST_P(Conformance, RowA7_OurOwnHandleIsKnownWithoutADriverCall) {
    Stream own = make_stream(0);
    const uintptr_t native = native_of(own);
    const StatsDelta stats;
    Stream again = wrap<Stream>(native);
    EXPECT_EQ(again.get(), own.get());
    EXPECT_EQ(stats.driver_calls(), 0u);
}

TEST_P(Conformance, RowA7_ThreadsThatWrapAtOnceGetOneStream) {
    constexpr size_t kThreads = 8;
    for (int round = 0; round < 20; ++round) {
        ForeignStream foreign(GetParam(), 0);
        const auto wraps = wrapped_at_once<Stream, kThreads>([&] { return wrap<Stream>(foreign.native()); });
        for (const Stream &one : wraps) ASSERT_EQ(one.get(), wraps[0].get());
    }
}

TEST_P(Conformance, RowA7_AdoptionUpgradesABorrowedWrap) {
    ForeignStream foreign(GetParam(), 0);
    Stream borrowed = wrap<Stream>(foreign.native());
    gs_stream_t owned = nullptr, none = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(0, foreign.native(), ForeignStream::release, &foreign, &owned));
    EXPECT_EQ(owned, borrowed.get());
    std::atomic<int> released{0};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native_owned, "owned already", 0, foreign.native(),
                 count_release, &released, &none);
    EXPECT_OK(gs_stream_destroy(owned));
    EXPECT_FALSE(foreign.released()) << "the borrowed wrap is the same stream";
    EXPECT_TRUE(done(borrowed.get()));
    borrowed.reset();
    EXPECT_TRUE(foreign.released());
    EXPECT_EQ(released, 0);
}

TEST_P(Conformance, RowA7_AStreamIsGivenUpForGood) {
    Bytes bytes(1);
    for (const uint32_t flags : {0u, uint32_t{GS_STREAM_DEDICATED}}) {
        SCOPED_TRACE(flags);
        const gs_stream_t given = make_stream(0, flags).release();
        bytes.set(given, 0, 7);
        uintptr_t native = 0;
        const StatsDelta stats;
        ASSERT_OK(gs_stream_into_native(given, &native));
        EXPECT_EQ(stats.driver_calls(), 0u);
        int32_t number = 0;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(given, &number));
        EXPECT_TRUE(driver_knows_stream(GetParam(), native));
        std::vector<Stream> others;
        for (int i = 0; i < 20; ++i) {
            others.push_back(make_stream(0));
            EXPECT_NE(native_of(others.back()), native) << "reused although it was given up";
        }
        EXPECT_OK(gs_trim());
        {
            Stream back = wrap<Stream>(native);
            EXPECT_OK(gs_stream_synchronize(back));
            EXPECT_EQ(bytes[0], 7) << "work that was submitted before runs";
        }
        EXPECT_TRUE(driver_knows_stream(GetParam(), native)) << "a borrowed wrap does not end it";
        std::atomic<int> released{0};
        gs_stream_t owned = nullptr;
        ASSERT_OK(gs_stream_from_native_owned(0, native, count_release, &released, &owned));
        EXPECT_OK(gs_stream_destroy(owned));
        EXPECT_EQ(released, 1);
        EXPECT_TRUE(backend_instance(GetParam())->stream_destroy({0, native}).ok());
    }
}

TEST_P(Conformance, RowA7_AGivenUpStreamLivesOnAsAWrap) {
    Stream other = make_stream(0);
    const gs_stream_t stream = other.get();
    EXPECT_OK(gs_stream_retain(stream));
    uintptr_t native = 0, twice = 1;
    ASSERT_OK(gs_stream_into_native(stream, &native));
    EXPECT_TRUE(done(stream)) << "the other reference is not affected";
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_into_native, "borrowed", stream, &twice);
    EXPECT_EQ(twice, 0u);
    ASSERT_OK(gs_set_current_stream(stream));
    other.reset();
    EXPECT_TRUE(done(stream)) << "current on this thread";
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_TRUE(driver_knows_stream(GetParam(), native));
    EXPECT_TRUE(backend_instance(GetParam())->stream_destroy({0, native}).ok());
}

// Its raw handle still names it.
TEST_P(Conformance, RowA7_AGivenUpStreamIsKnown) {
    Stream stream = make_stream(0);
    EXPECT_OK(gs_stream_retain(stream));
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_into_native(stream, &native));
    EXPECT_EQ(wrap<Stream>(native).get(), stream.get());
    ASSERT_OK(gs_set_current_stream(stream));
    const gs_stream_t name = stream.get();
    stream.reset();
    uintptr_t again = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_into_native, "no reference left", name, &again);
    EXPECT_EQ(again, 0u);
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_TRUE(backend_instance(GetParam())->stream_destroy({0, native}).ok());
}

TEST_P(Conformance, RowA7_WhatCannotBeGivenUp) {
    uintptr_t native = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_into_native, "driver", default_stream(0), &native);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_into_native, "driver", per_thread_stream(0), &native);
    Stream shared = make_stream(0, GS_STREAM_SHARED);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_into_native, "GS_STREAM_SHARED", shared, &native);
    ForeignStream foreign(GetParam(), 0);
    Stream wrapped = wrap<Stream>(foreign.native());
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_into_native, "borrowed", wrapped, &native);
    EXPECT_EQ(native, 0u);
    EXPECT_TRUE(done(wrapped.get())) << "a refused call takes no reference";
    std::atomic<int> released{0};
    gs_stream_t owned = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(0, foreign.native(), count_release, &released, &owned));
    ASSERT_OK(gs_stream_into_native(owned, &native));
    EXPECT_EQ(native, foreign.native());
    wrapped.reset();
    EXPECT_EQ(released, 0) << "its caller destroys it now";
}

TEST_P(Conformance, RowB17_EventsChangeHands) {
    Backend *backend = backend_instance(GetParam());
    Stream stream = make_stream(0);
    uintptr_t native = 0;
    // Ours, recorded, to the caller.
    gs_event_t event = make_event().release();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_into_native(event, &native));
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_query(event, &number));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_trim());
    bool finished = false;
    EXPECT_TRUE(backend->event_query(*this_thread(), 0, native, &finished).ok());
    EXPECT_TRUE(finished);
    // And back, with a release function.
    std::atomic<int> released{0};
    ASSERT_OK(gs_event_from_native_owned(0, native, count_release, &released, &event));
    EXPECT_OK(gs_event_retain(event));
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_EQ(released, 0);
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_trim());
    EXPECT_EQ(released, 1);
    EXPECT_TRUE(backend->event_destroy(0, native).ok());
    // One that was never recorded gets a driver event first.
    ASSERT_OK(gs_set_current_device(0));
    event = make_event(GS_EVENT_TIMING).release();
    ASSERT_OK(gs_event_into_native(event, &native));
    EXPECT_NE(native, 0u);
    // A borrowed one is not the library's to give.
    ASSERT_OK(gs_event_from_native(0, native, &event));
    uintptr_t refused = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_into_native, "borrowed", event, &refused);
    EXPECT_EQ(refused, 0u);
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_TRUE(backend->event_destroy(0, native).ok());
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_from_native_owned, "release", 0, native, nullptr, nullptr, &event);
}

// A queue holds the driver's event of a record that it watches.
TEST_P(Conformance, RowB17_AnEventThatAQueueWatchesChangesHands) {
    Backend *backend = backend_instance(GetParam());
    Stream stream = make_stream(0);
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    gs_event_t event = make_event().release(), again = nullptr;
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_queue_add_event(queue, event, 1));
    ASSERT_OK(gs_event_retain(event));
    uintptr_t native = 0;
    ASSERT_OK(gs_event_into_native(event, &native));
    std::atomic<int> released{0};
    ASSERT_OK(gs_event_from_native_owned(0, native, count_release, &released, &again));
    EXPECT_EQ(again, event);
    EXPECT_OK(gs_event_destroy(event));
    EXPECT_OK(gs_event_destroy(again));
    EXPECT_EQ(released, 0) << "the queue asks for it";
    gate.open();
    EXPECT_EQ(queue.take_one().token, 1u);
    while (released == 0) EXPECT_OK(gs_trim()); // the queue lets go of it a moment later
    EXPECT_EQ(released, 1);
    EXPECT_TRUE(backend->event_destroy(0, native).ok()) << "it was not the library's to destroy";
}

TEST_P(Conformance, RowA7_SmallQuestions) {
    Stream stream = make_stream(0);
    const struct {
        gs_stream_t stream;
        int32_t is_default, is_per_thread;
    } rows[] = {{stream, 0, 0}, {default_stream(0), 1, 0}, {per_thread_stream(0), 0, 1}};
    for (const auto &row : rows) {
        int32_t value = -1;
        value = facts_of(row.stream).id == 0 ? 1 : 0;
        EXPECT_EQ(value, row.is_default);
        value = facts_of(row.stream).id == 2 ? 1 : 0;
        EXPECT_EQ(value, row.is_per_thread);
    }
    uintptr_t native = 1;
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_OK(gs_current_native(0, &native));
    EXPECT_EQ(native, 0u);
    ASSERT_OK(gs_set_current_stream(stream));
    EXPECT_OK(gs_current_native(GS_DEVICE_CURRENT, &native));
    Stream known = wrap<Stream>(native);
    EXPECT_EQ(known.get(), stream.get()) << "given out by gs_current_native";
    EXPECT_EQ(native, native_of(stream));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_current_native(999, &native));
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
}

} // namespace gs::test
