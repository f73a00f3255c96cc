// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_name.hpp"

#include <cstddef>
#include <cstring>

#include "base/checksum.hpp"

namespace gs {
namespace {

uint64_t check_of(const SharedTimelineName &name) noexcept {
    static_assert(offsetof(SharedTimelineName, check) % sizeof(uint64_t) == 0);
    return checksum(&name, offsetof(SharedTimelineName, check));
}

} // namespace

void write_shared_name(const ProcessIdentity &creator, uint64_t nonce, gs_ipc_handle_t *out) noexcept {
    SharedTimelineName name;
    name.creator = creator;
    name.nonce = nonce;
    name.check = check_of(name);
    std::memcpy(out, &name, sizeof name);
}

Status read_shared_name(const gs_ipc_handle_t &handle, SharedTimelineName *out) noexcept {
    std::memcpy(static_cast<void *>(out), &handle, sizeof *out);
    if (out->magic != SharedTimelineName::kMagic || out->check != check_of(*out) || out->reserved[0] != 0 ||
        out->reserved[1] != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the 64 bytes are not an exported timeline");
    if (out->version == SharedTimelineName::kVersion) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "the exported timeline has version %u, this library knows %u", out->version,
                SharedTimelineName::kVersion);
}

} // namespace gs
