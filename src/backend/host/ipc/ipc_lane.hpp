// SPDX-License-Identifier: Apache-2.0
// What processes do with the lanes of an arena: own one, complete records in it, ask about a record.
#pragma once

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_layout.hpp"
#include "base/process_identity.hpp"

namespace gs::host {

// Takes a lane that no live process owns; *out_issued: its numbers go on behind this one. Looks from lane `from` on.
// False when all lanes are owned by live processes.
bool claim_lane(IpcShared &shared, const ProcessIdentity &self, uint32_t from, uint32_t *out_lane,
                uint64_t *out_issued) noexcept;
// The owner gives it back. All of its records are complete.
void leave_lane(IpcLane &lane) noexcept;
// The owner's records up to this number are complete.
void complete_lane(IpcLane &lane, uint64_t number) noexcept;
// What is pending will never complete. The lane is no longer the caller's.
void abandon_lane(IpcLane &lane) noexcept;

// The newest record of the event and the owner of its lane. False when it was never recorded.
bool newest_record(const IpcShared &shared, const IpcCell &cell, RecordWord *out_word, uint64_t *out_owner) noexcept;
// Ok, NotReady or PeerLost, from shared memory alone. The first of Ok and PeerLost stays the answer.
Result record_state(const IpcShared &shared, RecordWord word, uint64_t owner) noexcept;
// Asks the system whether the owner is alive, which costs microseconds. If it is dead, all processes see that from now
// on by record_state().
void look_for_owner(IpcShared &shared, RecordWord word, uint64_t owner) noexcept;

} // namespace gs::host
