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

} // namespace gs
