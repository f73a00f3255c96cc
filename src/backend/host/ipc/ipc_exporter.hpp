// SPDX-License-Identifier: Apache-2.0
// The events that this process exports: arenas of its own and their cells.
//
// Exporting takes a cell, which costs no system call. Every 128 live events need one more arena, that is one file;
// the file is removed when its last event is destroyed. Files do not stay open.
#pragma once

#include "backend/host/ipc/ipc_event.hpp"
#include "base/lock.hpp"

namespace gs::host {

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

} // namespace gs::host
