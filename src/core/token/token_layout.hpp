// SPDX-License-Identifier: Apache-2.0
// The memory behind tokens: a file that one process makes and that processes which get its tokens map
// (docs/adr/0021-leased-tokens.md).
//
// A cell has one interprocess event for its whole life, and one token after the other: which one says its generation. The
// owner ends a token's lease by the next generation, and records the event again only when no process has a call in
// progress that uses the cell. Processes share no lock, so one that is stopped or killed holds up only itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/process_identity.hpp"
#include "base/status.hpp"
#include "gpustream.h"

namespace gs {

inline constexpr uint32_t kTokenReaders = 64; // processes that use a file at the same time, one bit each
inline constexpr uint32_t kTokenCells = 123;  // of a file

// Layout between processes of the same version of the library. Generations only grow; 0 is none.
struct alignas(64) TokenCell {
    std::atomic<uint64_t> generation; // odd: a token has the cell. Written by the owner
    std::atomic<uint64_t> reached;    // a process has seen that the point of this generation is reached
    std::atomic<uint64_t> lost;       // the owner cannot find out whether that of this one is
    std::atomic<uint64_t> waited;     // a process has waited for that of this one
    std::atomic<uint64_t> opened;     // bits of readers that saw the token's point pending and have not waited
    std::atomic<uint64_t> in_call;    // bits of readers that have a call in progress
    gs_ipc_handle_t event;            // written before the first token
};
static_assert(sizeof(TokenCell) == 128);

struct TokenShared {
    static constexpr uint32_t kMagic = 0x4b545347; // "GSTK"
    static constexpr uint32_t kVersion = 2;

    alignas(64) uint32_t magic;
    uint32_t version;
    uint64_t nonce;
    std::atomic<uint32_t> crowded;                            // a reader found few places left, or none
    std::atomic<uint32_t> removed;                            // there will be no more tokens
    alignas(64) std::atomic<uint64_t> readers[kTokenReaders]; // ProcessIdentity::life; 0: the place is free
    TokenCell cells[kTokenCells];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
inline constexpr size_t kTokenFileBytes = 16 * 1024;
static_assert(sizeof(TokenShared) <= kTokenFileBytes);
inline constexpr const char *kTokenPurpose = "tokens";

// The marks by which a process that uses a token's cell and the cell's owner see each other, without a lock.
//
// A reader sets its bit first and looks at the generation then; the owner ends the generation first and looks at the bits then.
// All four are sequentially consistent, so one of the two sees the other (model "token_call_or_next_token").
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

// The 128 bytes of a token.

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
