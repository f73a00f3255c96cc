// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_importer.hpp"

#include <cerrno>
#include <new>

#include "backend/host/ipc/ipc_file.hpp"
#include "base/fork_state.hpp"
#include "base/status.hpp"

namespace gs::host {
namespace {

// Opens the cell for this process if it still has the handle's event.
Result enter(IpcCell &cell, const IpcHandle &handle) noexcept {
    uint64_t state = cell.state.load(std::memory_order_acquire);
    do {
        if (state >> kSerialShift != handle.serial) return Result::PeerLost; // destroyed by the exporter
        if ((state & kOpenersMask) == kOpenersMask) {
            fail_system("open", EMFILE, "an interprocess event can be open %zu times", size_t{kOpenersMask}).ignore();
            return Result::System;
        }
    } while (!cell.state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire));
    return Result::Ok;
}

// Release: the exporter gives the cell to another event after all use here.
void leave(IpcCell &cell) noexcept { cell.state.fetch_sub(1, std::memory_order_release); }

} // namespace

Result IpcImporter::open(int32_t device, const IpcHandle &handle, IpcEvent **out) noexcept {
    if (!handle.valid() || handle.cell >= IpcShared::kCells || handle.serial % 2 == 0) return Result::NotAHandle;
    MutexLock lock(mutex_);
    if (self_.pid == 0 && !own_identity(&self_)) {                              // one-sided: every Linux has /proc
        self_.pid = 0;                                                          // not reached: every Linux has /proc
        fail_system("open", ENOENT, "interprocess events need /proc").ignore(); // not reached: every Linux has /proc
        return Result::System;
    }
    if (handle.exporter == self_) return Result::NotSupported;
    if (handle.device != device) return Result::WrongDevice;
    if (is_dead(handle.exporter)) return Result::PeerLost;
    IpcArena *arena = nullptr;
    Result result = map(handle, &arena);
    if (result != Result::Ok) return result;
    ++arena->opened;
    IpcCell &cell = arena->shared().cells[handle.cell];
    result = enter(cell, handle);
    if (result == Result::Ok) {
        // The cell was entered, so the device is that of the handle's event.
        if (cell.device.load(std::memory_order_relaxed) != handle.device) result = Result::NotAHandle;
        *out = result == Result::Ok ? new (std::nothrow) IpcEvent(*arena, handle) : nullptr;
        if (*out) return result;
        if (result == Result::Ok) result = Result::OutOfMemory;
        leave(cell);
    }
    drop(*arena);
    return result;
}

Result IpcImporter::map(const IpcHandle &handle, IpcArena **out) noexcept {
    for (IpcArena *arena = arenas_; arena; arena = arena->next) {
        if (!arena->names(handle.exporter, handle.nonce)) continue;
        *out = arena;
        return Result::Ok;
    }
    IpcShared *shared = nullptr;
    const Result result = open_arena_file(directory_, handle.exporter, handle.nonce, &shared);
    if (result != Result::Ok) return result;
    *out = new (std::nothrow) IpcArena(shared, self_, handle.exporter, handle.nonce);
    if (!*out) {
        unmap_arena(shared);
        return Result::OutOfMemory;
    }
    (*out)->next = arenas_;
    arenas_ = *out;
    return Result::Ok;
}

void IpcImporter::close(IpcEvent *event) noexcept {
    if (in_bad_fork()) return; // the parent still has it open
    MutexLock lock(mutex_);
    leave(event->cell());
    IpcArena &arena = event->arena();
    delete event;
    drop(arena);
}

// Waits and records that are pending keep the mapping.
void IpcImporter::drop(IpcArena &arena) noexcept {
    if (--arena.opened > 0) return;
    IpcArena **link = &arenas_;
    while (*link != &arena) link = &(*link)->next;
    *link = arena.next;
    arena.release();
}

uint32_t IpcImporter::mapped() noexcept {
    MutexLock lock(mutex_);
    uint32_t count = 0;
    for (const IpcArena *arena = arenas_; arena; arena = arena->next) ++count;
    return count;
}

} // namespace gs::host
