// SPDX-License-Identifier: Apache-2.0
// Who takes part in a timeline that processes share, and how it ends when one of them does.
#pragma once

#include "base/process_identity.hpp"
#include "base/status.hpp"
#include "core/timeline/shared_layout.hpp"

namespace gs {

// Of the process that makes the timeline: the first member, number 0.
void found_members(TimelineShared &shared, const ProcessIdentity &self) noexcept;
// INVALID_HANDLE: all have given the timeline up. FULL.
Status join_members(TimelineShared &shared, const ProcessIdentity &self, uint32_t *out_member) noexcept;
// True: it was the last one, and has ended the timeline.
bool leave_members(TimelineShared &shared, uint32_t member) noexcept;
// Ends it where all have left: the last one may have died before it did so. Whether all have.
bool end_without_members(TimelineShared &shared) noexcept;

// What is known to have ended, so that a round of looks asks the system once about each process.
class DeadProcesses {
public:
    bool has(const ProcessIdentity &process) noexcept;

private:
    static constexpr uint32_t kRemembered = 32;
    struct Answer {
        uint64_t process = 0;
        bool dead = false;
    };
    Answer answers_[kRemembered] = {};
};

// Is there a member that has not ended?
bool has_living_member(const TimelineShared &shared, const ProcessIdentity &beside) noexcept;
// Has a process ended that was a member?
bool has_lost_member(const TimelineShared &shared, uint32_t self, const ProcessIdentity &beside,
                     DeadProcesses &dead) noexcept;

// GS_OK, or the status of the abort.
inline gs_status_t shared_status(const TimelineShared &shared) noexcept {
    return static_cast<gs_status_t>(shared.status.load(std::memory_order_acquire));
}
// The first status stays. Who may see the end in the word sees the status: it is stored first.
void abort_shared(TimelineShared &shared, gs_status_t status) noexcept;

} // namespace gs
