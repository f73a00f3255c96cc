// SPDX-License-Identifier: Apache-2.0
// A stream that is current on a thread lives on when its last reference goes, and ends when the last thread lets go. The
// holders are not counted: they write their own tables, and the destroyer looks (docs/adr/0003).
#include <pthread.h>

#include "schedule/scenario.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using StreamHold = OnModel;

gs_stream_t g_held, g_new;

gs_stream_t current() {
    gs_stream_t stream = nullptr;
    REQUIRE_OK(gs_current_stream(GS_DEVICE_CURRENT, &stream));
    return stream;
}
gs_stream_t default_stream() {
    gs_stream_t stream = nullptr;
    REQUIRE_OK(gs_default_stream(0, &stream));
    return stream;
}
void let_go() { REQUIRE_OK(gs_set_current_stream(default_stream())); }

void make() {
    model::begin_run();
    const As owner(1);
    g_held = new_stream();
    REQUIRE_OK(gs_stream_sleep(g_held, 1));
    model::finish_all();
}

// If the thread could make the stream current, it stays usable until the thread lets go.
void hold_and_use() {
    const As owner(1);
    if (LIVED(gs_set_current_stream(g_held))) {
        require(current() == g_held, "another stream is current than was set");
        REQUIRE_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1));
        int32_t is_done = 0;
        REQUIRE_OK(gs_stream_query(current(), &is_done));
    } else {
        require(current() == default_stream(), "a stream that was destroyed is current");
    }
    let_go();
}

void hold_in_a_scope() {
    const As owner(1);
    uint64_t scope = 0;
    if (!LIVED(gs_push_current_stream(g_held, &scope))) return;
    require(current() == g_held, "another stream is current than was pushed");
    REQUIRE_OK(gs_stream_sleep(GS_STREAM_CURRENT, 1));
    REQUIRE_OK(gs_pop_current_stream(scope));
}

// A holder may own the stream again after its owners let go of it.
void hold_and_retain() {
    const As owner(1);
    if (!LIVED(gs_set_current_stream(g_held))) return;
    const gs_stream_t borrowed = current();
    REQUIRE_OK(gs_stream_retain(borrowed));
    let_go();
    REQUIRE_OK(gs_stream_sleep(borrowed, 1));
    REQUIRE_OK(gs_stream_destroy(borrowed));
}

void destroy_and_lease() {
    {
        const As owner(1);
        REQUIRE_OK(gs_stream_destroy(g_held));
    }
    model::finish_all();
    const As owner(2);
    g_new = new_stream();
    REQUIRE_OK(gs_stream_sleep(g_new, 1));
}

void judge() {
    require(gs_stream_retain(g_held) == GS_ERROR_INVALID_HANDLE, "a stream that no thread holds has not ended");
    if (g_new) REQUIRE_OK(gs_stream_destroy(g_new));
    g_new = nullptr;
    clean_up();
    require(model::new_streams() <= 0, "a driver stream is lost");
}

Scenario against_destroy(const char *name, void (*hold)()) { return {name, make, {hold, destroy_and_lease}, judge}; }

Scenario two_holders() {
    return {"two holders and a destroy",
            make,
            {hold_and_use, hold_in_a_scope,
             [] {
                 const As owner(1);
                 REQUIRE_OK(gs_stream_destroy(g_held));
             }},
            judge};
}

// A thread ends with the stream current. Its exit may be the end of the stream, without any driver call.
void *hold_until_the_end(void *) {
    const As owner(1);
    LIVED(gs_set_current_stream(g_held));
    return nullptr;
}
Scenario exit_against_destroy() {
    return {"a thread that ends as holder, and a destroy",
            make,
            {[] {
                 pthread_t thread;
                 require(pthread_create(&thread, nullptr, hold_until_the_end, nullptr) == 0,
                         "no thread can be started");
                 require(pthread_join(thread, nullptr) == 0, "the thread cannot be joined");
             },
             destroy_and_lease},
            judge};
}

constexpr Depth kBuffered{.bound = 1, .buffered = true};

} // namespace

TEST_F(StreamHold, SetAgainstDestroy) { expect_clean(against_destroy("set current against destroy", hold_and_use)); }
TEST_F(StreamHold, ScopeAgainstDestroy) {
    expect_clean(against_destroy("push and pop against destroy", hold_in_a_scope));
}
TEST_F(StreamHold, RetainByTheHolder) {
    expect_clean(against_destroy("a holder that retains, and a destroy", hold_and_retain));
}
TEST_F(StreamHold, TwoHolders) { expect_clean(two_holders(), {.bound = 1}); }
TEST_F(StreamHold, ExitAgainstDestroy) { expect_clean(exit_against_destroy(), {.most = 3'000}); }
TEST_F(StreamHold, WithBufferedStores) {
    expect_clean(against_destroy("set current against destroy, stores buffered", hold_and_use), kBuffered);
    expect_clean(against_destroy("push and pop against destroy, stores buffered", hold_in_a_scope), kBuffered);
}

TEST_F(StreamHold, Fixture_HoldWithoutConfirmation) {
    const Seeded bug(SeededBug::HoldWithoutConfirmation);
    expect_broken(against_destroy("set current against destroy, not confirmed", hold_and_use));
    expect_broken(against_destroy("push and pop against destroy, not confirmed", hold_in_a_scope));
}

// The holder's entry and the destroyer's state are plain stores that must not pass each other.
TEST_F(StreamHold, Fixture_GraceWithoutBarrier) {
    const Seeded bug(SeededBug::GraceWithoutBarrier);
    expect_broken(against_destroy("set current against destroy, no barrier", hold_and_use), kBuffered);
}

} // namespace gs::schedule
