// SPDX-License-Identifier: Apache-2.0
// Raw driver handles: exported, wrapped, compared.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "backend/registry.hpp"
#include "conformance/conformance.hpp"
#include "handle/handle_bits.hpp"
#include "support/foreign_stream.hpp"

namespace gs::test {
namespace {

void count_released(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

} // namespace

TEST_P(Conformance, RowA6_SpecialWords) {
    ROWS("A6");
    for (int32_t device = 0; device < device_count(); ++device) {
        gs_stream_t stream = nullptr;
        ASSERT_OK(gs_stream_from_native(device, 0, &stream));
        EXPECT_EQ(stream, default_stream(device));
        ASSERT_OK(gs_stream_from_native(device, 1, &stream));
        EXPECT_EQ(stream, default_stream(device)) << "1 is another spelling of the default stream";
        ASSERT_OK(gs_stream_from_native(device, 2, &stream));
        EXPECT_EQ(stream, per_thread_stream(device));
        EXPECT_OK(gs_stream_destroy(stream));
    }
}

TEST_P(Conformance, RowA6_ImpossibleWordsTakeNoDriverCall) {
    EXPECT_OK(gs_device_synchronize(0));
    const StatsDelta stats;
    std::vector<uintptr_t> words{4096 + 1,           4096 + 4,      uintptr_t{1} << 47,
                                 uintptr_t{1} << 48, ~uintptr_t{0}, ~uintptr_t{7}};
    for (uintptr_t word = 3; word < 4096; ++word) words.push_back(word);
    for (const uintptr_t word : words) {
        gs_stream_t stream = to_handle<gs_stream_t>(1);
        ASSERT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_from_native(0, word, &stream)) << word;
        ASSERT_EQ(stream, nullptr);
        gs_event_t event = to_handle<gs_event_t>(1);
        ASSERT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_from_native(0, word, &event)) << word;
        ASSERT_EQ(event, nullptr);
    }
    for (const uintptr_t word : {0, 1, 2}) {
        gs_event_t event = nullptr;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_from_native(0, word, &event));
    }
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_from_native, "0xff1", 0, 0xff1, &stream);
    EXPECT_EQ(stats.driver_calls(), 0u);
    if (GetParam() != GS_BACKEND_HOST) return; // a driver may read what is there
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_from_native(0, 4096, &stream));
    EXPECT_EQ(std::string(last_error().message).find("user-space address"), std::string::npos) << "it could be one";
}

// A wrapped event counts as recorded and timed, because only the driver knows better: it does when it is asked for a time.
TEST_P(Conformance, RowA7_ForeignEventsWithoutATime) {
    uintptr_t native = 0;
    Backend *backend = backend_instance(GetParam());
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_TRUE(backend->event_create(0, GS_EVENT_TIMING, &native).ok());
    gs_event_t wrapped = nullptr;
    ASSERT_OK(gs_event_from_native(0, native, &wrapped));
    double ms = 1;
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_elapsed_ms(wrapped, wrapped, &ms));
    EXPECT_EQ(ms, 0);
    EXPECT_OK(gs_event_record(wrapped, default_stream(0)));
    EXPECT_OK(gs_event_synchronize(wrapped));
    EXPECT_OK(gs_event_elapsed_ms(wrapped, wrapped, &ms));
    EXPECT_EQ(ms, 0);
    EXPECT_OK(gs_event_destroy(wrapped));
    EXPECT_TRUE(backend->event_destroy(0, native).ok());
}

TEST_P(Conformance, RowA7_ForeignStreams) {
    ROWS("A6 A7 C22");
    Bytes bytes(1);
    ForeignStream foreign(GetParam(), 0);
    gs_stream_t wrapped = nullptr, again = nullptr;
    const StatsDelta stats;
    ASSERT_OK(gs_stream_from_native(0, foreign.native(), &wrapped));
    EXPECT_EQ(stats.since(&gs_stats_t::streams_created), 1u);
    EXPECT_EQ(native_of(wrapped), foreign.native());
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_stream_device(wrapped, &device));
    EXPECT_EQ(device, 0);
    bytes.set(wrapped, 0, 1);
    EXPECT_OK(gs_stream_synchronize(wrapped));
    EXPECT_EQ(bytes[0], 1);
    ASSERT_OK(gs_stream_from_native(GS_DEVICE_NONE, foreign.native(), &again));
    EXPECT_TRUE(equal(wrapped, again)) << "wrapping twice names the same stream";
    EXPECT_EQ(hash_of(wrapped), hash_of(again));
    EXPECT_OK(gs_stream_destroy(wrapped));
    bytes.set(again, 0, 2);
    EXPECT_OK(gs_stream_synchronize(again)) << "not owned: it outlives its wrappers";
    EXPECT_OK(gs_stream_destroy(again));
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(again, &number));
}

TEST_P(Conformance, RowA7_WrongDeviceIsNoticed) {
    GS_NEEDS_DEVICES(2);
    ForeignStream foreign(GetParam(), 1);
    gs_stream_t wrapped = nullptr;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native, "device 1", 0, foreign.native(), &wrapped);
    EXPECT_EQ(wrapped, nullptr);
    ASSERT_OK(gs_stream_from_native(1, foreign.native(), &wrapped));
    EXPECT_OK(gs_stream_destroy(wrapped));
    Stream own = make_stream(0);
    const uintptr_t native = native_of(own);
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_from_native(1, native, &wrapped));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_from_native(999, native, &wrapped));
}

TEST_P(Conformance, RowA6_OurOwnHandleGivesTheSameStream) {
    gs_stream_t stream = make_stream().release();
    const uintptr_t native = native_of(stream);
    gs_stream_t again = nullptr;
    ASSERT_OK(gs_stream_from_native(0, native, &again));
    EXPECT_EQ(again, stream);
    EXPECT_OK(gs_stream_destroy(stream));
    EXPECT_TRUE(done(again)) << "wrapping retained it";
    EXPECT_EQ(native_of(again), native) << "constant for life";
    std::atomic<int> released{0};
    gs_stream_t owned = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native_owned, "own", 0, native, count_released, &released,
                 &owned);
    EXPECT_OK(gs_stream_destroy(again));
    EXPECT_EQ(released, 0) << "a failed call releases nothing";
}

TEST_P(Conformance, RowA6_ASharedStreamIsKnownByAnyOfItsHandles) {
    std::vector<Stream> shared;
    while (shared.size() < 33) shared.push_back(make_stream(0, GS_STREAM_SHARED));
    const uintptr_t native = native_of(shared.front());
    ASSERT_EQ(native_of(shared.back()), native);
    const gs_stream_t first = shared.front().get(), last = shared.back().get();
    gs_stream_t found = nullptr;
    ASSERT_OK(gs_stream_from_native(0, native, &found));
    EXPECT_EQ(found, first);
    EXPECT_OK(gs_stream_destroy(found));
    shared.erase(shared.begin());
    ASSERT_OK(gs_stream_from_native(0, native, &found));
    EXPECT_EQ(found, last) << "the other one, whose raw handle was exported";
    EXPECT_OK(gs_stream_destroy(found));
    std::atomic<int> released{0};
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native_owned, "own", 0, native, count_released, &released,
                 &found);
}

// A second user makes the destroy wait for calls of others; with none in flight the release comes before it returns.
TEST_P(Conformance, RowA7_OwnedReleasesBeforeTheLastDestroyReturns) {
    ForeignStream foreign(GetParam(), 0);
    std::atomic<int> released{0};
    gs_stream_t owned = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(0, foreign.native(), count_released, &released, &owned));
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(owned)); }).join();
    EXPECT_EQ(released, 0);
    EXPECT_OK(gs_stream_destroy(owned));
    EXPECT_EQ(released, 1);
}

TEST_P(Conformance, RowA7_OwnedReleasesExactlyOnce) {
    ForeignStream foreign(GetParam(), 0);
    std::atomic<int> released{0};
    gs_stream_t owned = nullptr;
    ASSERT_OK(gs_stream_from_native_owned(0, foreign.native(), count_released, &released, &owned));
    EXPECT_OK(gs_stream_retain(owned));
    EXPECT_OK(gs_stream_sleep(owned, 1));
    EXPECT_OK(gs_stream_destroy(owned));
    EXPECT_EQ(released, 0);
    ASSERT_OK(gs_set_current_stream(owned));
    EXPECT_OK(gs_stream_destroy(owned));
    EXPECT_EQ(released, 0) << "still current on this thread";
    ASSERT_OK(gs_set_current_stream(default_stream(0)));
    EXPECT_EQ(released, 1);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(owned));
    EXPECT_EQ(released, 1);
    for (const uintptr_t word : {0, 1, 2})
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                      gs_stream_from_native_owned(0, word, count_released, &released, &owned));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_from_native_owned, "release", 0, foreign.native(), nullptr,
                 nullptr, &owned);
    EXPECT_EQ(released, 1);
    bool idle = false;
    EXPECT_TRUE(backend_instance(GetParam())->stream_query(*this_thread(), {0, foreign.native()}, &idle).ok())
        << "the driver's stream was changed";
}

TEST_P(Conformance, RowB17_ForeignEvents) {
    ROWS("B17 D6 D18");
    Stream stream = make_stream(0);
    uintptr_t native = 0;
    Backend *backend = backend_instance(GetParam());
    ASSERT_TRUE(backend->event_create(0, GS_EVENT_TIMING, &native).ok());
    gs_event_t event = nullptr;
    ASSERT_OK(gs_event_from_native(0, native, &event));
    uintptr_t told = 0;
    EXPECT_OK(gs_event_native(event, &told));
    EXPECT_EQ(told, native);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_TRUE(
        backend->event_record(*this_thread(), native, {0, native_of(stream)}, false).ok()); // by another library
    EXPECT_FALSE(done(event)) << "no query of a foreign event may be answered without the driver";
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_event_destroy(event));
    bool finished = false;
    EXPECT_TRUE(backend->event_query(*this_thread(), 0, native, &finished).ok()) << "never owned";
    EXPECT_TRUE(backend->event_destroy(0, native).ok());
}

TEST_P(Conformance, RowB17_NativeNeverChangesAfterTheFirstRecord) {
    Stream stream = make_stream();
    Event event = make_event();
    uintptr_t first = 0, later = 0;
    uint64_t id = 0;
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_id(event, &id));
    EXPECT_OK(gs_event_native(event, &first));
    EXPECT_NE(first, 0u);
    EXPECT_EQ(id, first);
    for (int i = 0; i < 5; ++i) ASSERT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_native(event, &later));
    EXPECT_EQ(later, first);
    event.reset();
    std::set<uintptr_t> others; // exported: it must not be reused for another event while other code could use it
    std::vector<Event> events;
    for (int i = 0; i < 50; ++i) {
        events.push_back(make_event());
        ASSERT_OK(gs_event_record(events.back(), stream));
        EXPECT_OK(gs_event_id(events.back(), &id));
        EXPECT_TRUE(others.insert(id).second);
    }
}

TEST_P(Conformance, Case24_SharedStreamsAliasAfter32) {
    ROWS("A15 A16 C15 C16");
    constexpr size_t kPool = 32;
    std::vector<Stream> streams;
    for (size_t i = 0; i < 2 * kPool + 1; ++i) streams.push_back(make_stream(0, GS_STREAM_SHARED));
    std::set<gs_stream_t> handles;
    for (const Stream &stream : streams) handles.insert(stream.get());
    EXPECT_EQ(handles.size(), streams.size()) << "each call returns a handle of its own";
    for (size_t i = 0; i < streams.size(); ++i)
        for (size_t k = 0; k < streams.size(); ++k) {
            const bool same = i % kPool == k % kPool;
            ASSERT_EQ(equal(streams[i], streams[k]), same) << i << ", " << k;
            if (same) ASSERT_EQ(hash_of(streams[i]), hash_of(streams[k]));
        }
    EXPECT_EQ(native_of(streams[0]), native_of(streams[kPool]));
    Stream own = make_stream(0);
    for (const Stream &stream : streams) ASSERT_FALSE(equal(own, stream)) << "an unshared stream has no other owner";
    Bytes bytes(1);
    bytes.set(streams[0], 0, 1);
    streams[0].reset();
    EXPECT_OK(gs_stream_synchronize(streams[kPool])) << "the other handle of that driver stream is alive";
    EXPECT_EQ(bytes[0], 1);
}

TEST_P(Conformance, RowA16_EqualityAndHash) {
    ROWS("A15 A16 C15 C16 C17");
    Stream a = make_stream(0), b = make_stream(0);
    EXPECT_TRUE(equal(a, a));
    EXPECT_FALSE(equal(a, b));
    EXPECT_NE(hash_of(a), hash_of(b));
    if (device_count() > 1) {
        EXPECT_FALSE(equal(default_stream(0), default_stream(1)))
            << "the same word on another device is another stream";
        EXPECT_NE(hash_of(default_stream(0)), hash_of(default_stream(1)));
    }
    int32_t number = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_equal, "the stream is NULL", a, nullptr, &number);
    EXPECT_EQ(number, 0);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_equal(nullptr, a, &number));
}

} // namespace gs::test
