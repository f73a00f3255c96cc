// SPDX-License-Identifier: Apache-2.0
// This process's view of one interprocess event.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_page.hpp"
#include "backend/host/ipc/ipc_ticket.hpp"

namespace gs::host {

class IpcEvent {
public:
    // Fills the handle and makes its page; sweeps first.
    static Result export_new(const char *directory, int32_t device, IpcHandle *out_handle, IpcEvent **out) noexcept;
    static Result open(const char *directory, int32_t device, const IpcHandle &handle, IpcEvent **out) noexcept;

    void retain() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept; // the last one unmaps the page
    // The event object is gone: the exporter's name goes as well.
    void disown() noexcept;
    const IpcHandle &handle() const noexcept { return handle_; }

    // A record by this process: its generation.
    uint64_t begin_record() noexcept;
    void complete(uint64_t generation) noexcept;

    // The newest record. False when there is none.
    bool newest(IpcTicket *out) const noexcept;
    bool done(const IpcTicket &ticket) const noexcept;
    // Ok, NotReady or PeerLost. Looks for the process only every few milliseconds.
    Result check(const IpcTicket &ticket) noexcept;
    // Sleeps until some record completes, at most for a while.
    void nap(uint64_t ns, const IpcTicket &ticket) const noexcept;

private:
    IpcEvent() noexcept = default;
    Result enlist(const ProcessIdentity &self) noexcept; // takes a slot among the recorders
    bool head_pending_in(uint32_t slot) const noexcept;
    bool clear_dead_recorder(uint32_t slot) noexcept;
    bool recorder_lost(const IpcTicket &ticket) const noexcept;

    std::atomic<uint32_t> refs_{1};
    IpcPage *page_ = nullptr;
    uint32_t slot_ = 0;
    bool exporter_ = false;
    bool enlisted_ = false;
    IpcHandle handle_;
    ProcessIdentity self_;
    std::atomic<uint64_t> looked_ns_{0};
    char directory_[200] = {};
};

} // namespace gs::host
