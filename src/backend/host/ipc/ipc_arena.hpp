// SPDX-License-Identifier: Apache-2.0
// This process's view of an arena: one mapping, and the lanes that the process owns in it.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_layout.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/process_identity.hpp"

namespace gs::host {

class IpcArena;

// A lane of this process. While records are pending it is in a stream's list, guarded by the stream's lock, and keeps
// the arena; else it is in the arena's list.
struct LaneUse {
    IpcArena *arena;
    uint32_t lane;
    uint64_t issued = 0;    // number of the newest record
    uint64_t completed = 0; // of the newest one that is no longer pending
    bool abandoned = false; // a record was lost, and with it all that follow in the stream
    LaneUse *next = nullptr;
};

// The lane for the stream's next record of an event of the arena; nullptr when memory or lanes are used up, with
// *out_result. A caller that makes no record gives it to settle_lane().
LaneUse *lane_for(LaneUse *&lanes_of_stream, IpcArena &arena, Result *out_result) noexcept;
// Takes the lane out of the stream's list if nothing is pending.
void settle_lane(LaneUse *&lanes_of_stream, LaneUse &lane) noexcept;
// The stream has come to the record. lost: work before it was dropped, which other processes see as PeerLost.
void complete_record(LaneUse *&lanes_of_stream, LaneUse &lane, uint64_t number, bool lost) noexcept;

class IpcArena {
public:
    // Takes over the mapping.
    IpcArena(IpcShared *shared, const ProcessIdentity &self, const ProcessIdentity &exporter, uint64_t nonce) noexcept
        : shared_(shared), self_(self), exporter_(exporter), nonce_(nonce) {}

    void retain() noexcept { refs_.retain(); }
    // The last reference unmaps it and gives the lanes back.
    void release() noexcept;

    IpcShared &shared() const noexcept { return *shared_; }
    uint64_t nonce() const noexcept { return nonce_; }
    bool names(const ProcessIdentity &exporter, uint64_t nonce) const noexcept {
        return nonce_ == nonce && exporter_ == exporter;
    }

    bool done(const IpcTicket &ticket) const noexcept;
    // Ok, NotReady or PeerLost. Looks for the owner of a lane only every few milliseconds.
    Result check(const IpcTicket &ticket) noexcept;
    // Sleeps until some record of the ticket's lane completes, at most for a while.
    void nap(uint64_t ns, const IpcTicket &ticket) const noexcept;

    // Of the importer, guarded by its mutex: the list, and the events that this process has open.
    IpcArena *next = nullptr;
    uint32_t opened = 0;

private:
    friend LaneUse *lane_for(LaneUse *&lanes_of_stream, IpcArena &arena, Result *out_result) noexcept;
    friend void settle_lane(LaneUse *&lanes_of_stream, LaneUse &lane) noexcept;
    ~IpcArena();
    LaneUse *take_lane(Result *out_result) noexcept;

    RefCount refs_;
    IpcShared *const shared_;
    const ProcessIdentity self_, exporter_;
    const uint64_t nonce_;
    TinyLock lock_;
    FreeList<LaneUse> idle_ GS_GUARDED_BY(lock_);
    std::atomic<uint32_t> last_lane_{0};
    std::atomic<uint64_t> looked_ns_[IpcShared::kLanes] = {};
};

// This process's view of one interprocess event: a cell of an arena.
class IpcEvent {
public:
    // Takes over a reference to the arena.
    IpcEvent(IpcArena &arena, const IpcHandle &handle) noexcept : arena_(arena), handle_(handle) {}

    IpcArena &arena() const noexcept { return arena_; }
    const IpcHandle &handle() const noexcept { return handle_; }
    IpcCell &cell() const noexcept { return arena_.shared().cells[handle_.cell]; }

    // A record becomes the newest one. Returns its name.
    RecordWord publish(LaneUse &lane) noexcept;
    RecordWord publish_done() noexcept; // complete already
    RecordWord publish_lost() noexcept; // the work before it was dropped

    // The newest record, without a reference. False when there is none.
    bool newest(IpcTicket *out) const noexcept;

private:
    IpcArena &arena_;
    const IpcHandle handle_;
};

// The events that this process gives to other processes, and those that it has of theirs.

// The events that this process exports: arenas of its own and their cells.
//
// Exporting takes a cell, which costs no system call. Every 128 live events need one more arena, that is one file;
// the file is removed when its last event is destroyed. Files do not stay open.
class IpcExporter {
public:
    explicit IpcExporter(const char *directory) noexcept : directory_(directory) {}

    // out_first: no event was exported before. System failures leave their detail in the thread's pending record.
    Result make(int32_t device, IpcEvent **out, bool *out_first) noexcept;
    // The event is gone: it can no longer be opened. Deletes the view.
    void destroy(IpcEvent *event) noexcept;

private:
    struct Own;
    Result add_arena() noexcept GS_REQUIRES(mutex_);
    void remove_own(Own &own) noexcept GS_REQUIRES(mutex_);

    const char *const directory_;
    Mutex mutex_;
    Own *newest_ GS_GUARDED_BY(mutex_) = nullptr; // of a ring: where a free cell is looked for first
    ProcessIdentity self_ GS_GUARDED_BY(mutex_);
    bool exported_ GS_GUARDED_BY(mutex_) = false; // an event, at some time
};

// The events that this process opens: each arena of another process is mapped once.
class IpcImporter {
public:
    explicit IpcImporter(const char *directory) noexcept : directory_(directory) {}

    Result open(int32_t device, const IpcHandle &handle, IpcEvent **out) noexcept;
    void close(IpcEvent *event) noexcept; // deletes the view
    uint32_t mapped() noexcept;           // arenas; for tests

private:
    Result map(const IpcHandle &handle, IpcArena **out) noexcept GS_REQUIRES(mutex_);
    void drop(IpcArena &arena) noexcept GS_REQUIRES(mutex_);

    const char *const directory_;
    Mutex mutex_;
    IpcArena *arenas_ GS_GUARDED_BY(mutex_) = nullptr; // those with an event open
    ProcessIdentity self_ GS_GUARDED_BY(mutex_);
};

} // namespace gs::host
