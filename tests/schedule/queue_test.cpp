// SPDX-License-Identifier: Apache-2.0
// Queues: each entry comes once, whether the scanner has its lane, gives the lane up or goes to sleep while it is added.
#include <time.h>

#include <algorithm>
#include <string>

#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {
namespace {

using Queues = OnModel;

gs_stream_t g_stream, g_other;
gs_queue_t g_queue;
std::string g_taken; // tokens, in the order in which they came

constexpr int kMany = 24;

void take() {
    gs_completion_t entries[kMany];
    size_t count = 0;
    REQUIRE_OK(gs_queue_poll(g_queue, entries, kMany, &count));
    for (size_t i = 0; i < count; ++i) {
        require(entries[i].status == GS_OK, "an entry reports a failure");
        g_taken += static_cast<char>(entries[i].token);
    }
}

void add(gs_stream_t stream, char token) {
    REQUIRE_OK(gs_queue_add_stream(g_queue, stream, static_cast<uint64_t>(token)));
}

void make() {
    model::begin_run();
    g_taken.clear();
    g_stream = new_stream();
    g_other = new_stream();
    // One for all runs, which keeps its entries: new ones would come from other addresses in each run, as objects that threads have
    // not shared so far.
    if (!g_queue) REQUIRE_OK(gs_queue_create(kMany, 0, &g_queue));
    REQUIRE_OK(gs_stream_sleep(g_stream, 1));
}

void end_run(const std::string &expected) {
    model::finish_all();
    settle();
    take();
    std::string sorted = g_taken;
    std::sort(sorted.begin(), sorted.end());
    require(sorted == expected, "an entry is lost or came twice: " + g_taken);
    REQUIRE_OK(gs_stream_destroy(g_stream));
    REQUIRE_OK(gs_stream_destroy(g_other));
    clean_up();
}

// The second add finds the first one pending, delivered, or just being delivered.
Scenario behind_another() {
    return {"two adds to a queue whose work is done in between",
            make,
            {[] {
                add(g_stream, 'a');
                model::finish(native_of(g_stream));
                add(g_stream, 'b');
                model::finish(native_of(g_stream));
            }},
            [] {
                end_run("ab");
                require(g_taken == "ab", "entries of one stream in the wrong order: " + g_taken);
            }};
}

// The scanner has parked when the second add comes, or is about to: it has had nothing to do for a millisecond.
Scenario after_a_pause() {
    return {"an add when the scanner parks",
            make,
            {[] {
                add(g_stream, 'a');
                model::finish(native_of(g_stream));
                gs_completion_t entry;
                size_t count = 0;
                REQUIRE_OK(gs_queue_wait(g_queue, &entry, 1, -1, &count));
                g_taken += 'a';
                const timespec pause{0, 12 * 90'000};
                nanosleep(&pause, nullptr);
                add(g_stream, 'b');
                model::finish(native_of(g_stream));
            }},
            [] { end_run("ab"); }};
}

Scenario beside_another() {
    return {"adds of two threads to one queue",
            make,
            {[] {
                 add(g_stream, 'a');
                 model::finish(native_of(g_stream));
                 add(g_stream, 'b');
             },
             [] {
                 add(g_other, 'c');
                 take();
             }},
            [] {
                end_run("abc");
                require(g_taken.find('a') < g_taken.find('b'), "entries of one stream in the wrong order: " + g_taken);
            }};
}

Scenario against_cancel() {
    return {"adds, cancels and polls",
            make,
            {[] {
                 add(g_stream, 'a');
                 add(g_stream, 'a');
                 model::finish(native_of(g_stream));
             },
             [] {
                 size_t cancelled = 0;
                 REQUIRE_OK(gs_queue_cancel(g_queue, 'a', &cancelled));
                 gs_completion_t entries[4];
                 size_t count = 0;
                 REQUIRE_OK(gs_queue_poll(g_queue, entries, 4, &count));
                 for (size_t i = 0; i < count; ++i) {
                     cancelled -= entries[i].status == GS_ERROR_CANCELLED;
                     g_taken += 'a';
                 }
                 require(cancelled == 0, "an entry that was cancelled is not ready");
             }},
            [] { end_run("aa"); }};
}

uint64_t g_calls_before;

// One that is done answers for those in front of it: whenever the scanner comes, it does not ask about each.
Scenario many_at_once() {
    return {"entries of one stream that are all done at once",
            make,
            {[] {
                for (int i = 0; i < kMany; ++i) add(g_stream, static_cast<char>('a' + i));
                g_calls_before = model::calls();
                model::finish(native_of(g_stream));
            }},
            [] {
                settle();
                const uint64_t calls = model::calls() - g_calls_before;
                require(calls <= kMany / 2, std::to_string(calls) + " driver calls for what is done");
                end_run("abcdefghijklmnopqrstuvwx");
                require(g_taken == "abcdefghijklmnopqrstuvwx", "entries of one stream in the wrong order: " + g_taken);
            }};
}

constexpr Depth kShort{.bound = 2, .most = 4'000};

} // namespace

TEST_F(Queues, BehindAnother) { expect_clean(behind_another(), kShort); }
TEST_F(Queues, AfterAPause) { expect_clean(after_a_pause(), kShort); }
TEST_F(Queues, BesideAnother) { expect_clean(beside_another(), kShort); }
TEST_F(Queues, ManyAtOnce) { expect_clean(many_at_once(), kShort); }
TEST_F(Queues, AgainstCancel) { expect_clean(against_cancel(), kShort); }
TEST_F(Queues, WithBufferedStores) { expect_clean(behind_another(), {.bound = 1, .most = 4'000, .buffered = true}); }

} // namespace gs::schedule
