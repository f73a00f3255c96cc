// SPDX-License-Identifier: Apache-2.0
// The implicit order of default, per-thread and blocking streams.
#include <thread>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Case11_LegacyStreamJoinsBlockingStreams) {
    ROWS("G2");
    Bytes bytes(4);
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING), free = make_stream(0);
    const gs_stream_t legacy = default_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(blocking));
    bytes.set(blocking, 0, 1);
    bytes.copy(legacy, 1, 0);  // after the fill above
    bytes.set(blocking, 0, 2); // after the copy above
    EXPECT_FALSE(done(legacy));
    EXPECT_FALSE(done(blocking.get()));
    bytes.set(free, 2, 3); // non-blocking streams are exempt
    ASSERT_OK(gs_stream_synchronize(free));
    EXPECT_EQ(bytes[2], 3);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(blocking));
    EXPECT_EQ(bytes[1], 1) << "the copy in the default stream overtook or fell behind";
    EXPECT_EQ(bytes[0], 2);
}

TEST_P(Conformance, Case11_PerThreadStreamsAreIndependent) {
    Bytes bytes(4);
    const gs_stream_t mine = per_thread_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(mine));
    bytes.set(mine, 0, 1);
    EXPECT_FALSE(done(mine));
    std::thread other([&] {
        EXPECT_EQ(per_thread_stream(0), mine) << "one handle for all threads";
        EXPECT_TRUE(done(mine)) << "in each call the calling thread's own stream";
        bytes.set(mine, 1, 2);
        EXPECT_OK(gs_stream_synchronize(mine));
        EXPECT_EQ(bytes[1], 2);
    });
    other.join();
    EXPECT_FALSE(done(mine));
    bytes.copy(default_stream(0), 2, 0); // the default stream waits for every thread's
    EXPECT_FALSE(done(default_stream(0)));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_EQ(bytes[2], 1);
}

TEST_P(Conformance, Case12_RecordOnLegacyCoversBlockingStreams) {
    Bytes bytes(2);
    Stream a = make_stream(0, GS_STREAM_BLOCKING), b = make_stream(0, GS_STREAM_BLOCKING), sink = make_stream(0);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(a));
    bytes.set(a, 0, 6);
    bytes.set(b, 1, 7);
    ASSERT_OK(gs_event_record(event, default_stream(0)));
    ASSERT_OK(gs_event_wait(event, sink));
    EXPECT_FALSE(done(event.get()));
    EXPECT_FALSE(done(sink.get()));
    gate.open();
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_EQ(bytes[0], 6);
    EXPECT_EQ(bytes[1], 7);
    EXPECT_OK(gs_stream_synchronize(sink));
}

TEST_P(Conformance, Case11_WaitInTheLegacyStreamHoldsBlockingStreams) {
    Bytes bytes(2);
    Stream source = make_stream(0), blocking = make_stream(0, GS_STREAM_BLOCKING);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    bytes.set(source, 0, 8);
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_OK(gs_event_wait(event, default_stream(0))); // an action in the default stream, never elided
    bytes.copy(blocking, 1, 0);
    EXPECT_FALSE(done(blocking.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(blocking));
    EXPECT_EQ(bytes[1], 8);
}

TEST_P(Conformance, RowG2_DefaultStreamsAreImmortalAndBorrowed) {
    ROWS("G2 G9");
    for (int32_t device = 0; device < device_count(); ++device) {
        const gs_stream_t legacy = default_stream(device);
        const gs_stream_t own = per_thread_stream(device);
        EXPECT_NE(legacy, own);
        EXPECT_EQ(default_stream(device), legacy);
        EXPECT_EQ(current_stream(device), legacy) << "before any set";
        for (const gs_stream_t stream : {legacy, own}) {
            for (int i = 0; i < 3; ++i) EXPECT_OK(gs_stream_destroy(stream));
            EXPECT_OK(gs_stream_retain(stream));
            uint32_t flags = 0;
            flags = facts_of(stream).flags;
            EXPECT_EQ(flags, uint32_t{GS_STREAM_BLOCKING});
            int32_t priority = 1;
            priority = facts_of(stream).priority;
            EXPECT_EQ(priority, 0);
            gs_device_t where = GS_DEVICE_NONE;
            EXPECT_OK(gs_stream_device(stream, &where));
            EXPECT_EQ(where, device);
        }
        EXPECT_EQ(native_of(legacy), 0u);
        EXPECT_EQ(native_of(own), 2u);
        int64_t id = -1;
        EXPECT_OK(gs_stream_id(legacy, &id));
        EXPECT_EQ(id, 0);
        EXPECT_OK(gs_stream_id(own, &id));
        EXPECT_EQ(id, 2);
    }
}

// The per-thread stream has one handle for all threads and no event of its own.
TEST_P(Conformance, RowA9_WaitForThePerThreadStream) {
    Stream stream = make_stream(0);
    const gs_stream_t own = per_thread_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(own));
    std::thread([&] { // for another thread it is another stream, which is not held
        Stream other = make_stream(0);
        EXPECT_OK(gs_stream_wait_stream(other, own));
        EXPECT_OK(gs_stream_synchronize(other));
    })
        .join();
    ASSERT_OK(gs_stream_wait_stream(stream, own));
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    EXPECT_FALSE(done(event.get()));
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(own));
}

} // namespace gs::test
