// SPDX-License-Identifier: Apache-2.0
// Streams being captured: what is rejected, and that a rejection does not break the capture. A test hook begins the
// host backend's captures.
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/host_hooks.hpp"

namespace gs::test {
namespace {

bool capturing(gs_stream_t stream) {
    int32_t value = -1;
    EXPECT_OK(gs_stream_is_capturing(stream, &value));
    return value == 1;
}

// Captures a stream for as long as it lives.
class Capture {
public:
    explicit Capture(gs_stream_t stream) : native_(native_of(stream)) {
        EXPECT_TRUE(host::testing::begin_capture(0, native_));
    }
    ~Capture() { end(); }
    Capture(const Capture &) = delete;
    Capture &operator=(const Capture &) = delete;
    void end() {
        if (active_) EXPECT_TRUE(host::testing::end_capture(0, native_));
        active_ = false;
    }

private:
    uintptr_t native_;
    bool active_ = true;
};

} // namespace

TEST_P(HostConformance, Case18_QueriesAndSynchronizesAreRefused) {
    ROWS("K1");
    Stream stream = make_stream(0);
    EXPECT_FALSE(capturing(stream));
    Capture capture(stream);
    EXPECT_TRUE(capturing(stream));
    int32_t number = 1;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_query, "captur", stream, &number);
    EXPECT_EQ(number, 0);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_synchronize, "captur", stream);
    EXPECT_STATUS(GS_ERROR_CAPTURING,
                  gs_stream_notify(stream, [](void *, gs_status_t) { ADD_FAILURE() << "called"; }, nullptr));
    EXPECT_TRUE(capturing(stream)) << "the refused calls left the capture intact";
    capture.end();
    EXPECT_FALSE(capturing(stream));
    EXPECT_TRUE(done(stream.get()));
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(HostConformance, Case18_EventsRecordedInACapture) {
    Stream stream = make_stream(0), joined = make_stream(0);
    Event event = make_event(), before = make_event();
    Gate gate;
    Stream held = make_stream(0);
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_event_record(before, held));
    Capture capture(stream);
    ASSERT_OK(gs_event_record(event, stream));
    int32_t number = 1;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_query, "captur", event, &number);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_synchronize, "captur", event);
    ASSERT_OK(gs_event_wait(event, joined)); // pulls the waiting stream into the capture
    EXPECT_TRUE(capturing(joined));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_wait(before, stream)) << "a capture cannot wait for work outside of it";
    EXPECT_FALSE(done(before.get()));
    capture.end();
    EXPECT_FALSE(capturing(joined));
    gate.open();
    EXPECT_OK(gs_event_synchronize(before));
    ASSERT_OK(gs_event_record(event, stream)); // usable again
    EXPECT_OK(gs_event_synchronize(event));
}

TEST_P(HostConformance, Case18_OtherThreadsQueriesLeaveACaptureAlone) {
    Stream stream = make_stream(0), other = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, other));
    Capture capture(stream);
    std::thread thread([&] {
        EXPECT_OK(gs_event_synchronize(event));
        EXPECT_TRUE(done(event.get()));
        EXPECT_TRUE(done(other.get()));
    });
    thread.join();
    EXPECT_TRUE(capturing(stream));
}

TEST_P(HostConformance, Case18_DefaultStreamWhileABlockingStreamIsCaptured) {
    Stream blocking = make_stream(0, GS_STREAM_BLOCKING);
    Bytes bytes(1);
    Capture capture(blocking);
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_memset_async(bytes.at(0), 1, 1, default_stream(0)));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_query(default_stream(0), &number));
    Stream free = make_stream(0); // pool streams do not synchronize with the default stream
    bytes.set(free, 0, 1);
    EXPECT_OK(gs_stream_synchronize(free));
    EXPECT_TRUE(capturing(blocking));
    capture.end();
    bytes.set(default_stream(0), 0, 2);
    EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    EXPECT_EQ(bytes[0], 2);
}

TEST_P(HostConformance, Case18_CaptureSafeCurrentStream) {
    Stream stream = make_stream(0), other = make_stream(0);
    Capture capture(stream);
    uint64_t scope = 0;
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    EXPECT_OK(gs_set_current_stream(other));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_TRUE(capturing(stream));
}

TEST_P(HostConformance, Case18_DestroyedWhileCapturedIsNotReused) {
    gs_stream_t stream = make_stream(0).release();
    const uintptr_t native = native_of(stream);
    ASSERT_TRUE(host::testing::begin_capture(0, native));
    EXPECT_OK(gs_stream_destroy(stream));
    std::vector<Stream> streams;
    for (int i = 0; i < 20; ++i) {
        streams.push_back(make_stream(0));
        ASSERT_NE(native_of(streams.back()), native);
    }
    EXPECT_TRUE(host::testing::end_capture(0, native));
    for (int i = 0; i < 20; ++i) {
        streams.push_back(make_stream(0));
        ASSERT_NE(native_of(streams.back()), native) << "the capturing code may continue";
    }
}

TEST_P(HostConformance, Case18_ExternalEventsBecomeNodes) {
    Stream stream = make_stream(0), outside = make_stream(0);
    Event event = make_event(GS_EVENT_EXTERNAL);
    ASSERT_OK(gs_event_record(event, outside)); // outside a capture it is an ordinary event
    ASSERT_OK(gs_event_synchronize(event));
    Capture capture(stream);
    EXPECT_OK(gs_event_wait(event, stream)) << "a node, whereas an ordinary event is rejected";
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_TRUE(capturing(stream));
    EXPECT_TRUE(done(event.get())) << "recorded when the graph runs, not now";
}

} // namespace gs::test
