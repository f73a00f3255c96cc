// SPDX-License-Identifier: Apache-2.0
// Waiting for the device: which work is covered, and the effect of sync debug mode.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

// Calls `wait` on another thread while the stream always has work pending that was submitted after earlier work ended: a
// wait that also covers later work never returns.
template <typename Wait>
void keep_busy_while(gs_stream_t stream, Wait &&wait) {
    std::atomic<bool> returned{false};
    auto pending = std::make_unique<Gate>();
    ASSERT_OK(pending->hold(stream));
    std::thread waiter([&] {
        EXPECT_OK(wait());
        returned = true;
    });
    while (!returned) {
        auto next = std::make_unique<Gate>();
        EXPECT_OK(next->hold(stream)); // before the previous one opens: the stream is never idle
        pending->open();
        pending = std::move(next);
        next.reset();
    }
    EXPECT_FALSE(done(stream));
    waiter.join();
    pending->open();
}

} // namespace

TEST_P(Conformance, Case13_DeviceSynchronizeIgnoresLaterWork) {
    ROWS("J2 J3 F-14");
    Stream stream = make_stream(0);
    keep_busy_while(stream, [] { return gs_device_synchronize(0); });
}

TEST_P(Conformance, Case13_StreamSynchronizeIgnoresLaterWork) {
    ROWS("A12 C10 J2 J3");
    Stream stream = make_stream(0);
    keep_busy_while(stream, [&] { return gs_stream_synchronize(stream); });
}

TEST_P(Conformance, Case13_EventSynchronizeIgnoresLaterRecords) {
    ROWS("B12 D11");
    Stream first = make_stream(), second = make_stream();
    Event event = make_event(GS_EVENT_BLOCKING);
    Gate old_gate, new_gate;
    ASSERT_OK(old_gate.hold(first));
    ASSERT_OK(gs_event_record(event, first));
    StatsDelta stats;
    std::thread waiter([&] { EXPECT_OK(gs_event_synchronize(event)); });
    while (stats.since(&gs_stats_t::synchronizes) == 0) std::this_thread::yield();
    ASSERT_OK(new_gate.hold(second));
    old_gate.open();
    waiter.join(); // only that event's work, not the other stream's
    EXPECT_FALSE(done(second.get()));
    new_gate.open();
}

TEST_P(Conformance, RowJ3_DeviceSynchronizeCoversAllStreams) {
    Bytes bytes(4);
    std::vector<Stream> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(make_stream(0, i % 2 ? GS_STREAM_BLOCKING : 0));
    Gate gate;
    ASSERT_OK(gate.hold(streams[3]));
    for (size_t i = 0; i < 4; ++i) bytes.set(streams[i], i, 1);
    std::thread opener([&] { gate.open(); });
    EXPECT_OK(gs_device_synchronize(0));
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(bytes[i], 1) << i;
    for (const Stream &stream : streams) EXPECT_TRUE(done(stream.get()));
    opener.join();
    EXPECT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    for (int32_t device = 0; device < device_count(); ++device) EXPECT_OK(gs_device_check(device));
}

TEST_P(Conformance, Case23_SyncDebugTorchScope) {
    ROWS("F-21 F-22 E3");
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_ERROR));
    int64_t mode = 0;
    EXPECT_OK(gs_get_option(GS_OPTION_SYNC_DEBUG_MODE, &mode));
    EXPECT_EQ(mode, GS_SYNC_DEBUG_ERROR);
    EXPECT_FAILS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize, "synchronizing",
                 stream); // returns: nothing was waited for
    EXPECT_FALSE(done(stream.get())) << "queries are never affected";
    EXPECT_OK(gs_event_synchronize(event));
    gate.open();
    EXPECT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    EXPECT_STATUS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize(stream)) << "also if the work is known to be done";
}

TEST_P(Conformance, Case23_SyncDebugScopeAll) {
    Stream stream = make_stream();
    Event event = make_event(), never = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_ERROR));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_ALL));
    int64_t scope = 0;
    EXPECT_OK(gs_get_option(GS_OPTION_SYNC_DEBUG_SCOPE, &scope));
    EXPECT_EQ(scope, GS_SYNC_SCOPE_ALL);
    EXPECT_STATUS(GS_ERROR_SYNC_FORBIDDEN, gs_stream_synchronize(stream));
    EXPECT_FAILS(GS_ERROR_SYNC_FORBIDDEN, gs_event_synchronize, "synchronizing", event);
    EXPECT_FAILS(GS_ERROR_SYNC_FORBIDDEN, gs_device_synchronize, "synchronizing", 0);
    EXPECT_OK(gs_event_synchronize(never)) << "there is nothing to wait for";
}

TEST_P(Conformance, Case23_SyncDebugWarns) {
    std::vector<std::string> lines;
    const auto collect = [](void *arg, int32_t level, const char *text) {
        if (level == GS_LOG_WARNING) static_cast<std::vector<std::string> *>(arg)->push_back(text);
    };
    Stream stream = make_stream();
    ASSERT_OK(gs_set_log_callback(collect, &lines));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_WARN));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    ASSERT_EQ(lines.size(), 1u) << "stream synchronize warns, device synchronize does not (torch)";
    EXPECT_NE(lines[0].find("synchronizing"), std::string::npos) << lines[0];
}

// A program that waits in slices looks at something else in between.
TEST_P(Conformance, Case23_AWaitInSlicesWarnsOnce) {
    int warnings = 0;
    const auto count = [](void *arg, int32_t level, const char *) {
        *static_cast<int *>(arg) += level == GS_LOG_WARNING;
    };
    Stream stream = make_stream(), other = make_stream();
    Event event = make_event();
    const Timeline timeline;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_set_log_callback(count, &warnings));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_WARN));
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_ALL));
    const gs_event_t events[] = {event};
    const std::function<gs_status_t()> waits[] = {
        [&] { return gs_stream_synchronize_for(stream, 1000); },
        [&] { return gs_event_synchronize_for(event, 1000); },
        [&] { return gs_timeline_synchronize(timeline, 1, 1000); },
        [&] { return gs_device_synchronize_for(GS_DEVICE_CURRENT, 1000); },
        [&] { return gs_event_synchronize_all(events, 1, 1000); },
    };
    for (const auto &wait : waits) {
        warnings = 0;
        for (int slice = 0; slice < 5; ++slice) EXPECT_EQ(wait(), GS_ERROR_TIMEOUT);
        EXPECT_EQ(warnings, 1);
        EXPECT_OK(gs_stream_synchronize_for(other, 1000));
        EXPECT_EQ(warnings, 2) << "a wait for something else";
        EXPECT_EQ(wait(), GS_ERROR_TIMEOUT);
        EXPECT_EQ(warnings, 3) << "and the next one is new";
        EXPECT_OK(gs_stream_synchronize_for(other, 1000));
    }
    warnings = 0;
    for (int poll = 0; poll < 3; ++poll) EXPECT_EQ(gs_stream_synchronize_for(stream, 0), GS_ERROR_TIMEOUT);
    EXPECT_EQ(warnings, 3) << "a call that takes no time is a wait of its own";
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    EXPECT_EQ(waits[0](), GS_ERROR_TIMEOUT);
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_WARN));
    EXPECT_EQ(waits[0](), GS_ERROR_TIMEOUT);
    EXPECT_EQ(warnings, 4) << "the one before was silent";
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_ERROR));
    EXPECT_EQ(waits[0](), GS_ERROR_SYNC_FORBIDDEN);
    ASSERT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    gate.open();
}

TEST_P(Conformance, Case23_SyncDebugBadValues) {
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "3", GS_OPTION_SYNC_DEBUG_MODE, 3);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "-1", GS_OPTION_SYNC_DEBUG_MODE, -1);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_set_option, "2", GS_OPTION_SYNC_DEBUG_SCOPE, 2);
    int64_t mode = 7;
    EXPECT_OK(gs_get_option(GS_OPTION_SYNC_DEBUG_MODE, &mode));
    EXPECT_EQ(mode, GS_SYNC_DEBUG_DEFAULT);
}

} // namespace gs::test
