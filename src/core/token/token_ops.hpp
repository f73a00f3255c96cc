// SPDX-License-Identifier: Apache-2.0
// Tokens: points of streams that any process on the machine can wait for.
#pragma once

#include "base/lock.hpp"
#include "core/slots.hpp"
#include "core/token/token_layout.hpp"
#include "core/token/token_slot.hpp"

namespace gs {

// The tokens of other processes: each of their files is mapped once, and each of its events opened once.

// Guarded by the readers' mutex, but what is atomic or never changes.
struct PeerFile {
    SharedFile name{};
    TokenShared *shared = nullptr;
    Device *device = nullptr; // ours with the token's UUID
    uint32_t place = 0;       // this process's bit
    uint32_t users = 0;       // calls in progress
    std::atomic<bool> dead{false};
    std::atomic<uint64_t> looked_ns{0};
    PeerFile *next = nullptr;
    struct Use {
        uint32_t users = 0;  // calls in progress
        uintptr_t event = 0; // 0: not opened
    } uses[kTokenCells];

    uint64_t bit() const noexcept { return uint64_t{1} << place; }
};

// Begins a use of the token's cell, whatever generation it has now. May map the file.
Status use_peer_file(const TokenName &name, PeerFile **out) noexcept;
void leave_peer_file(PeerFile &file, uint32_t cell) noexcept;
// The event of a cell that is in use. May create the context.
Status open_peer_event(PeerFile &file, uint32_t cell, uintptr_t *out_event) noexcept;
// Has the other process ended? Asks the system every few milliseconds only.
bool peer_has_ended(PeerFile &file) noexcept;

// A call that uses a token: from its beginning to its end the token's event is not recorded again.
class TokenUse {
public:
    TokenUse() noexcept = default;
    ~TokenUse();
    TokenUse(const TokenUse &) = delete;
    TokenUse &operator=(const TokenUse &) = delete;

    // INVALID_HANDLE: the lease has ended. PEER_LOST: the token's process has ended.
    Status begin(const TokenName &name) noexcept;

    // What is known without a driver: GS_OK, PEER_LOST, or GS_NOT_READY if the driver must be asked.
    gs_status_t known() const noexcept;
    // Asks the driver as well.
    Status ask(ThreadBlock &thread, gs_status_t *out) noexcept;
    // Has the token's process ended, as far as is known now?
    bool creator_has_ended() const noexcept { return peer_ && peer_has_ended(*peer_); }
    Status event(uintptr_t *out) noexcept;
    // Of the event.
    Device &device() const noexcept { return peer_ ? *peer_->device : *own_->file->device; }

    // The process takes part in the lease, or no longer.
    void saw_pending() noexcept;
    void has_waited() noexcept;

private:
    TokenSlot *own_ = nullptr;
    PeerFile *peer_ = nullptr;
    TokenCell *cell_ = nullptr;
    uint64_t generation_ = 0;
    uint32_t number_ = 0;
};

// Under the caller's CallMark.
Status create_token(ThreadBlock &thread, StreamSlot &stream, gs_token_t *out) noexcept;
Status wait_for_token(ThreadBlock &thread, StreamSlot &stream, const gs_token_t &token) noexcept;

// GS_OK, GS_NOT_READY or PEER_LOST.
Status token_status(ThreadBlock &thread, const gs_token_t &token, gs_status_t *out_status) noexcept;

} // namespace gs
