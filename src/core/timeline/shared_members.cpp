// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_members.hpp"

#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/word_pages.hpp"

namespace gs {
namespace {

uint64_t bit_of(uint32_t member) noexcept { return uint64_t{1} << member; }

void end_shared_word(TimelineShared &shared) noexcept {
    __atomic_store_n(&shared.word, kTimelineEnd, __ATOMIC_SEQ_CST);
}

// A place that no process has, or one that ended between the two steps of taking or leaving it.
bool take_place(TimelineShared &shared, const ProcessIdentity &self, uint32_t member) noexcept {
    const uint64_t mine = process_word(self);
    uint64_t found = shared.members[member].load(std::memory_order_acquire);
    if (found != 0) {
        if ((shared.open.load(std::memory_order_acquire) & bit_of(member)) != 0) return false;
        if (!is_dead(process_of_word(found, self))) return false;
    }
    return shared.members[member].compare_exchange_strong(found, mine, std::memory_order_acq_rel);
}

} // namespace

void found_members(TimelineShared &shared, const ProcessIdentity &self) noexcept {
    shared.members[0].store(process_word(self), std::memory_order_relaxed);
    shared.open.store(1, std::memory_order_release);
}

Status join_members(TimelineShared &shared, const ProcessIdentity &self, uint32_t *out_member) noexcept {
    uint32_t member = 0;
    while (member < kTimelineMembers && !take_place(shared, self, member)) ++member;
    if (member == kTimelineMembers) return fail(GS_ERROR_FULL, "%u processes have the timeline open", kTimelineMembers);
    uint64_t open = shared.open.load(std::memory_order_acquire);
    do {
        if (open != 0 || GS_TIMELINE_BUG(JoinAfterLast)) continue;
        shared.members[member].store(0, std::memory_order_release);
        return fail(GS_ERROR_INVALID_HANDLE, "all processes have given the timeline up");
    } while (!shared.open.compare_exchange_weak(open, open | bit_of(member), std::memory_order_acq_rel));
    *out_member = member;
    return kOk;
}

bool leave_members(TimelineShared &shared, uint32_t member) noexcept {
    const bool last = shared.open.fetch_and(~bit_of(member), std::memory_order_acq_rel) == bit_of(member);
    shared.members[member].store(0, std::memory_order_release);
    if (last) end_shared_word(shared); // of streams of those that have left
    return last;
}

bool end_without_members(TimelineShared &shared) noexcept {
    if (shared.open.load(std::memory_order_acquire) != 0) return false; // as model shared_last_member
    end_shared_word(shared);
    return true;
}

bool DeadProcesses::has(const ProcessIdentity &process) noexcept {
    const uint64_t word = process_word(process);
    Answer &answer = answers_[(word * 0x9E3779B97F4A7C15u) >> 59];
    static_assert(kRemembered == 1u << 5);
    if (answer.process != word) answer = {word, is_dead(process)};
    return answer.dead;
}

bool has_living_member(const TimelineShared &shared, const ProcessIdentity &beside) noexcept {
    for (uint32_t member = 0; member < kTimelineMembers; ++member) {
        if ((shared.open.load(std::memory_order_acquire) & bit_of(member)) == 0) continue;
        const uint64_t word = shared.members[member].load(std::memory_order_acquire);
        if (word == 0 || !is_dead(process_of_word(word, beside))) return true; // 0: it is just leaving
    }
    return false;
}

bool has_lost_member(const TimelineShared &shared, uint32_t self, const ProcessIdentity &beside,
                     DeadProcesses &dead) noexcept {
    for (uint32_t member = 0; member < kTimelineMembers; ++member) {
        if (member == self || (shared.open.load(std::memory_order_acquire) & bit_of(member)) == 0) continue;
        const uint64_t word = shared.members[member].load(std::memory_order_acquire);
        if (word == 0 || !dead.has(process_of_word(word, beside))) continue;
        // It may have left and ended in between; one that has ended leaves no more.
        if ((shared.open.load(std::memory_order_acquire) & bit_of(member)) != 0 &&
            shared.members[member].load(std::memory_order_acquire) == word)
            return true;
    }
    return false;
}

void abort_shared(TimelineShared &shared, gs_status_t status) noexcept {
    uint32_t before = GS_OK;
    if (GS_TIMELINE_BUG(StatusAfterEnd)) end_shared_word(shared);
    shared.status.compare_exchange_strong(before, static_cast<uint32_t>(status), std::memory_order_acq_rel);
    end_shared_word(shared);
}

} // namespace gs
