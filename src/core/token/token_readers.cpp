// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_ops.hpp"

#include <cstring>
#include <new>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "core/device/device_table.hpp"
#include "core/event/event_calls.hpp"
#include "core/token/token_layout.hpp"

namespace gs {
namespace {

constexpr uint64_t kPeerEveryNs = 5000000; // asking the system about a process costs microseconds
constexpr int kEndedFilesKept = 16;        // whose tokens may still be asked about
constexpr uint32_t kCrowded = kTokenReaders / 2;

Mutex g_mapping_mutex; // taken before the other one
Mutex g_peers_mutex;
PeerFile *g_peer_files GS_GUARDED_BY(g_peers_mutex) = nullptr;

// The place of this process: the one that it has, or a free one.
Status take_place(TokenShared &shared, const ProcessIdentity &self, uint32_t *out) noexcept {
    for (const uint64_t wanted : {self.life, uint64_t{0}})
        for (uint32_t place = 0; place < kTokenReaders; ++place) {
            uint64_t found = wanted;
            if (!shared.readers[place].compare_exchange_strong(found, self.life, std::memory_order_acq_rel)) continue;
            // Only the owner can drop readers that were killed. So it is asked to before no place is left.
            if (place >= kCrowded) shared.crowded.store(1, std::memory_order_relaxed);
            *out = place;
            return kOk;
        }
    shared.crowded.store(1, std::memory_order_relaxed);
    return fail(GS_ERROR_FULL, "%u other processes use tokens of the same file", kTokenReaders);
}

Status device_of(const TokenName &name, Device **out) noexcept {
    Backend *backend = nullptr;
    GS_TRY(use_backend(name.backend, &backend));
    for (int32_t ordinal = 0; ordinal < backend->device_count(); ++ordinal) {
        Device *device = started_device(name.backend, ordinal);
        gs_device_info_t info{};
        GS_TRY(device_info(*device, &info));
        if (!info.has_uuid || std::memcmp(info.uuid, name.device, sizeof name.device) != 0) continue;
        *out = device;
        return kOk;
    }
    return fail(GS_ERROR_DEVICE_MISMATCH, "the token's device, number %d in process %u, is none of this process's",
                name.ordinal, name.creator.pid);
}

PeerFile *find_peer(const TokenName &name) noexcept GS_REQUIRES(g_peers_mutex) {
    PeerFile *file = g_peer_files;
    while (file && !(file->name.nonce == name.nonce && file->name.creator == name.creator)) file = file->next;
    return file;
}

void close_peer(PeerFile &file) noexcept {
    for (const PeerFile::Use &use : file.uses)
        if (use.event != 0) destroy_native_event(*file.device, use.event);
    unmap_shared_file(file.name, file.shared);
    delete &file;
}

// Files without tokens that no call uses: those that their processes have removed, and those of processes that have ended, but
// for the newest. The system is asked here, since there may be no more question about their tokens.
PeerFile *take_ended_files() noexcept GS_REQUIRES(g_peers_mutex) {
    PeerFile *taken = nullptr;
    int dead = 0;
    for (PeerFile **place = &g_peer_files; PeerFile *file = *place;) {
        const bool removed = file->shared->removed.load(std::memory_order_relaxed) != 0;
        const bool ended = peer_has_ended(*file) && ++dead > kEndedFilesKept;
        if (file->users != 0 || !(removed || ended)) {
            place = &file->next;
            continue;
        }
        *place = file->next;
        file->next = taken;
        taken = file;
    }
    return taken;
}

Status map_peer(const TokenName &name, Device &device, PeerFile **out) noexcept {
    ProcessIdentity self;
    GS_TRY(this_process(&self));
    auto *file = new (std::nothrow) PeerFile;
    if (!file) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another process's tokens");
    Status status = open_token_file(name.creator, name.nonce, &file->name, &file->shared);
    if (status.ok()) {
        status = take_place(*file->shared, self, &file->place);
        if (!status.ok()) unmap_shared_file(file->name, file->shared);
    }
    if (!status.ok()) {
        delete file;
        return status;
    }
    file->device = &device;
    *out = file;
    return kOk;
}

void begin_use(PeerFile &file, uint32_t cell) noexcept GS_REQUIRES(g_peers_mutex) {
    ++file.users;
    if (file.uses[cell].users++ == 0) begin_call(file.shared->cells[cell], file.bit());
}

bool use_known_file(const TokenName &name, PeerFile **out) noexcept {
    MutexLock lock(g_peers_mutex);
    PeerFile *file = find_peer(name);
    if (!file) return false;
    begin_use(*file, name.cell);
    *out = file;
    return true;
}

} // namespace

Status use_peer_file(const TokenName &name, PeerFile **out) noexcept {
    if (use_known_file(name, out)) return kOk;
    Device *device = nullptr;
    GS_TRY(device_of(name, &device));
    PeerFile *ended = nullptr;
    {
        MutexLock one_at_a_time(g_mapping_mutex); // two threads would take two places
        if (use_known_file(name, out)) return kOk;
        PeerFile *mapped = nullptr;
        GS_TRY(map_peer(name, *device, &mapped));
        MutexLock lock(g_peers_mutex);
        ended = take_ended_files();
        mapped->next = g_peer_files;
        g_peer_files = mapped;
        begin_use(*mapped, name.cell);
        *out = mapped;
    }
    while (PeerFile *file = ended) {
        ended = file->next;
        close_peer(*file);
    }
    return kOk;
}

void leave_peer_file(PeerFile &file, uint32_t cell) noexcept {
    MutexLock lock(g_peers_mutex);
    --file.users;
    if (--file.uses[cell].users == 0) end_call(file.shared->cells[cell], file.bit());
}

Status open_peer_event(PeerFile &file, uint32_t cell, uintptr_t *out_event) noexcept {
    {
        MutexLock lock(g_peers_mutex);
        *out_event = file.uses[cell].event;
    }
    if (*out_event != 0) return kOk;
    uintptr_t opened = 0;
    GS_TRY(file.device->backend->event_ipc_open(file.device->ordinal, file.shared->cells[cell].event, &opened));
    {
        MutexLock lock(g_peers_mutex);
        uintptr_t &event = file.uses[cell].event;
        if (event == 0) {
            event = opened;
            opened = 0;
        }
        *out_event = event;
    }
    if (opened != 0) destroy_native_event(*file.device, opened); // another thread was faster
    return kOk;
}

bool peer_has_ended(PeerFile &file) noexcept {
    if (file.dead.load(std::memory_order_relaxed)) return true;
    uint64_t looked = file.looked_ns.load(std::memory_order_relaxed);
    const uint64_t now = monotonic_ns();
    if (now - looked < kPeerEveryNs || !file.looked_ns.compare_exchange_strong(looked, now, std::memory_order_relaxed))
        return false;
    if (!is_dead(file.name.creator)) return false;
    file.dead.store(true, std::memory_order_relaxed);
    return true;
}

} // namespace gs
