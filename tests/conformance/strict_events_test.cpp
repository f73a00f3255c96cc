// SPDX-License-Identifier: Apache-2.0
// Events that are strict where asked: waits for one record, waits without a record, single records and waits as nodes.
#include <string>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/parked.hpp"

namespace gs::test {
namespace {

uint64_t generation(gs_event_t event) {
    uint64_t number = 99;
    EXPECT_OK(gs_event_generation(event, &number));
    return number;
}

class UnrecordedMode {
public:
    explicit UnrecordedMode(int32_t mode) { EXPECT_OK(gs_set_unrecorded_mode(mode)); }
    ~UnrecordedMode() { EXPECT_OK(gs_set_unrecorded_mode(GS_UNRECORDED_IGNORE)); }
    UnrecordedMode(const UnrecordedMode &) = delete;
    UnrecordedMode &operator=(const UnrecordedMode &) = delete;
};

} // namespace

TEST_P(Conformance, Generation_CountsRecords) {
    Stream stream = make_stream();
    for (int owner = 0; owner < 3; ++owner) { // the slot is used again
        Event event = make_event();
        EXPECT_EQ(generation(event), 0u);
        for (uint64_t i = 1; i <= 3; ++i) {
            ASSERT_OK(gs_event_record(event, stream));
            EXPECT_EQ(generation(event), i);
        }
        ASSERT_OK(gs_event_synchronize(event));
        EXPECT_EQ(generation(event), 3u) << "completion is no record";
    }
    Event refused = make_event();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(refused, nullptr));
    EXPECT_EQ(generation(refused), 0u);
}

TEST_P(Conformance, Generation_WaitsForThePresentRecord) {
    Bytes bytes(2);
    Stream source = make_stream(), sink = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    bytes.set(source, 0, 1);
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_OK(gs_stream_wait_generation(sink, event, 1));
    bytes.copy(sink, 1, 0);
    EXPECT_FALSE(done(sink.get()));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(sink));
    EXPECT_EQ(bytes[1], 1);
}

TEST_P(Conformance, Generation_OtherRecordsAreRefused) {
    Stream source = make_stream(), sink = make_stream();
    Event event = make_event();
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_stream_wait_generation, "was not made yet", sink, event, 1);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_generation, "from 1", sink, event, 0);
    Gate gate;
    ASSERT_OK(gate.hold(source));
    ASSERT_OK(gs_event_record(event, source));
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_stream_wait_generation, "was not made yet", sink, event, 2);
    ASSERT_OK(gs_event_record(event, source));
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_stream_wait_generation, "was replaced", sink, event, 1);
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_stream_wait_generation(sink, event, UINT64_MAX));
    EXPECT_TRUE(done(sink.get())) << "a refused wait waits for nothing";
    gate.open();
}

TEST_P(Conformance, Generation_EventsThatOthersRecordAreRefused) {
    Stream stream = make_stream();
    Event exported = make_event(), shared = make_event(GS_EVENT_INTERPROCESS), external = make_event(GS_EVENT_EXTERNAL);
    for (const Event *event : {&exported, &shared, &external}) ASSERT_OK(gs_event_record(*event, stream));
    uintptr_t native = 0;
    EXPECT_OK(gs_event_native(exported, &native));
    EXPECT_NE(native, 0u);
    for (const Event *event : {&exported, &shared, &external})
        EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_generation, "without the library", stream, *event,
                     generation(*event));
}

TEST_P(Conformance, Generation_KnownRecordsCostNoDriverCall) {
    Stream source = make_stream(), sink = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_OK(gs_event_synchronize(event));
    const StatsDelta delta;
    EXPECT_OK(gs_stream_wait_generation(sink, event, 1));
    EXPECT_OK(gs_stream_wait_generation(source, event, 1));
    EXPECT_EQ(delta.driver_calls(), elides() ? 0u : 2u);
    EXPECT_EQ(delta.since(&gs_stats_t::elided_waits), elides() ? 2u : 0u);
}

// The record has passed its checks but not reached the driver: which of the two the driver has is not known.
TEST_P(Conformance, Generation_ARecordInProgressIsSeen) {
    Stream source = make_stream(), other = make_stream(), sink = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(source));
    ASSERT_OK(gs_event_record(event, source));
    ASSERT_EQ(generation(event), 1u);
    with_parked_call(
        [&] { EXPECT_OK(gs_event_record(event, other)); },
        [&] { EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_stream_wait_generation, "being replaced", sink, event, 1); });
    EXPECT_EQ(generation(event), 2u);
    EXPECT_OK(gs_stream_wait_generation(sink, event, 2));
    gate.open();
}

TEST_P(Conformance, Unrecorded_WaitsFailOnRequest) {
    Stream stream = make_stream();
    Event never = make_event();
    int32_t mode = 9;
    EXPECT_OK(gs_get_unrecorded_mode(&mode));
    EXPECT_EQ(mode, GS_UNRECORDED_IGNORE);
    EXPECT_OK(gs_event_wait(never, stream));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_unrecorded_mode, "3", 3);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_unrecorded_mode, "-1", -1);
    const UnrecordedMode strict(GS_UNRECORDED_ERROR);
    gs_event_t events[] = {never};
    size_t index = 0;
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_wait, "never recorded", never, stream);
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_stream_wait_event(stream, never));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_wait_with_flags(never, stream, 0));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_wait_with_flags(never, stream, GS_EVENT_EXTERNAL)) << "no capture";
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_synchronize(never));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_synchronize_for(never, 1));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_synchronize_for(never, -1));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_synchronize_any(events, 1, 0, &index));
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_event_synchronize_all(events, 1, 0));
    EXPECT_TRUE(done(never.get())) << "a query is no wait";
    ASSERT_OK(gs_event_record(never, stream));
    EXPECT_OK(gs_event_wait(never, stream));
    EXPECT_OK(gs_event_synchronize(never));
    EXPECT_OK(gs_event_synchronize_for(never, -1));
    EXPECT_OK(gs_event_synchronize_any(events, 1, -1, &index));
    EXPECT_OK(gs_event_synchronize_all(events, 1, -1));
}

TEST_P(Conformance, Unrecorded_WaitsWarnOnRequest) {
    std::vector<std::string> lines;
    const auto collect = [](void *arg, int32_t level, const char *text) {
        if (level == GS_LOG_WARNING) static_cast<std::vector<std::string> *>(arg)->push_back(text);
    };
    Stream stream = make_stream();
    Event never = make_event();
    ASSERT_OK(gs_set_log_callback(collect, &lines));
    {
        const UnrecordedMode warns(GS_UNRECORDED_WARN);
        EXPECT_OK(gs_event_wait(never, stream));
        EXPECT_OK(gs_event_synchronize(never));
        EXPECT_OK(gs_event_synchronize_all(nullptr, 0, 0));
    }
    EXPECT_OK(gs_event_wait(never, stream));
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("never recorded"), std::string::npos) << lines[0];
}

TEST_P(Conformance, Nodes_FlagsOutsideACaptureChangeNothing) {
    Bytes bytes(1);
    Stream stream = make_stream(), other = make_stream();
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    bytes.set(stream, 0, 1);
    ASSERT_OK(gs_event_record_with_flags(event, stream, GS_EVENT_EXTERNAL));
    EXPECT_EQ(generation(event), 1u);
    ASSERT_OK(gs_event_wait_with_flags(event, other, GS_EVENT_EXTERNAL));
    EXPECT_FALSE(done(other.get()));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_record_with_flags, "0x1", event, stream, 1);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_wait_with_flags, "0x18", event, stream, 24);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(bytes[0], 1);
    EXPECT_OK(gs_stream_wait_generation(other, event, 1)) << "no graph knows the event";
}

TEST_P(Conformance, Nodes_SingleRecordsAndWaitsBecomeNodes) {
    Stream stream = make_stream(), before = make_stream(), behind = make_stream();
    Event in = make_event(), out = make_event();
    Bytes bytes(1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    const UnrecordedMode strict(GS_UNRECORDED_ERROR); // a node waits for the record that comes with a launch
    ASSERT_OK(gs_event_wait_with_flags(in, stream, GS_EVENT_EXTERNAL));
    bytes.set(stream, 0, 100);
    ASSERT_OK(gs_event_record_with_flags(out, stream, GS_EVENT_EXTERNAL));
    GraphExec exec = instantiate(end_capture(stream));
    ASSERT_OK(gs_event_record(in, before));
    ASSERT_OK(gs_graph_exec_launch(exec, stream)); // the first one uploads, and may wait for host functions
    ASSERT_OK(gs_stream_synchronize(stream));
    for (uint8_t round = 1; round <= 3; ++round) {
        Gate gate;
        ASSERT_OK(gate.hold(before));
        ASSERT_OK(gs_memset_async(bytes.at(0), round, 1, before));
        ASSERT_OK(gs_event_record(in, before));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_event_wait(out, behind));
        EXPECT_FALSE(done(out.get()));
        EXPECT_FALSE(done(behind.get()));
        gate.open();
        EXPECT_OK(gs_stream_synchronize(behind));
        EXPECT_EQ(bytes[0], 100) << "the launch came before the work that it has to wait for";
    }
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_generation(behind, out, generation(out)));
}

TEST_P(Conformance, Nodes_KeepTheirEvents) {
    Stream stream = make_stream();
    Event in = make_event(), out = make_event();
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_event_wait_with_flags(in, stream, GS_EVENT_EXTERNAL));
    ASSERT_OK(gs_event_record_with_flags(out, stream, GS_EVENT_EXTERNAL));
    in.reset();
    out.reset();
    GraphExec exec = instantiate(end_capture(stream));
    for (int i = 0; i < 3; ++i) {
        Event reuser = make_event();
        ASSERT_OK(gs_event_record(reuser, stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        EXPECT_OK(gs_stream_synchronize(stream));
    }
}

} // namespace gs::test
