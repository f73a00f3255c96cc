// SPDX-License-Identifier: Apache-2.0
// The events that this process opens: each arena of another process is mapped once.
#pragma once

#include "backend/host/ipc/ipc_event.hpp"
#include "base/lock.hpp"

namespace gs::host {

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
