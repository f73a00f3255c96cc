// SPDX-License-Identifier: Apache-2.0
// The events that this process gives to other processes, and those that it has of theirs.
#pragma once

#include "backend/host/ipc/ipc_arena.hpp"
#include "base/lock.hpp"

namespace gs::host {

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
