// SPDX-License-Identifier: Apache-2.0
// Has a token's lease ended?
#pragma once

#include "core/token/token_slot.hpp"

namespace gs {

enum class Lease {
    Goes, // or a call in progress uses the slot
    Over, // the slot has no token, and no call uses it
    Lost, // the driver does not say whether the point is reached: the slot cannot be used again
};

// Ends the lease if it may end. The caller has taken the slot out of all lists. pool: the lock of its users.
Lease look_at_lease(ThreadBlock &thread, TokenSlot &slot, uint64_t lease_ns, Mutex &pool) noexcept;
// Readers that died: their places are free for others. Only the file's owner may do it.
void drop_dead_readers(TokenFile &file) noexcept;

} // namespace gs
