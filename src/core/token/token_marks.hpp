// SPDX-License-Identifier: Apache-2.0
// The marks by which a process that uses a token's cell and the cell's owner see each other, without a lock.
//
// A reader sets its bit first and looks at the generation then; the owner ends the generation first and looks at the bits then.
// All four are sequentially consistent, so one of the two sees the other (model "token_call_or_next_token").
#pragma once

#include "core/token/token_layout.hpp"

namespace gs {

inline void begin_call(TokenCell &cell, uint64_t bit) noexcept {
    cell.in_call.fetch_or(bit, std::memory_order_seq_cst); // model "token_call_or_next_token"
}
// Release: the owner records the event again after all that was done here.
inline void end_call(TokenCell &cell, uint64_t bit) noexcept {
    cell.in_call.fetch_and(~bit, std::memory_order_release); // model "token_call_or_next_token"
}
// After begin_call(). An odd generation that fits: the event stays the token's until end_call().
inline bool has_generation(const TokenCell &cell, uint64_t generation) noexcept {
    return cell.generation.load(std::memory_order_seq_cst) == generation; // model "token_call_or_next_token"
}
// Of the owner, for the next token: the event is recorded, and was exported before.
inline void begin_generation(TokenCell &cell, uint64_t generation) noexcept {
    cell.generation.store(generation, std::memory_order_release); // model "token_event_comes_with_its_generation"
}
// From here on no call begins to use the token. The bits are looked at after this.
inline void end_generation(TokenCell &cell, uint64_t generation) noexcept {
    cell.generation.store(generation + 1, std::memory_order_seq_cst); // model "token_call_or_next_token"
}

} // namespace gs
