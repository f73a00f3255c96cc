// SPDX-License-Identifier: Apache-2.0
// Notifications: each runs once, after its work, in the order of its stream, whatever becomes of the stream.
// The dispatcher is one more thread of the schedule.
#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using Notify = OnModel;

gs_stream_t g_stream, g_other;
uintptr_t g_native;
std::string g_order; // of the callbacks

struct Note {
    char name;
    uint64_t position;
    uintptr_t stream;
};
Note g_notes[3];

void on_done(void *opaque, gs_status_t status) {
    const Note &note = *static_cast<const Note *>(opaque);
    require(status == GS_OK, "a notification reports a failure");
    require(model::is_done({0, 0, note.stream, note.position}), "a notification comes before its work is done");
    g_order += note.name;
}

void notify(gs_stream_t stream, uintptr_t native, int number) {
    g_notes[number] = {static_cast<char>('a' + number), model::submitted(native), native};
    REQUIRE_OK(gs_stream_notify(stream, on_done, &g_notes[number]));
}

void make() {
    model::begin_run();
    g_order.clear();
    g_stream = new_stream();
    g_other = new_stream();
    g_native = native_of(g_stream);
    REQUIRE_OK(gs_stream_sleep(g_stream, 1));
}

void end_run(size_t expected) {
    model::finish_all();
    settle();
    require(g_order.size() == expected, "a notification is lost or came twice: " + g_order);
    for (int i = 0; i < 3 && g_order.size() < expected; ++i) { // for the next run
        notify(g_other, native_of(g_other), 2);
        model::finish_all();
        settle();
    }
    if (g_stream) REQUIRE_OK(gs_stream_destroy(g_stream));
    REQUIRE_OK(gs_stream_destroy(g_other));
    clean_up();
    require(model::new_events() <= 0, "a driver event is lost");
}

Scenario against_destroy() {
    return {"notify against destroy and trim",
            make,
            {[] { notify(g_stream, g_native, 0); },
             [] {
                 model::finish(g_native);
                 REQUIRE_OK(gs_trim());
             }},
            [] { end_run(1); }};
}

// The stream ends right after the call, and its driver stream serves the next owner while the callback is due.
Scenario then_destroyed() {
    return {"notify, destroy and lease again",
            make,
            {[] {
                 notify(g_stream, g_native, 0);
                 REQUIRE_OK(gs_stream_destroy(g_stream));
                 g_stream = nullptr;
                 model::finish(g_native);
                 g_stream = new_stream();
             },
             [] { REQUIRE_OK(gs_trim()); }},
            [] { end_run(1); }};
}

Scenario in_order() {
    return {"two notifications of a stream and one of another",
            make,
            {[] {
                 notify(g_stream, g_native, 0);
                 notify(g_stream, g_native, 1);
                 model::finish(g_native);
             },
             [] { notify(g_other, native_of(g_other), 2); }},
            [] {
                end_run(3);
                require(g_order.find('a') < g_order.find('b'), "notifications of one stream in the wrong order");
            }};
}

// The dispatcher goes to rest between two notifications.
Scenario one_after_the_other() {
    return {"two notifications, the second one while the dispatcher goes to rest",
            make,
            {[] {
                notify(g_stream, g_native, 0);
                model::finish(g_native);
                notify(g_stream, g_native, 1);
                model::finish(g_native);
            }},
            [] { end_run(2); }};
}

constexpr Depth kShort{.bound = 2, .most = 4'000};

} // namespace

TEST_F(Notify, AgainstTrim) { expect_clean(against_destroy(), kShort); }
TEST_F(Notify, ThenDestroyed) { expect_clean(then_destroyed(), kShort); }
TEST_F(Notify, InOrder) { expect_clean(in_order(), kShort); }
TEST_F(Notify, WithBufferedStores) { expect_clean(against_destroy(), {.bound = 1, .most = 4'000, .buffered = true}); }

TEST_F(Notify, OneAfterTheOther) { expect_clean(one_after_the_other(), {.bound = 3, .most = 4'000}); }

// A condition that looks at its turn after it has released the lock sleeps through a notification.
TEST_F(Notify, Fixture_LateLookAtTheTurn) {
    const Seeded bug(SeededBug::LateLookAtTheTurn);
    expect_broken(one_after_the_other());
}

} // namespace gs::schedule
