// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_file.hpp"

#include <cstring>
#include <new>

#include "base/shared_file.hpp"
#include "core/this_process.hpp"

namespace gs {
namespace {

// Cells begin with different numbers, so that a token whose cell was changed does not fit by chance.
uint64_t first_generation(uint64_t nonce, uint32_t cell) noexcept {
    uint64_t mixed = (nonce ^ cell) * 0xff51afd7ed558ccdu;
    mixed ^= mixed >> 32;
    return (mixed * 0xc4ceb9fe1a85ec53u >> 4) & ~uint64_t{1};
}

} // namespace

Status create_token_file(Device &device, TokenFile **out) noexcept {
    gs_device_info_t info{};
    GS_TRY(device_info(device, &info));
    if (!info.has_uuid)
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no UUID, by which another process could find it",
                    device.backend->name(), device.ordinal);
    SharedFile name{nullptr, {}, 0, kTokenFileBytes, kTokenPurpose};
    GS_TRY(shared_directory(&name.directory));
    GS_TRY(this_process(&name.creator));
    GS_TRY(make_nonce(kTokenPurpose, &name.nonce));
    auto *file = new (std::nothrow) TokenFile;
    if (!file) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a file of tokens");
    void *memory = nullptr;
    if (const Status status = create_shared_file_swept(name, &memory); !status.ok()) {
        delete file;
        return status;
    }
    file->device = &device;
    file->name = name;
    file->shared = static_cast<TokenShared *>(memory);
    std::memcpy(file->uuid, info.uuid, sizeof file->uuid);
    for (uint32_t cell = 0; cell < kTokenCells; ++cell)
        file->shared->cells[cell].generation.store(first_generation(name.nonce, cell), std::memory_order_relaxed);
    file->shared->magic = TokenShared::kMagic;
    file->shared->version = TokenShared::kVersion;
    file->shared->nonce = name.nonce;
    sweep_shared_once(name.directory);
    *out = file;
    return kOk;
}

void destroy_token_file(TokenFile &file) noexcept {
    file.shared->removed.store(1, std::memory_order_relaxed);
    unlink_shared_file(file.name);
    unmap_shared_file(file.name, file.shared);
    delete &file;
}

Status open_token_file(const ProcessIdentity &creator, uint64_t nonce, SharedFile *out_name,
                       TokenShared **out) noexcept {
    *out_name = {nullptr, creator, nonce, kTokenFileBytes, kTokenPurpose};
    GS_TRY(shared_directory(&out_name->directory));
    void *memory = nullptr;
    const Status status = open_shared_file(*out_name, &memory);
    if (status.code == GS_ERROR_PEER_LOST && !is_dead(creator))
        return fail(GS_ERROR_INVALID_HANDLE, "the token's lease has ended: process %u has removed its file",
                    creator.pid);
    GS_TRY(status);
    auto *shared = static_cast<TokenShared *>(memory);
    if (shared->magic != TokenShared::kMagic || shared->version != TokenShared::kVersion || shared->nonce != nonce) {
        unmap_shared_file(*out_name, memory);
        return fail(GS_ERROR_INVALID_ARGUMENT, "the token's file is not one of this version of gpustream");
    }
    *out = shared;
    return kOk;
}

} // namespace gs
