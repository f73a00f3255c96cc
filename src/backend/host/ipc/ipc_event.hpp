// SPDX-License-Identifier: Apache-2.0
// This process's view of one interprocess event: a cell of an arena.
#pragma once

#include "backend/host/ipc/ipc_arena.hpp"
#include "backend/host/ipc/ipc_handle.hpp"

namespace gs::host {

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

} // namespace gs::host
