// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_arena.hpp"

#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "backend/host/ipc/ipc_layout.hpp"
#include "base/fork_state.hpp"
#include "base/shared_file.hpp"
#include "base/status.hpp"

namespace gs::host {
namespace {

constexpr int kArenasLookedAt = 8; // for a free cell, before a new arena is made
constexpr int kCellsLookedAt = 8;

} // namespace

// Cells that never had an event are [fresh, kCells). Those whose event was destroyed are queued, as some process may
// still have it open.
struct IpcExporter::Own {
    IpcArena *arena = nullptr;
    Own *prev = nullptr, *next = nullptr;
    uint32_t live = 0;
    uint32_t fresh = 0;
    uint32_t first = 0, queued = 0;
    uint16_t queue[IpcShared::kCells];

    bool take_queued(uint32_t *out) noexcept {
        for (int i = 0; i < kCellsLookedAt && queued > 0; ++i) {
            const uint16_t cell = queue[first];
            first = (first + 1) % IpcShared::kCells;
            --queued;
            // Acquire: what the last process that had it open wrote comes before the next event.
            const uint64_t state = arena->shared().cells[cell].state.load(std::memory_order_acquire);
            if ((state & kOpenersMask) == 0) {
                *out = cell;
                return true;
            }
            put(cell);
        }
        return false;
    }
    void put(uint32_t cell) noexcept {
        queue[(first + queued) % IpcShared::kCells] = static_cast<uint16_t>(cell);
        ++queued;
    }
    bool take(uint32_t *out) noexcept {
        if (fresh < IpcShared::kCells) {
            *out = fresh++;
            return true;
        }
        return take_queued(out);
    }
};

Result IpcExporter::make(int32_t device, IpcEvent **out, bool *out_first) noexcept {
    MutexLock lock(mutex_);
    uint32_t number = 0;
    *out_first = false;
    bool found = false;
    for (int i = 0; i < kArenasLookedAt && newest_ && !found; ++i) {
        found = newest_->take(&number);
        if (!found) newest_ = newest_->next; // the next call goes on from there
    }
    if (!found) {
        const Result result = add_arena();
        if (result != Result::Ok) return result;
        (void)newest_->take(&number);
    }
    Own &own = *newest_;
    ++own.live;
    IpcCell &cell = own.arena->shared().cells[number];
    IpcHandle handle;
    handle.device = static_cast<uint16_t>(device);
    handle.exporter = self_;
    handle.nonce = own.arena->nonce();
    handle.cell = number;
    // While its number is even, only a process that has the cell open may touch it.
    handle.serial = (cell.state.load(std::memory_order_relaxed) >> kSerialShift) + 1;
    handle.check = handle.compute_check();
    auto *event = new (std::nothrow) IpcEvent(*own.arena, handle);
    if (!event) {
        own.put(number);
        if (--own.live == 0) remove_own(own);
        return Result::OutOfMemory;
    }
    own.arena->retain();
    cell.newest.store(0, std::memory_order_relaxed);
    cell.device.store(handle.device, std::memory_order_relaxed);
    cell.state.store(handle.serial << kSerialShift, std::memory_order_release); // with the two above
    *out = event;
    *out_first = !std::exchange(exported_, true);
    return Result::Ok;
}

Result IpcExporter::add_arena() noexcept {
    if (!this_process(&self_).ok()) return Result::System;
    uint64_t nonce = 0;
    if (!make_nonce("interprocess events", &nonce).ok()) return Result::System; // one-sided: as make_nonce() says
    auto *own = new (std::nothrow) Own;
    if (!own) return Result::OutOfMemory;
    IpcShared *shared = nullptr;
    const Result result = create_arena_file(directory_, self_, nonce, &shared);
    if (result == Result::Ok) own->arena = new (std::nothrow) IpcArena(shared, self_, self_, nonce);
    if (!own->arena) {
        if (shared) {
            unmap_arena(shared);
            unlink_arena_file(directory_, self_, nonce);
        }
        delete own;
        return result != Result::Ok ? result : Result::OutOfMemory;
    }
    own->prev = newest_ ? newest_->prev : own;
    own->next = newest_ ? newest_ : own;
    own->prev->next = own;
    own->next->prev = own;
    newest_ = own;
    return Result::Ok;
}

void IpcExporter::destroy(IpcEvent *event) noexcept {
    // A forked child shares the memory with its parent, which still owns the event.
    if (in_bad_fork()) return;
    MutexLock lock(mutex_);
    if (static_cast<uint32_t>(getpid()) != self_.pid) return;
    Own *own = newest_;
    while (own->arena != &event->arena()) own = own->next;
    // Release: the next event in the cell begins after all use of this one.
    event->cell().state.fetch_add(uint64_t{1} << kSerialShift, std::memory_order_acq_rel);
    own->put(event->handle().cell);
    event->arena().release();
    delete event;
    if (--own->live == 0) remove_own(*own);
}

void IpcExporter::remove_own(Own &own) noexcept {
    own.prev->next = own.next;
    own.next->prev = own.prev;
    if (newest_ == &own) newest_ = own.next != &own ? own.next : nullptr;
    unlink_arena_file(directory_, self_, own.arena->nonce());
    own.arena->release();
    delete &own;
}

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
    if (!this_process(&self_).ok()) return Result::System;
    if (handle.exporter == self_) return Result::NotSupported;
    if (handle.device != device) return Result::WrongDevice;
    if (!check_folder(handle.exporter, self_).ok()) return Result::System;
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
