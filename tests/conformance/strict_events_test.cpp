// SPDX-License-Identifier: Apache-2.0
// Events: what their info tells, waits without a record, and records and waits that are nodes of graphs.
#include <string>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/parked.hpp"

namespace gs::test {
namespace {

class UnrecordedMode {
public:
    explicit UnrecordedMode(int32_t mode) { EXPECT_OK(gs_set_option(GS_OPTION_UNRECORDED_MODE, mode)); }
    ~UnrecordedMode() { EXPECT_OK(gs_set_option(GS_OPTION_UNRECORDED_MODE, GS_UNRECORDED_IGNORE)); }
    UnrecordedMode(const UnrecordedMode &) = delete;
    UnrecordedMode &operator=(const UnrecordedMode &) = delete;
};

} // namespace

TEST_P(Conformance, EventInfo_TellsDeviceFlagsAndRecord) {
    Stream stream = make_stream(1 % device_count());
    for (int owner = 0; owner < 3; ++owner) { // the slot is used again
        Event event = make_event(GS_EVENT_BLOCKING);
        gs_event_info_t info = facts_of(event);
        EXPECT_EQ(info.device, GS_DEVICE_NONE);
        EXPECT_EQ(info.flags, uint32_t{GS_EVENT_BLOCKING});
        EXPECT_EQ(info.recorded, 0);
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(event, nullptr));
        EXPECT_EQ(facts_of(event).recorded, 0) << "a refused record is none";
        ASSERT_OK(gs_event_record(event, stream));
        info = facts_of(event);
        EXPECT_EQ(info.device, facts_of(stream).device);
        EXPECT_EQ(info.recorded, 1);
    }
    gs_event_info_t info{};
    Event event = make_event();
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_event_get_info, "struct_size", event, &info);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_get_info(event, nullptr));
}

TEST_P(Conformance, Unrecorded_WaitsFailOnRequest) {
    Stream stream = make_stream();
    Event never = make_event();
    int64_t mode = 9;
    EXPECT_OK(gs_get_option(GS_OPTION_UNRECORDED_MODE, &mode));
    EXPECT_EQ(mode, GS_UNRECORDED_IGNORE);
    EXPECT_OK(gs_event_wait(never, stream));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "3", GS_OPTION_UNRECORDED_MODE, 3);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "-1", GS_OPTION_UNRECORDED_MODE, -1);
    const UnrecordedMode strict(GS_UNRECORDED_ERROR);
    gs_event_t events[] = {never};
    size_t index = 0;
    ASSERT_OK(gs_event_set_name(never, "ready"));
    EXPECT_FAILS(GS_ERROR_NOT_RECORDED, gs_event_wait, "(\"ready\") was never recorded", never, stream);
    EXPECT_STATUS(GS_ERROR_NOT_RECORDED, gs_stream_wait_event(stream, never));
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
    ASSERT_OK(gs_event_set_name(never, "ready"));
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
    for (const std::string &line : lines)
        EXPECT_NE(line.find("(\"ready\") was never recorded"), std::string::npos) << line;
}

TEST_P(Conformance, Nodes_RecordsAndWaitsOfExternalEvents) {
    for (const int32_t unrecorded : {GS_UNRECORDED_IGNORE, GS_UNRECORDED_ERROR}) {
        Stream stream = make_stream(), before = make_stream(), behind = make_stream();
        Event in = make_event(GS_EVENT_EXTERNAL), out = make_event(GS_EVENT_EXTERNAL);
        Bytes bytes(1);
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
        const UnrecordedMode mode(unrecorded); // a node waits for the record that comes with a launch
        ASSERT_OK(gs_event_wait(in, stream));
        bytes.set(stream, 0, 100); // a fill: a driver launches no copy behind a host function that runs
        ASSERT_OK(gs_event_record(out, stream));
        GraphExec exec = instantiate(end_capture(stream));
        if (unrecorded == GS_UNRECORDED_ERROR) ASSERT_OK(gs_event_record(in, before));
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
    }
}

TEST_P(Conformance, Nodes_KeepTheirEvents) {
    Stream stream = make_stream();
    Event in = make_event(GS_EVENT_EXTERNAL), out = make_event(GS_EVENT_EXTERNAL);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_event_wait(in, stream));
    ASSERT_OK(gs_event_record(out, stream));
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
