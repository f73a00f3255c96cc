// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_handle.hpp"

#include <cstring>

namespace gs::host {

uint64_t IpcHandle::compute_check() const noexcept {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325u;
    unsigned char bytes[offsetof(IpcHandle, check)];
    std::memcpy(bytes, this, sizeof bytes);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

bool IpcHandle::valid() const noexcept {
    return magic == kMagic && version == kVersion && reserved == 0 && check == compute_check();
}

} // namespace gs::host
