// SPDX-License-Identifier: Apache-2.0
// The 64 bytes by which another process finds an exported event.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/process_identity.hpp"

namespace gs::host {

struct IpcHandle {
    static constexpr uint32_t kMagic = 0x45485347; // "GSHE"
    static constexpr uint16_t kVersion = 2;

    uint32_t magic = kMagic;
    uint16_t version = kVersion;
    uint16_t device = 0;
    ProcessIdentity exporter;
    uint64_t nonce = 0;  // of the arena
    uint64_t serial = 0; // of the event among those that had the cell
    uint32_t cell = 0;
    uint32_t reserved = 0;
    uint64_t check = 0; // over all of the above: finds accidents, and is no defence against malice

    uint64_t compute_check() const noexcept;
    bool valid() const noexcept;
};
static_assert(sizeof(IpcHandle) == 64);

} // namespace gs::host
