// SPDX-License-Identifier: Apache-2.0
// Driver events that are known, as ours or as wrapped ones, and what the driver knows a stream by.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "conformance/wraps.hpp"
#include "support/foreign_event.hpp"
#include "support/foreign_stream.hpp"

namespace gs::test {
namespace {

uint64_t driver_id(gs_stream_t stream) {
    uint64_t id = 0;
    EXPECT_OK(gs_stream_driver_id(stream, &id));
    return id;
}

uintptr_t context_of(gs_stream_t stream) {
    uintptr_t context = 0;
    EXPECT_OK(gs_stream_context(stream, &context));
    return context;
}

} // namespace

TEST_P(Conformance, RowB17_AWrappedEventIsKnown) {
    ForeignEvent foreign(GetParam());
    Event third = wrapped_thrice<Event>(foreign.native(), GS_DEVICE_CURRENT);
    EXPECT_OK(gs_event_synchronize(third)) << "every wrap has a reference";
    const Event fresh = wrapped_anew(std::move(third), foreign.native());
    if (device_count() < 2) return;
    gs_event_t none = nullptr;
    const StatsDelta mismatch;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_event_from_native, "device 0", 1, foreign.native(), &none);
    EXPECT_EQ(mismatch.driver_calls(), 0u);
}

TEST_P(Conformance, RowB17_OurOwnEventIsKnown) {
    Stream stream = make_stream(0);
    Event own = make_event();
    ASSERT_OK(gs_event_record(own, stream));
    uintptr_t native = 0;
    ASSERT_OK(gs_event_native(own, &native));
    const StatsDelta stats;
    Event again = wrap<Event>(native);
    EXPECT_EQ(again.get(), own.get());
    EXPECT_EQ(stats.driver_calls(), 0u);
    std::atomic<int> released{0};
    gs_event_t none = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_from_native_owned, "own", 0, native, count_release, &released,
                 &none);
    own.reset();
    EXPECT_OK(gs_event_synchronize(again)) << "a refused call takes no reference, the wrap has one";
    EXPECT_EQ(released, 0);
}

TEST_P(Conformance, RowB17_AdoptionUpgradesABorrowedWrap) {
    ForeignEvent foreign(GetParam());
    Event borrowed = wrap<Event>(foreign.native());
    gs_event_t owned = nullptr, none = nullptr;
    ASSERT_OK(gs_event_from_native_owned(0, foreign.native(), ForeignEvent::release, &foreign, &owned));
    EXPECT_EQ(owned, borrowed.get());
    std::atomic<int> released{0};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_from_native_owned, "owned already", 0, foreign.native(),
                 count_release, &released, &none);
    EXPECT_OK(gs_event_destroy(owned));
    EXPECT_NE(foreign.native(), 0u) << "the borrowed wrap is the same event";
    EXPECT_OK(gs_event_synchronize(borrowed));
    borrowed.reset();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(foreign.native(), 0u);
    EXPECT_EQ(released, 0);
}

TEST_P(Conformance, RowB17_AGivenUpEventLivesOnAsAWrap) {
    Stream stream = make_stream(0);
    Event other = make_event();
    ASSERT_OK(gs_event_record(other, stream));
    EXPECT_OK(gs_event_retain(other));
    uintptr_t native = 0, twice = 1;
    ASSERT_OK(gs_event_into_native(other, &native));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_into_native, "borrowed", other, &twice);
    EXPECT_EQ(wrap<Event>(native).get(), other.get());
    std::atomic<int> released{0};
    gs_event_t owned = nullptr;
    ASSERT_OK(gs_event_from_native_owned(0, native, count_release, &released, &owned)) << "whose wrap gets an owner";
    EXPECT_OK(gs_event_destroy(owned));
    other.reset();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(released, 1);
    EXPECT_TRUE(backend_instance(GetParam())->event_destroy(0, native).ok());
}

TEST_P(Conformance, RowB17_ThreadsThatWrapAtOnceGetOneEvent) {
    constexpr size_t kThreads = 8;
    for (int round = 0; round < 20; ++round) {
        ForeignEvent foreign(GetParam());
        const auto wraps = wrapped_at_once<Event, kThreads>([&] {
            // Wraps that end at once race with those that begin.
            for (int k = 0; k < 10; ++k) wrap<Event>(foreign.native());
            return wrap<Event>(foreign.native());
        });
        for (const Event &one : wraps) {
            ASSERT_NE(one.get(), nullptr);
            EXPECT_OK(gs_event_synchronize(one));
        }
        Event last = wrap<Event>(foreign.native());
        EXPECT_EQ(last.get(), wraps[0].get());
    }
}

TEST_P(Conformance, RowA7_TheDriversNumberOfAStream) {
    Stream first = make_stream(0), second = make_stream(0);
    const uint64_t id = driver_id(first);
    EXPECT_NE(id, driver_id(second));
    EXPECT_EQ(id, driver_id(first));
    // The default stream's, and the per-thread stream's, which is another one on another thread.
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    std::set<uint64_t> ids{id, driver_id(second), driver_id(default_stream(0)), driver_id(per_thread_stream(0))};
    std::thread([&] { ids.insert(driver_id(per_thread_stream(0))); }).join();
    EXPECT_EQ(ids.size(), 5u);
    // A wrap has that of the driver's stream.
    ForeignStream foreign(GetParam(), 0);
    gs_stream_t wrapped = nullptr;
    ASSERT_OK(gs_stream_from_native(0, foreign.native(), &wrapped));
    uint64_t theirs = 0;
    ASSERT_TRUE(backend_instance(GetParam())->stream_driver_id(*this_thread(), {0, foreign.native()}, &theirs).ok());
    EXPECT_EQ(driver_id(wrapped), theirs);
    EXPECT_OK(gs_stream_destroy(wrapped));
    uint64_t none = 1;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_driver_id(GS_STREAM_CURRENT, &none));
    EXPECT_EQ(none, 0u);
}

TEST_P(Conformance, RowA7_TheContextOfAStream) {
    Stream first = make_stream(0), second = make_stream(0);
    const uintptr_t context = context_of(first);
    EXPECT_NE(context, 0u);
    EXPECT_EQ(context_of(second), context);
    EXPECT_EQ(context_of(default_stream(0)), context);
    EXPECT_EQ(context_of(per_thread_stream(0)), context);
    ForeignStream foreign(GetParam(), 0);
    gs_stream_t wrapped = nullptr;
    ASSERT_OK(gs_stream_from_native(0, foreign.native(), &wrapped));
    EXPECT_EQ(context_of(wrapped), context);
    EXPECT_OK(gs_stream_destroy(wrapped));
    uintptr_t none = 1;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_context(GS_STREAM_CURRENT, &none));
    EXPECT_EQ(none, 0u);
    if (device_count() < 2) return;
    EXPECT_NE(context_of(make_stream(1)), context);
}

} // namespace gs::test
