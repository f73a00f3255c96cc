// SPDX-License-Identifier: Apache-2.0
// A call in flight never touches another owner's object. A thread uses an event that another one destroys. The event's
// slot and driver event serve the next event as soon as the library thinks that they may.
#include <atomic>

#include "schedule/scenario.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using EventReuse = OnModel;
using Use = void (*)(gs_event_t event, gs_stream_t stream);

gs_stream_t g_idle, g_busy;
gs_event_t g_old, g_new;
std::atomic<gs_event_t> g_handed;

void record(gs_event_t event, gs_stream_t stream) { LIVED(gs_event_record(event, stream)); }
void wait(gs_event_t event, gs_stream_t stream) { LIVED(gs_stream_wait_event(stream, event)); }
void query(gs_event_t event, gs_stream_t) {
    int32_t is_done = 0;
    LIVED(gs_event_query(event, &is_done));
}
void synchronize(gs_event_t event, gs_stream_t) { LIVED(gs_event_synchronize(event)); }

void make_streams() {
    model::begin_run();
    g_idle = new_stream();
    g_busy = new_stream();
}
void end_run() {
    if (g_new) REQUIRE_OK(gs_event_destroy(g_new));
    g_new = nullptr;
    REQUIRE_OK(gs_stream_destroy(g_idle));
    REQUIRE_OK(gs_stream_destroy(g_busy));
    clean_up();
}

// The next event, recorded behind pending work: it must look pending, whatever other threads call.
void use_next_event() {
    const As owner(2);
    g_new = new_event();
    REQUIRE_OK(gs_event_record(g_new, g_busy));
    require(!done(g_new), "a new event looks done because of a call on the old one");
}

// The event is destroyed by a second thread, so calls in flight are waited for.
Scenario other_destroys(const char *name, Use use) {
    return {name,
            [] {
                make_streams();
                const As owner(1);
                g_old = new_event();
                REQUIRE_OK(gs_event_record(g_old, g_idle));
            },
            {[use] {
                 const As owner(1);
                 use(g_old, g_idle);
             },
             [] {
                 {
                     const As owner(1);
                     REQUIRE_OK(gs_event_destroy(g_old));
                 }
                 REQUIRE_OK(gs_trim());
                 REQUIRE_OK(gs_trim());
                 use_next_event();
             }},
            end_run};
}

// The thread that made the event destroys it, and reuses it at once if it believes that no other thread has used it.
Scenario owner_destroys(const char *name, Use use) {
    return {name,
            [] {
                make_streams();
                g_handed = nullptr;
            },
            {[] {
                 gs_event_t event = nullptr;
                 {
                     const As owner(1);
                     event = new_event();
                     g_handed = event;
                     LIVED(gs_event_record(event, g_idle));
                     REQUIRE_OK(gs_event_destroy(event));
                 }
                 use_next_event();
             },
             [use] {
                 const As owner(1);
                 if (const gs_event_t event = g_handed) use(event, g_idle);
             }},
            end_run};
}

constexpr Depth kBuffered{.bound = 2, .buffered = true};

} // namespace

TEST_F(EventReuse, Record) { expect_clean(other_destroys("record against destroy", record)); }
TEST_F(EventReuse, Wait) { expect_clean(other_destroys("wait against destroy", wait)); }
TEST_F(EventReuse, Query) { expect_clean(other_destroys("query against destroy", query)); }
TEST_F(EventReuse, Synchronize) { expect_clean(other_destroys("synchronize against destroy", synchronize)); }

TEST_F(EventReuse, RecordAgainstItsOwner) {
    expect_clean(owner_destroys("record against the owner's destroy", record));
}
TEST_F(EventReuse, QueryAgainstItsOwner) { expect_clean(owner_destroys("query against the owner's destroy", query)); }
TEST_F(EventReuse, SynchronizeAgainstItsOwner) {
    expect_clean(owner_destroys("synchronize against the owner's destroy", synchronize));
}

TEST_F(EventReuse, Fixture_ReuseWithoutGrace) {
    const Seeded bug(SeededBug::ReuseWithoutGrace);
    for (const Use use : {record, wait, query, synchronize})
        expect_broken(other_destroys("a call against destroy, without grace periods", use));
    expect_broken(owner_destroys("a call against the owner's destroy, without grace periods", record));
}

// The mark of a call is a plain store: the barrier of the thread that reclaims must make it visible.
TEST_F(EventReuse, WithBufferedStores) {
    expect_clean(other_destroys("record against destroy, stores buffered", record), kBuffered);
    expect_clean(other_destroys("synchronize against destroy, stores buffered", synchronize), kBuffered);
    expect_clean(owner_destroys("record against the owner's destroy, stores buffered", record), kBuffered);
}

TEST_F(EventReuse, Fixture_GraceWithoutBarrier) {
    const Seeded bug(SeededBug::GraceWithoutBarrier);
    expect_clean(other_destroys("record against destroy, no barrier but no buffers either", record));
    expect_broken(other_destroys("record against destroy, no barrier, stores buffered", record),
                  {.bound = 2, .random = 5'000, .buffered = true});
}

} // namespace gs::schedule
