// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_name.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "backend/backends.hpp"
#include "base/mutex.hpp"
#include "core/token/token_layout.hpp"

namespace gs {
namespace {

Mutex g_token_process_mutex;
ProcessIdentity g_token_process GS_GUARDED_BY(g_token_process_mutex);

// FNV-1a, of eight bytes at a time: the bytes are checked at each use.
uint64_t check_of(const TokenName &name) noexcept {
    uint64_t hash = 0xcbf29ce484222325u;
    uint64_t words[offsetof(TokenName, check) / sizeof(uint64_t)];
    static_assert(offsetof(TokenName, check) == sizeof words);
    std::memcpy(words, &name, sizeof words);
    for (const uint64_t word : words) {
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

} // namespace

// A token needs a backend, and a process that started one is not forked: the number stays right.
Status token_process(ProcessIdentity *out) noexcept {
    MutexLock lock(g_token_process_mutex);
    if (g_token_process.pid == 0 && !own_identity(&g_token_process)) { // one-sided: every Linux has /proc
        g_token_process.pid = 0;                                       // not reached: every Linux has /proc
        return fail_system("open", ENOENT, "tokens need /proc");       // not reached: every Linux has /proc
    }
    *out = g_token_process;
    return kOk;
}

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
