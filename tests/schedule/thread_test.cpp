// SPDX-License-Identifier: Apache-2.0
// Threads that come and go. A thread's block serves the next thread only after its exit has finished with it. What it
// counted stays counted, and its spare events reach other threads.
#include <pthread.h>

#include <atomic>

#include "core/thread/thread_state.hpp"
#include "schedule/scenario.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "schedule/scheduler/sharing.hpp"
#include "support/seeded_bug.hpp"

namespace gs::schedule {
namespace {

using testing::SeededBug;
using Threads = OnModel;

constexpr uint64_t kRecords = 3;
std::atomic<ThreadBlock *> g_leaving;
gs_stream_t g_stream;
uint64_t g_before;

void on_exit(ThreadBlock &block) {
    g_leaving = &block;
    access("in an exit hook", kAlwaysShared, true, nullptr);
    g_leaving = nullptr;
}

uint64_t records_so_far() {
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    REQUIRE_OK(gs_get_stats(&stats));
    return stats.records;
}

void *use_events(void *) {
    const gs_event_t event = new_event();
    require(this_thread() != g_leaving, "a new thread has the block of one that is still ending");
    for (uint64_t i = 0; i < kRecords; ++i) REQUIRE_OK(gs_event_record(event, g_stream));
    REQUIRE_OK(gs_event_destroy(event));
    return nullptr;
}

void run_thread() {
    pthread_t thread;
    require(pthread_create(&thread, nullptr, use_events, nullptr) == 0, "no thread can be started");
    require(pthread_join(thread, nullptr) == 0, "the thread cannot be joined");
}

// A thread gets the block of any thread that has ended.
void treat_blocks_alike() {
    for (ThreadBlock *block = all_thread_blocks(); block; block = block->next) {
        const auto first = reinterpret_cast<uintptr_t>(all_thread_blocks());
        sharing().treat_alike(reinterpret_cast<uintptr_t>(block), sizeof *block, sizeof *block, first);
        if (!block->core) continue;
        static const auto first_core = reinterpret_cast<uintptr_t>(block->core);
        sharing().treat_alike(reinterpret_cast<uintptr_t>(block->core), sizeof *block->core, sizeof *block->core,
                              first_core);
    }
}

void make() {
    treat_blocks_alike();
    model::begin_run();
    g_stream = new_stream();
    g_before = records_so_far();
}

void end_run(uint64_t expected) {
    require(records_so_far() - g_before == expected, "a record is not counted, or counted twice");
    REQUIRE_OK(gs_stream_destroy(g_stream));
    clean_up();
    require(model::new_events() <= 0, "a driver event is lost with its thread");
}

Scenario exit_against_start() {
    return {"a thread ends while another one begins", make, {run_thread, run_thread}, [] { end_run(2 * kRecords); }};
}

// What is read only grows, up to what was done.
Scenario exit_against_stats() {
    return {"a thread ends while its counters are read",
            make,
            {run_thread,
             [] {
                 const uint64_t first = records_so_far() - g_before;
                 const uint64_t second = records_so_far() - g_before;
                 require(first <= second && second <= kRecords, "the sum over all threads goes back or too far");
             }},
            [] { end_run(kRecords); }};
}

// A thread must not lose what it counts while another one resets the statistics.
Scenario stats_against_reset() {
    return {"records against a reset of the statistics",
            make,
            {[] {
                 const gs_event_t event = new_event();
                 for (uint64_t i = 0; i < kRecords; ++i) REQUIRE_OK(gs_event_record(event, g_stream));
                 REQUIRE_OK(gs_event_destroy(event));
             },
             [] {
                 REQUIRE_OK(gs_reset_stats());
                 require(records_so_far() <= kRecords, "more is counted after a reset than was done");
             }},
            [] {
                require(records_so_far() <= kRecords, "more is counted after a reset than was done");
                REQUIRE_OK(gs_stream_destroy(g_stream));
                clean_up();
            }};
}

constexpr Depth kShort{.bound = 2, .most = 3'000};

} // namespace

TEST_F(Threads, ExitAgainstStart) {
    ASSERT_TRUE(add_thread_exit_hook(on_exit));
    expect_clean(exit_against_start(), kShort);
}
TEST_F(Threads, ExitAgainstStats) { expect_clean(exit_against_stats(), kShort); }
TEST_F(Threads, RecordsAgainstReset) { expect_clean(stats_against_reset(), kShort); }

TEST_F(Threads, Fixture_BlockReleasedEarly) {
    ASSERT_TRUE(add_thread_exit_hook(on_exit));
    const Seeded bug(SeededBug::BlockReleasedEarly);
    expect_broken(exit_against_start(), kShort);
}

} // namespace gs::schedule
