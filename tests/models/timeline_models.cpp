// SPDX-License-Identifier: Apache-2.0
// Timelines that processes share. A member is a thread here: what it shares with the others is the same memory.
#include <cstring>
#include <iterator>

#include "core/timeline/shared_members.hpp"
#include "core/timeline/shared_order.hpp"
#include "core/timeline/word_pages.hpp"
#include "models/models.hpp"

namespace gs::models {
namespace {

TimelineShared g_shared;
bool g_accepted[2];
SignalBefore g_before[2];

const ProcessIdentity &this_identity() {
    static const ProcessIdentity identity = [] {
        ProcessIdentity found;
        require(own_identity(&found), "/proc can be read");
        return found;
    }();
    return identity;
}

// Two members have it open, as made and joined before.
void renew_timeline() {
    std::memset(static_cast<void *>(&g_shared), 0, sizeof g_shared);
    found_members(g_shared, this_identity());
    uint32_t member = 0;
    require(join_members(g_shared, this_identity(), &member).ok() && member == 1, "a second member joins");
    for (bool &accepted : g_accepted) accepted = false;
    for (SignalBefore &before : g_before) before = {};
}

void claim(uint32_t member, uint64_t value, uint64_t behind) {
    g_accepted[member] = claim_signal(g_shared, member, value, behind, &g_before[member]).ok();
}

uint64_t value_in_table(uint32_t place) {
    const SignalTable &table = g_shared.tables[g_shared.present.load() % (2 * kTimelineMembers)];
    return place < table.count.load() ? table.signals[place].value.load() : 0;
}

uint64_t word() { return __atomic_load_n(&g_shared.word, __ATOMIC_ACQUIRE); }

} // namespace

// The smaller one comes first, or is refused; the larger one stands behind it if it does.
Model shared_signals_race() {
    return {"shared_signals_race", renew_timeline, {[] { claim(0, 5, 0); }, [] { claim(1, 7, 0); }}, [] {
                require(g_accepted[1], "the largest one is always accepted");
                require(g_accepted[0] == (g_before[1].value == 5), "who comes second knows of the first");
                require(value_in_table(0) == (g_accepted[0] ? 5u : 7u), "the table has what was accepted");
                require(value_in_table(1) == (g_accepted[0] ? 7u : 0u), "and nothing else");
            }};
}

// One member replaces the table twice, which writes the memory of the first one again, while the other reads it. All three
// can keep the order, so none may be refused: a table of which one part is older than the other could say otherwise.
Model shared_tables_are_whole() {
    static bool first, last;
    return {"shared_tables_are_whole",
            renew_timeline,
            {[] {
                 SignalBefore before{};
                 first = claim_signal(g_shared, 0, 1, 0, &before).ok();
                 last = claim_signal(g_shared, 0, 5, 4, &before).ok();
             },
             [] { claim(1, 2, 1); }},
            [] {
                require(first && last && g_accepted[1], "all of them can keep the order");
                require(value_in_table(0) == 1 && value_in_table(1) == 2 && value_in_table(2) == 5, "none is lost");
            }};
}

// A thread takes its value before it raises the word: a stream's smaller one is not accepted in between.
Model shared_thread_and_stream() {
    return {"shared_thread_and_stream",
            renew_timeline,
            {[] {
                 g_accepted[0] = claim_for_thread(g_shared, 0, 5).ok();
                 if (g_accepted[0]) __atomic_store_n(&g_shared.word, 5, __ATOMIC_SEQ_CST);
             },
             [] { claim(1, 4, 0); }},
            [] {
                require(!(g_accepted[0] && g_accepted[1]), "the stream's signal would set the word back");
                require(g_accepted[0] || g_accepted[1], "one of them is right");
            }};
}

// Who sees the end in the word sees the status; the first status stays.
Model shared_abort_is_seen() {
    static gs_status_t seen[2];
    const auto abort_and_look = [](int thread, gs_status_t status) {
        abort_shared(g_shared, status);
        seen[thread] = shared_status(g_shared);
    };
    return {"shared_abort_is_seen",
            renew_timeline,
            {[=] { abort_and_look(0, GS_ERROR_PEER_LOST); }, [=] { abort_and_look(1, GS_ERROR_ABORTED); },
             [] {
                 if (word() == kTimelineEnd) require(shared_status(g_shared) != GS_OK, "an end without a status");
             }},
            [] {
                require(seen[0] == seen[1] && seen[0] == shared_status(g_shared), "two statuses of one abort");
                require(word() == kTimelineEnd, "streams go on");
            }};
}

// The last member ends the timeline; a process that comes then is refused, and one that came before keeps it alive.
Model shared_last_member() {
    static bool last[2], joined;
    return {"shared_last_member",
            [] {
                std::memset(static_cast<void *>(&g_shared), 0, sizeof g_shared);
                found_members(g_shared, this_identity());
                last[0] = last[1] = joined = false;
            },
            {[] { last[0] = leave_members(g_shared, 0); },
             [] {
                 uint32_t member = 0;
                 joined = join_members(g_shared, this_identity(), &member).ok();
                 if (!joined) return;
                 require(word() != kTimelineEnd, "a member of a timeline that has ended");
                 last[1] = leave_members(g_shared, member);
             }},
            [] {
                require(last[0] != last[1], "one of them is the last");
                require(joined || last[0], "who is refused comes after the last");
                require(g_shared.open.load() == 0 && word() == kTimelineEnd, "it has ended");
                for (const auto &member : g_shared.members) require(member.load() == 0, "a place stays taken");
            }};
}

} // namespace gs::models
