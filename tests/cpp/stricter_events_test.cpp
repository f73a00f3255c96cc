// SPDX-License-Identifier: Apache-2.0
// First records, records and waits as nodes, waits without a record, and times by the host's clock.
#include <gtest/gtest.h>

#include <gpustream.hpp>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;

namespace {

TEST(StricterEvents, TheFirstRecordStays) {
    const stream work = stream::create();
    const event mark = event::create();
    EXPECT_TRUE(mark.record_once(work));
    EXPECT_FALSE(mark.record_once(work));
    work.record(mark);
    EXPECT_FALSE(mark.record_once(stream_ref()));
    EXPECT_EQ(failure_of([&] { static_cast<void>(event_ref().record_once(work)); }), status::invalid_handle);
    const event other = event::create();
    EXPECT_EQ(failure_of([&] { static_cast<void>(other.record_once(stream_ref())); }), status::invalid_handle);
}

TEST(StricterEvents, RecordsAndWaitsOfExternalEventsAreNodes) {
    const stream work = stream::create();
    const event mark = event::create(event_flags::external);
    const event before = event::create(event_flags::external);
    capture recording(work);
    work.wait(before);
    work.record(mark);
    const graph recorded = recording.end();
    const std::vector<node> found = recorded.contents();
    ASSERT_EQ(found.size(), 2u);
    std::vector<node_kind> kinds;
    for (const node one : found) kinds.push_back(static_cast<node_kind>(recorded.info(one).kind));
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), node_kind::wait), kinds.end());
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), node_kind::record), kinds.end());
    recorded.instantiate().launch(work);
    work.synchronize();
    EXPECT_TRUE(mark.query());
    EXPECT_NE(mark.native(), 0u) << "the launch recorded it";
}

TEST(StricterEvents, WaitsWithoutARecord) {
    const stream work = stream::create();
    const event mark = event::create();
    EXPECT_EQ(get_unrecorded(), unrecorded::ignore);
    work.wait(mark);
    set_unrecorded(unrecorded::error);
    EXPECT_EQ(get_unrecorded(), unrecorded::error);
    EXPECT_EQ(failure_of([&] { work.wait(mark); }), status::not_recorded);
    EXPECT_EQ(failure_of([&] { mark.synchronize(); }), status::not_recorded);
    EXPECT_TRUE(mark.query());
    // A warning goes to the log.
    int warnings = 0;
    set_log([](void *count, int32_t, const char *) { ++*static_cast<int *>(count); }, &warnings);
    set_unrecorded(unrecorded::warn);
    mark.synchronize();
    set_log(nullptr);
    EXPECT_EQ(warnings, 1);
    set_unrecorded(unrecorded::ignore);
    EXPECT_EQ(failure_of([] { set_unrecorded(static_cast<unrecorded>(9)); }), status::invalid_argument);
}

TEST(StricterEvents, TimesByTheHostsClock) {
    const stream work = stream::create();
    const timed_event start = timed_event::create();
    const timed_event end = timed_event::create();
    EXPECT_EQ(failure_of([&] { static_cast<void>(elapsed_ns(start, end)); }), status::not_recorded);
    work.record(start);
    work.sleep(1'000'000);
    work.record(end);
    work.synchronize();
    const std::chrono::nanoseconds between = elapsed_ns(start, end);
    EXPECT_GE(between.count(), 1'000'000);
    EXPECT_EQ(elapsed_ns(end, start), -between);
    EXPECT_GE(device(0).calibrate().count(), 0);
    const timed_event_ref::time first = start.host_time();
    const timed_event_ref::time last = end.host_time();
    EXPECT_GE(first.error.count(), 0);
    EXPECT_LE((last.at - first.at - between).count(), (first.error + last.error).count());
    EXPECT_LT(last.at - last.error, std::chrono::steady_clock::now().time_since_epoch()) << "it is the same clock";
    EXPECT_EQ(failure_of([] { static_cast<void>(device(99).calibrate()); }), status::invalid_device);
    const event plain = event::create();
    EXPECT_EQ(failure_of([&] { static_cast<void>(timed_event_ref(plain.get()).host_time()); }),
              status::timing_disabled);
}

TEST(StricterEvents, AdoptedEventsCallTheirReleaseOnce) {
    const stream work = stream::create();
    event mark = event::create();
    work.record(mark);
    const uintptr_t native = std::move(mark).into_native();
    EXPECT_FALSE(mark); // NOLINT(bugprone-use-after-move)
    int released = 0;
    {
        const event adopted = event::adopt_native(0, native, [&] { ++released; });
        EXPECT_EQ(adopted.native(), native);
        EXPECT_EQ(released, 0);
    }
    EXPECT_EQ(released, 1);
    EXPECT_EQ(failure_of([&] { static_cast<void>(event::adopt_native(0, 0, [&] { ++released; })); }),
              status::invalid_handle);
    EXPECT_EQ(released, 1);
}

} // namespace
