// SPDX-License-Identifier: Apache-2.0
// A file of tokens that this process has made, and its cells.
#pragma once

#include "base/lock.hpp"
#include "base/shared_file.hpp"
#include "core/device/device.hpp"
#include "core/token/token_layout.hpp"

namespace gs {

struct TokenFile;

// A cell of this process.
struct TokenSlot {
    TokenFile *file = nullptr;
    uint32_t number = 0;       // of the cell
    uint32_t users = 0;        // calls of this process that use its token, guarded by the pool's mutex
    uintptr_t event = 0;       // 0: none yet
    uint64_t created_ns = 0;   // the newest token
    TokenSlot *next = nullptr; // of the lists of free and of leased slots

    TokenCell &cell() const noexcept;
};

struct TokenFile {
    Device *device = nullptr;
    SharedFile name{};
    TokenShared *shared = nullptr;
    unsigned char uuid[16] = {};
    uint32_t fresh = 0; // cells from here on were never used
    TokenFile *next = nullptr;
    Mutex readers_mutex; // of drop_dead_readers()
    uint64_t looked_ns GS_GUARDED_BY(readers_mutex) = 0;
    TokenSlot slots[kTokenCells];
};

inline TokenCell &TokenSlot::cell() const noexcept { return file->shared->cells[number]; }

// The files of tokens, those of this process and those of others.

// Makes a file for tokens of the device, and at the first time removes what dead processes left behind.
Status create_token_file(Device &device, TokenFile **out) noexcept;
void destroy_token_file(TokenFile &file) noexcept;

// Maps another process's file. INVALID_HANDLE: it has removed the file. PEER_LOST: it has ended.
Status open_token_file(const ProcessIdentity &creator, uint64_t nonce, SharedFile *out_name,
                       TokenShared **out) noexcept;

// Has a token's lease ended?
enum class Lease {
    Goes, // or a call in progress uses the slot
    Over, // the slot has no token, and no call uses it
    Lost, // whether the point is reached stays unknown: the slot cannot be used again
};

// Ends the lease if it may end. The caller has taken the slot out of all lists. pool: the lock of its users.
Lease look_at_lease(ThreadBlock &thread, TokenSlot &slot, uint64_t lease_ns, Mutex &pool) noexcept;
// Readers that died: their places are free for others. Only the file's owner may do it.
void drop_dead_readers(TokenFile &file) noexcept;

// The tokens that this process makes: cells in files of its own, with an interprocess event each, and their leases.

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
