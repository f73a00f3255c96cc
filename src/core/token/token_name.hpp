// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of a token.
#pragma once

#include <cstdint>

#include "base/process_identity.hpp"
#include "base/status.hpp"

namespace gs {

struct TokenName {
    static constexpr uint32_t kMagic = 0x54545347; // "GSTT"
    static constexpr uint16_t kVersion = 2;

    uint32_t magic = kMagic;
    uint16_t version = kVersion;
    uint16_t backend = 0;          // gs_backend_t
    unsigned char device[16] = {}; // its UUID
    ProcessIdentity creator;
    uint64_t nonce = 0;      // of the creator's file
    uint64_t generation = 0; // of the cell
    uint32_t cell = 0;
    int32_t ordinal = 0; // of the device in the creator
    unsigned char reserved[48] = {};
    uint64_t check = 0; // over all of the above, against wrong bytes, not against malice
};
static_assert(sizeof(TokenName) == sizeof(gs_token_t));

void write_token(TokenName &name, gs_token_t *out) noexcept;
// INVALID_ARGUMENT: the bytes are no token.
Status read_token(const gs_token_t &token, TokenName *out) noexcept;
// The status of a token whose lease has ended.
Status stale_token(const TokenName &name) noexcept __attribute__((cold));
Status lost_token(const TokenName &name) noexcept __attribute__((cold));

} // namespace gs
