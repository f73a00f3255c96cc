// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_layout.hpp"

#include <cstddef>
#include <cstring>

#include "backend/registry.hpp"

namespace gs {
namespace {

// FNV-1a, of eight bytes at a time. It finds accidents, and is no defence against malice.
uint64_t check_of(const TokenName &name) noexcept {
    static_assert(offsetof(TokenName, check) % sizeof(uint64_t) == 0);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < offsetof(TokenName, check); i += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char *>(&name) + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

} // namespace

void write_token(TokenName &name, gs_token_t *out) noexcept {
    name.check = check_of(name);
    std::memcpy(out, &name, sizeof name);
}

Status read_token(const gs_token_t &token, TokenName *out) noexcept {
    std::memcpy(static_cast<void *>(out), &token, sizeof *out);
    constexpr unsigned char kZero[sizeof out->reserved] = {};
    if (out->magic != TokenName::kMagic || out->check != check_of(*out))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the 128 bytes are not a token");
    if (out->version != TokenName::kVersion)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the token has version %u, this library knows %u",
                    unsigned{out->version}, unsigned{TokenName::kVersion});
    const bool sound = out->cell < kTokenCells && out->generation % 2 == 1 && out->backend != GS_BACKEND_DEFAULT &&
                       out->backend <= kBackendKinds && out->ordinal >= 0 &&
                       std::memcmp(out->reserved, kZero, sizeof kZero) == 0;
    return sound ? kOk : fail(GS_ERROR_INVALID_ARGUMENT, "the 128 bytes are not a token");
}

Status stale_token(const TokenName &name) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE,
                "the token's lease has ended: process %u, which made it, has used its event for another one, or given "
                "it up",
                name.creator.pid);
}

Status lost_token(const TokenName &name) noexcept {
    return fail(GS_ERROR_PEER_LOST, "process %u, which made the token, ended before its point was seen to be reached",
                name.creator.pid);
}

} // namespace gs
