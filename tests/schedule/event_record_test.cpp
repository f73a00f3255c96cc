// SPDX-License-Identifier: Apache-2.0
// The record word: several threads record, wait for and query one event. A driver call is only omitted if the record that
// the driver has is in the waiting stream itself or done.
#include <algorithm>

#include "schedule/scenario.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using EventRecord = OnModel;

gs_stream_t g_a, g_b;
uintptr_t g_native_a, g_native_b;
gs_event_t g_event;

// A call of the scenario, from one number of a clock to another.
struct Span {
    uint64_t begin;
    uint64_t end;
};
struct Recorded {
    Span when;
    uintptr_t stream;
    uint64_t position; // in the stream; 0: the driver has not got it yet
};
uint64_t g_clock;
Recorded g_recorded[4];
size_t g_count;

bool is_done(const Recorded &made) { return made.position != 0 && model::is_done({0, 0, made.stream, made.position}); }

void record(gs_stream_t stream, uintptr_t native) {
    Recorded &made = g_recorded[g_count++];
    made = {{++g_clock, UINT64_MAX}, native, 0};
    REQUIRE_OK(gs_event_record(g_event, stream));
    made.position = model::last_position();
    made.when.end = ++g_clock;
}

// A wait or query may mean a record unless that began after the call's end, or another one began after the record's end
// and ended before the call's begin. It may mean "never recorded" if no record had ended at its begin.
bool explained(const Span &call, bool (*fits)(const Recorded &, uintptr_t), uintptr_t native) {
    uint64_t superseded = 0;
    bool any = false;
    for (size_t i = 0; i < g_count; ++i) {
        const Span &when = g_recorded[i].when;
        if (when.end > call.begin) continue;
        superseded = std::max(superseded, when.begin);
        any = true;
    }
    if (!any) return true;
    for (size_t i = 0; i < g_count; ++i) {
        const Recorded &made = g_recorded[i];
        if (made.when.begin < call.end && made.when.end >= superseded && fits(made, native)) return true;
    }
    return false;
}

bool waited_between(uintptr_t stream, uint64_t begin, uint64_t end) {
    return std::any_of(model::waits().begin(), model::waits().end(), [=](const WaitMade &wait) {
        return wait.stream == stream && wait.when > begin && wait.when <= end;
    });
}

// The call may omit the driver's wait only for a record that does not need one.
void wait_and_judge(gs_stream_t stream, uintptr_t native) {
    const uint64_t calls = model::calls();
    Span span{++g_clock, 0};
    REQUIRE_OK(gs_stream_wait_event(stream, g_event));
    span.end = ++g_clock;
    if (waited_between(native, calls, model::calls())) return;
    const auto needs_none = [](const Recorded &made, uintptr_t own) { return made.stream == own || is_done(made); };
    require(explained(span, needs_none, native), "a wait was omitted for a record of another stream that is not done");
}

void query_and_judge() {
    Span span{++g_clock, 0};
    const bool answer = done(g_event);
    span.end = ++g_clock;
    const auto fits = [](const Recorded &made, uintptr_t) { return is_done(made); };
    require(!answer || explained(span, fits, 0), "an event looks done although its record is not");
}

void make() {
    model::begin_run();
    g_clock = g_count = 0;
    g_a = new_stream();
    g_b = new_stream();
    g_native_a = native_of(g_a);
    g_native_b = native_of(g_b);
    g_event = new_event();
}

// Of two records at the same time either may be the current one. Once all threads have returned, the library must believe
// in the one that the driver has.
void judge() {
    const RecordMade current = model::last_record();
    require(!done(g_event) || model::is_done(current), "an event looks done although the driver's record is not");
    for (const auto &[stream, native] : {std::pair(g_a, g_native_a), std::pair(g_b, g_native_b)}) {
        const uint64_t calls = model::calls();
        REQUIRE_OK(gs_stream_wait_event(stream, g_event));
        require(current.stream == native || model::is_done(current) || waited_between(native, calls, model::calls()),
                "a wait was omitted although the driver's record is in another stream and not done");
    }
    REQUIRE_OK(gs_event_destroy(g_event));
    REQUIRE_OK(gs_stream_destroy(g_a));
    REQUIRE_OK(gs_stream_destroy(g_b));
    clean_up();
}

void record_a() { record(g_a, g_native_a); }
void record_b() { record(g_b, g_native_b); }

Scenario two_recorders() { return {"two recorders", make, {record_a, record_b}, judge}; }

Scenario two_recorders_and_a_waiter() {
    return {"two recorders and a waiting stream",
            make,
            {record_a, record_b, [] { wait_and_judge(g_a, g_native_a); }},
            judge};
}

Scenario three_recorders() { return {"three recorders", make, {record_a, record_b, record_a}, judge}; }

Scenario recorder_and_query() {
    return {"a recorder and a query that ends the record before",
            [] {
                make();
                record_a();
                model::finish(g_native_a);
            },
            {record_b, query_and_judge},
            judge};
}

Scenario recorder_and_synchronize() {
    return {"a recorder and a synchronize",
            [] {
                make();
                record_a();
            },
            {record_b, [] { REQUIRE_OK(gs_event_synchronize(g_event)); }},
            judge};
}

// Both threads record the event for the first time: one of them binds it.
Scenario first_records() {
    return {"two first records, twice each",
            make,
            {[] {
                 record_a();
                 record_a();
             },
             [] {
                 record_b();
                 query_and_judge();
             }},
            judge};
}

constexpr Depth kDeep{.bound = 3};
constexpr Depth kThree{.bound = 2};
constexpr Depth kBuffered{.bound = 2, .buffered = true};

} // namespace

TEST_F(EventRecord, TwoRecorders) { expect_clean(two_recorders(), kDeep); }
TEST_F(EventRecord, ThreeRecorders) { expect_clean(three_recorders(), kThree); }
TEST_F(EventRecord, TwoRecordersAndAWaiter) { expect_clean(two_recorders_and_a_waiter(), kThree); }
TEST_F(EventRecord, RecorderAndQuery) { expect_clean(recorder_and_query(), kDeep); }
TEST_F(EventRecord, RecorderAndSynchronize) { expect_clean(recorder_and_synchronize(), kDeep); }
TEST_F(EventRecord, FirstRecords) { expect_clean(first_records(), kDeep); }

TEST_F(EventRecord, WithBufferedStores) {
    expect_clean(two_recorders(), kBuffered);
    expect_clean(recorder_and_query(), kBuffered);
}

TEST_F(EventRecord, Fixture_LostRecorderPublishes) {
    const Seeded bug(SeededBug::LostRecorderPublishes);
    expect_broken(two_recorders());
}

TEST_F(EventRecord, Fixture_NewestRecordIsComplete) {
    const Seeded bug(SeededBug::NewestRecordIsComplete);
    expect_broken(recorder_and_query());
}

} // namespace gs::schedule
