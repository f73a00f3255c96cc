// SPDX-License-Identifier: Apache-2.0
// The tokens that this process makes: cells in files of its own, with an interprocess event each, and their leases.
#pragma once

#include "core/token/token_slot.hpp"

namespace gs {

// A slot with an event and without a token: one whose lease has ended, else another one. May create the context.
Status take_token_slot(ThreadBlock &thread, Device &device, TokenSlot **out) noexcept;
// It got no token after all.
void give_token_slot(TokenSlot &slot) noexcept;
// The slot's event is recorded: from here on a token names it. Returns its generation.
uint64_t lease_token_slot(TokenSlot &slot) noexcept;

// The slot with this token, in use until leave_token_slot(); nullptr: its lease has ended.
TokenSlot *use_token_slot(Device &device, uint64_t nonce, uint32_t cell, uint64_t generation) noexcept;
void leave_token_slot(TokenSlot &slot) noexcept;

// Takes back what ended leases kept; removes files without a token.
void trim_tokens(ThreadBlock &thread) noexcept;

} // namespace gs
