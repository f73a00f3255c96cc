// SPDX-License-Identifier: Apache-2.0
// The files of tokens, those of this process and those of others.
#pragma once

#include "core/token/token_slot.hpp"

namespace gs {

// Makes a file for tokens of the device, and at the first time removes what dead processes left behind.
Status create_token_file(Device &device, TokenFile **out) noexcept;
void destroy_token_file(TokenFile &file) noexcept;

// Maps another process's file. INVALID_HANDLE: it has removed the file. PEER_LOST: it has ended.
Status open_token_file(const ProcessIdentity &creator, uint64_t nonce, SharedFile *out_name,
                       TokenShared **out) noexcept;

} // namespace gs
