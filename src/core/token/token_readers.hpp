// SPDX-License-Identifier: Apache-2.0
// The tokens of other processes: each of their files is mapped once, and each of its events opened once.
#pragma once

#include "base/lock.hpp"
#include "core/token/token_layout.hpp"
#include "core/token/token_slot.hpp"

namespace gs {

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

} // namespace gs
