// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_layout.hpp"

#include <cstring>

#include "base/shared_file.hpp"

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

namespace {

SharedFile file_of(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    return {directory, exporter, nonce, kArenaBytes, "interprocess events"};
}

Result result_of(Status status) noexcept {
    switch (status.code) {
    case GS_OK: return Result::Ok;
    case GS_ERROR_OUT_OF_MEMORY: return Result::NoRoom;
    case GS_ERROR_PEER_LOST: return Result::PeerLost;
    case GS_ERROR_INVALID_ARGUMENT: return Result::NotAHandle;
    default: return Result::System;
    }
}

} // namespace

Result create_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                         IpcShared **out) noexcept {
    void *memory = nullptr;
    const Result result = result_of(create_shared_file(file_of(directory, exporter, nonce), &memory));
    if (result != Result::Ok) return result;
    auto *shared = static_cast<IpcShared *>(memory);
    // All else is zero. Readers learn the name only from a handle, which is made later.
    shared->magic = IpcShared::kMagic;
    shared->version = IpcShared::kVersion;
    shared->nonce = nonce;
    *out = shared;
    return Result::Ok;
}

Result open_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce,
                       IpcShared **out) noexcept {
    void *memory = nullptr;
    const Result result = result_of(open_shared_file(file_of(directory, exporter, nonce), &memory));
    if (result != Result::Ok) return result;
    auto *shared = static_cast<IpcShared *>(memory);
    if (shared->magic != IpcShared::kMagic || shared->version != IpcShared::kVersion || shared->nonce != nonce) {
        unmap_arena(shared);
        return Result::NotAHandle;
    }
    *out = shared;
    return Result::Ok;
}

void unmap_arena(IpcShared *shared) noexcept { unmap_shared_file(file_of("", {}, 0), shared); }

void unlink_arena_file(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept {
    unlink_shared_file(file_of(directory, exporter, nonce));
}

} // namespace gs::host
