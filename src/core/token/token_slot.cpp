// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_slot.hpp"

#include <cstddef>
#include <cstring>
#include <new>

#include "backend/registry.hpp"
#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "core/token/token_layout.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

// FNV-1a, of eight bytes at a time. It finds accidents, and is no defence against malice.
uint64_t check_of(const TokenName &name) noexcept {
    static_assert(offsetof(TokenName, check) % sizeof(uint64_t) == 0);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < offsetof(TokenName, check); i += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const char *>(&name) + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

} // namespace

void write_token(TokenName &name, gs_token_t *out) noexcept {
    name.check = check_of(name);
    std::memcpy(out, &name, sizeof name);
}

Status read_token(const gs_token_t &token, TokenName *out) noexcept {
    std::memcpy(static_cast<void *>(out), &token, sizeof *out);
    constexpr unsigned char kZero[sizeof out->reserved] = {};
    if (out->magic != TokenName::kMagic || out->check != check_of(*out))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the 128 bytes are not a token");
    if (out->version != TokenName::kVersion)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the token has version %u, this library knows %u",
                    unsigned{out->version}, unsigned{TokenName::kVersion});
    const bool sound = out->cell < kTokenCells && out->generation % 2 == 1 && out->backend != GS_BACKEND_DEFAULT &&
                       out->backend <= kBackendKinds && out->ordinal >= 0 &&
                       std::memcmp(out->reserved, kZero, sizeof kZero) == 0;
    return sound ? kOk : fail(GS_ERROR_INVALID_ARGUMENT, "the 128 bytes are not a token");
}

Status stale_token(const TokenName &name) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE,
                "the token's lease has ended: process %u, which made it, has used its event for another one, or given "
                "it up",
                name.creator.pid);
}

Status lost_token(const TokenName &name) noexcept {
    return fail(GS_ERROR_PEER_LOST, "process %u, which made the token, ended before its point was seen to be reached",
                name.creator.pid);
}

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

namespace {

constexpr uint64_t kReadersEveryNs = 5000000; // asking the system about a process costs microseconds

// Does a living reader hold one of the bits?
bool held_by_readers(TokenFile &file, const std::atomic<uint64_t> &bits) noexcept {
    if (bits.load(std::memory_order_seq_cst) == 0) return false; // model "token_call_or_next_token"
    drop_dead_readers(file);
    return bits.load(std::memory_order_seq_cst) != 0;
}

Lease see_point(ThreadBlock &thread, const TokenSlot &slot, uint64_t generation) noexcept {
    TokenCell &cell = slot.cell();
    if (cell.reached.load(std::memory_order_acquire) == generation) return Lease::Over;
    const Device &device = *slot.file->device;
    bool done = false;
    const CallMark mark(thread); // a reset of the device waits for the question
    const Status status = device.backend->event_query(thread, device.ordinal, slot.event, &done);
    if (!status.ok()) {
        if (check_health(device).ok()) return Lease::Goes; // it is asked again
        cell.lost.store(generation, std::memory_order_release);
        return Lease::Lost;
    }
    if (!done) return Lease::Goes;
    cell.reached.store(generation, std::memory_order_release);
    return Lease::Over;
}

} // namespace

void drop_dead_readers(TokenFile &file) noexcept {
    MutexLock lock(file.readers_mutex); // two threads could take the bits of a place's next reader
    const uint64_t now = monotonic_ns();
    if (now - file.looked_ns < kReadersEveryNs) return;
    file.looked_ns = now;
    TokenShared &shared = *file.shared;
    for (uint32_t place = 0; place < kTokenReaders; ++place) {
        const uint64_t life = shared.readers[place].load(std::memory_order_acquire);
        if (life == 0 || !life_has_ended(life)) continue;
        for (TokenCell &cell : shared.cells) {
            cell.opened.fetch_and(~(uint64_t{1} << place), std::memory_order_acq_rel);
            cell.in_call.fetch_and(~(uint64_t{1} << place), std::memory_order_acq_rel);
        }
        shared.readers[place].store(0, std::memory_order_release);
    }
    shared.crowded.store(0, std::memory_order_relaxed);
}

Lease look_at_lease(ThreadBlock &thread, TokenSlot &slot, uint64_t lease_ns, Mutex &pool) noexcept {
    TokenCell &cell = slot.cell();
    // Here as well as for the file of a new token: the readers of an older file find no place either.
    if (slot.file->shared->crowded.load(std::memory_order_relaxed) != 0) drop_dead_readers(*slot.file);
    const uint64_t generation = cell.generation.load(std::memory_order_relaxed);
    if (generation % 2 == 1) {
        const bool waited = cell.waited.load(std::memory_order_acquire) == generation;
        const bool expired = monotonic_ns() - slot.created_ns >= lease_ns;
        if (!waited && !expired) return Lease::Goes;
        if (!expired && held_by_readers(*slot.file, cell.opened)) return Lease::Goes;
        if (const Lease seen = see_point(thread, slot, generation); seen != Lease::Over) return seen;
        MutexLock lock(pool);
        if (slot.users != 0) return Lease::Goes;
        end_generation(cell, generation);
    }
    if (held_by_readers(*slot.file, cell.in_call)) return Lease::Goes;
    cell.opened.store(0, std::memory_order_relaxed); // of readers that did not come back in time
    return Lease::Over;
}

} // namespace gs
