// SPDX-License-Identifier: Apache-2.0
// As event_reuse_test.cpp, for streams: a call on a stream that another thread destroys, and whose driver stream is leased
// to the next owner.
#include "schedule/scenario.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using StreamReuse = OnModel;
using Use = void (*)(gs_stream_t stream);

gs_stream_t g_old, g_new, g_other;
gs_event_t g_event;

void query(gs_stream_t stream) {
    int32_t is_done = 0;
    LIVED(gs_stream_query(stream, &is_done));
}
void synchronize(gs_stream_t stream) { LIVED(gs_stream_synchronize(stream)); }
void work(gs_stream_t stream) { LIVED(gs_stream_sleep(stream, 1)); }
void record(gs_stream_t stream) { LIVED(gs_event_record(g_event, stream)); }

void lease_and_use() {
    const As owner(2);
    g_new = new_stream();
    REQUIRE_OK(gs_stream_sleep(g_new, 1));
}

// was_used: the lease waits in limbo until it is found to be idle; else it goes back to its pool at once.
Scenario against_destroy(const char *name, Use use, bool was_used) {
    return {name,
            [was_used] {
                model::begin_run();
                const As owner(1);
                g_event = new_event();
                g_old = new_stream();
                if (was_used) REQUIRE_OK(gs_stream_sleep(g_old, 1));
                model::finish_all();
            },
            {[use] {
                 const As owner(1);
                 use(g_old); // the first use by a second thread is fenced
                 use(g_old);
             },
             [] {
                 {
                     const As owner(1);
                     REQUIRE_OK(gs_stream_destroy(g_old));
                 }
                 model::finish_all();
                 lease_and_use();
             }},
            [] {
                REQUIRE_OK(gs_stream_destroy(g_new));
                REQUIRE_OK(gs_event_destroy(g_event));
                clean_up();
            }};
}

// gs_trim() destroys idle driver streams while another thread destroys one and leases the next.
Scenario trim_against_leases() {
    return {"trim against destroy and create",
            [] {
                model::begin_run();
                g_old = new_stream();
                REQUIRE_OK(gs_stream_sleep(g_old, 1));
                model::finish_all();
            },
            {[] { REQUIRE_OK(gs_trim()); },
             [] {
                 REQUIRE_OK(gs_stream_destroy(g_old));
                 g_new = new_stream();
                 REQUIRE_OK(gs_stream_sleep(g_new, 1));
             }},
            [] {
                REQUIRE_OK(gs_stream_sleep(g_new, 1)); // its driver stream lives
                REQUIRE_OK(gs_stream_destroy(g_new));
                clean_up();
                require(model::new_streams() <= 0, "a driver stream is lost");
            }};
}

// Two threads make the event that a stream keeps for gs_stream_wait_stream() at the same time, and one destroys the stream.
Scenario first_waits_for_a_stream() {
    return {"two first waits for a stream, and its destroy",
            [] {
                model::begin_run();
                g_old = new_stream();
                g_new = new_stream();
                g_other = new_stream();
            },
            {[] { LIVED(gs_stream_wait_stream(g_new, g_old)); },
             [] {
                 REQUIRE_OK(gs_stream_wait_stream(g_other, g_old));
                 REQUIRE_OK(gs_stream_destroy(g_old));
             }},
            [] {
                REQUIRE_OK(gs_stream_destroy(g_new));
                REQUIRE_OK(gs_stream_destroy(g_other));
                clean_up();
                require(model::new_events() <= 0, "a driver event is lost");
                require(model::new_streams() <= 0, "a driver stream is lost");
            }};
}

// Retain wins or loses against the last destroy, but both agree on it.
Scenario retain_against_destroy() {
    static bool retained;
    return {"retain against destroy",
            [] {
                model::begin_run();
                g_old = new_stream();
                retained = false;
            },
            {[] {
                 const As owner(1);
                 retained = LIVED(gs_stream_retain(g_old));
                 if (retained) REQUIRE_OK(gs_stream_sleep(g_old, 1));
             },
             [] {
                 REQUIRE_OK(gs_stream_destroy(g_old));
                 lease_and_use();
             }},
            [] {
                if (retained) REQUIRE_OK(gs_stream_destroy(g_old));
                require(gs_stream_destroy(g_old) == GS_ERROR_INVALID_HANDLE, "a stream outlives its references");
                REQUIRE_OK(gs_stream_destroy(g_new));
                clean_up();
            }};
}

constexpr Depth kBuffered{.bound = 1, .buffered = true};

} // namespace

TEST_F(StreamReuse, Query) { expect_clean(against_destroy("stream query against destroy", query, true)); }
TEST_F(StreamReuse, Synchronize) {
    expect_clean(against_destroy("stream synchronize against destroy", synchronize, true));
}
TEST_F(StreamReuse, Work) { expect_clean(against_destroy("work against destroy", work, true)); }
TEST_F(StreamReuse, Record) { expect_clean(against_destroy("record against the stream's destroy", record, true)); }
TEST_F(StreamReuse, QueryOfAnUnusedOne) {
    expect_clean(against_destroy("query of an unused stream against destroy", query, false));
}
TEST_F(StreamReuse, WithBufferedStores) {
    expect_clean(against_destroy("stream query against destroy, stores buffered", query, true), kBuffered);
}
TEST_F(StreamReuse, TrimAgainstLeases) { expect_clean(trim_against_leases()); }
TEST_F(StreamReuse, FirstWaits) { expect_clean(first_waits_for_a_stream()); }
TEST_F(StreamReuse, RetainAgainstDestroy) { expect_clean(retain_against_destroy()); }

TEST_F(StreamReuse, Fixture_ReuseWithoutGrace) {
    const Seeded bug(SeededBug::ReuseWithoutGrace);
    expect_broken(against_destroy("stream query against destroy, without grace periods", query, true));
    expect_broken(against_destroy("query of an unused stream, without grace periods", query, false));
}

} // namespace gs::schedule
