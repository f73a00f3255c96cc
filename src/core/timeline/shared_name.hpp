// SPDX-License-Identifier: Apache-2.0
// The 64 bytes of an exported timeline.
#pragma once

#include <cstdint>

#include "base/process_identity.hpp"
#include "base/status.hpp"

namespace gs {

struct SharedTimelineName {
    static constexpr uint32_t kMagic = 0x4e545347; // "GSTN"
    static constexpr uint32_t kVersion = 1;

    uint32_t magic = kMagic;
    uint32_t version = kVersion;
    ProcessIdentity creator;
    uint64_t nonce = 0; // of the creator's file
    uint64_t reserved[2] = {};
    uint64_t check = 0; // over all of the above
};
static_assert(sizeof(SharedTimelineName) == sizeof(gs_ipc_handle_t));

void write_shared_name(const ProcessIdentity &creator, uint64_t nonce, gs_ipc_handle_t *out) noexcept;
// INVALID_ARGUMENT: the bytes are no exported timeline.
Status read_shared_name(const gs_ipc_handle_t &handle, SharedTimelineName *out) noexcept;

} // namespace gs
