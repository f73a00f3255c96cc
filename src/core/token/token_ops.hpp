// SPDX-License-Identifier: Apache-2.0
// Tokens: points of streams that any process on the machine can wait for.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Under the caller's CallMark.
Status create_token(ThreadBlock &thread, StreamSlot &stream, gs_token_t *out) noexcept;
Status wait_for_token(ThreadBlock &thread, StreamSlot &stream, const gs_token_t &token) noexcept;

// GS_OK, GS_NOT_READY or PEER_LOST.
Status token_status(ThreadBlock &thread, const gs_token_t &token, gs_status_t *out_status) noexcept;

} // namespace gs
