// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_event.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>

#include "base/clock.hpp"
#include "base/fork_state.hpp"
#include "base/futex.hpp"
#include "base/status.hpp"

namespace gs::host {
namespace {

constexpr uint64_t kLookEveryNs = 5000000; // asking the system about a process costs microseconds
constexpr uint64_t kSlotMask = 0xff;

Result identify(ProcessIdentity *out) noexcept {
    if (own_identity(out)) return Result::Ok;
    fail_system("open", ENOENT, "interprocess events need /proc").ignore();
    return Result::System;
}

} // namespace

Result IpcEvent::export_new(const char *directory, int32_t device, IpcHandle *out_handle, IpcEvent **out) noexcept {
    auto *event = new (std::nothrow) IpcEvent;
    if (!event) return Result::OutOfMemory;
    std::snprintf(event->directory_, sizeof event->directory_, "%s", directory);
    Result result = identify(&event->self_);
    IpcHandle &handle = event->handle_;
    handle.exporter = event->self_;
    handle.device = static_cast<uint16_t>(device);
    if (result == Result::Ok && getrandom(&handle.nonce, sizeof handle.nonce, 0) != sizeof handle.nonce) {
        fail_system("getrandom", errno, "cannot name an interprocess event").ignore();
        result = Result::System;
    }
    handle.check = handle.compute_check();
    if (result == Result::Ok) {
        sweep_pages(directory);
        result = create_page(directory, handle, &event->page_);
    }
    if (result == Result::Ok) {
        event->exporter_ = true;
        result = event->enlist(event->self_);
    }
    if (result != Result::Ok) {
        event->disown();
        event->release();
        return result;
    }
    *out_handle = handle;
    *out = event;
    return Result::Ok;
}

Result IpcEvent::open(const char *directory, int32_t device, const IpcHandle &handle, IpcEvent **out) noexcept {
    if (!handle.valid()) return Result::NotAHandle;
    ProcessIdentity self;
    const Result known = identify(&self);
    if (known != Result::Ok) return known;
    if (handle.exporter == self) return Result::NotSupported;
    if (handle.device != device) return Result::WrongDevice;
    if (is_dead(handle.exporter)) return Result::PeerLost;
    auto *event = new (std::nothrow) IpcEvent;
    if (!event) return Result::OutOfMemory;
    event->handle_ = handle;
    event->self_ = self;
    Result result = open_page(directory, handle, &event->page_);
    if (result == Result::Ok) result = event->enlist(self);
    if (result != Result::Ok) {
        event->release();
        return result;
    }
    *out = event;
    return Result::Ok;
}

Result IpcEvent::enlist(const ProcessIdentity &self) noexcept {
    for (uint32_t slot = 0; slot < IpcPage::kRecorders; ++slot) {
        IpcPage::Recorder &recorder = page_->recorders[slot];
        if (head_pending_in(slot) || !clear_dead_recorder(slot)) continue;
        uint64_t ticket = recorder.ticket.load(std::memory_order_acquire);
        if (ticket % 4 != 0 || !recorder.ticket.compare_exchange_strong(ticket, ticket + 1, std::memory_order_acq_rel))
            continue;
        recorder.process = self;
        recorder.ticket.store(ticket + 2, std::memory_order_release);
        slot_ = slot;
        enlisted_ = true;
        return Result::Ok;
    }
    fail_system("open", EMFILE, "an interprocess event can be open in %u processes at a time", IpcPage::kRecorders)
        .ignore();
    return Result::System;
}

void IpcEvent::release() noexcept {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // All records of ours are complete: each pending one holds a reference.
    if (enlisted_ && !in_bad_fork()) page_->recorders[slot_].ticket.fetch_add(2, std::memory_order_acq_rel);
    if (page_) unmap_page(page_);
    delete this;
}

void IpcEvent::disown() noexcept {
    // A forked child shares the page with its parent, whose event it still is.
    if (!exporter_ || in_bad_fork() || static_cast<uint32_t>(getpid()) != self_.pid) return;
    unlink_page(directory_, handle_.exporter, handle_.nonce);
}

uint64_t IpcEvent::begin_record() noexcept {
    uint64_t head = page_->head.load(std::memory_order_acquire);
    uint64_t next;
    do {
        next = (((head >> 8) + 1) << 8) | slot_;
    } while (!page_->head.compare_exchange_weak(head, next, std::memory_order_acq_rel));
    return next >> 8;
}

void IpcEvent::complete(uint64_t generation) noexcept {
    std::atomic<uint64_t> &done = page_->done[generation % IpcPage::kHistory];
    uint64_t known = done.load(std::memory_order_relaxed);
    while (known < generation &&
           !done.compare_exchange_weak(known, generation, std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    page_->futex.fetch_add(1, std::memory_order_acq_rel);
    futex_wake(page_->futex, kWakeAll, true);
}

bool IpcEvent::newest(IpcTicket *out) const noexcept {
    const uint64_t head = page_->head.load(std::memory_order_acquire);
    if (head == 0) return false;
    out->event = const_cast<IpcEvent *>(this);
    out->generation = head >> 8;
    out->recorder = static_cast<uint32_t>(head & kSlotMask) % IpcPage::kRecorders;
    out->recorder_check = page_->recorders[out->recorder].ticket.load(std::memory_order_acquire);
    return true;
}

bool IpcEvent::done(const IpcTicket &ticket) const noexcept {
    return page_->done[ticket.generation % IpcPage::kHistory].load(std::memory_order_acquire) >= ticket.generation;
}

Result IpcEvent::check(const IpcTicket &ticket) noexcept {
    if (done(ticket)) return Result::Ok;
    const uint64_t now = monotonic_ns();
    uint64_t looked = looked_ns_.load(std::memory_order_relaxed);
    if (now - looked < kLookEveryNs || !looked_ns_.compare_exchange_strong(looked, now, std::memory_order_relaxed))
        return Result::NotReady;
    if (!recorder_lost(ticket)) return Result::NotReady;
    return done(ticket) ? Result::Ok : Result::PeerLost; // it may have completed right before it ended
}

void IpcEvent::nap(uint64_t ns, const IpcTicket &ticket) const noexcept {
    const uint32_t seen = page_->futex.load(std::memory_order_acquire);
    if (!done(ticket)) futex_wait(page_->futex, seen, ns, true);
}

bool IpcEvent::recorder_lost(const IpcTicket &ticket) const noexcept {
    const IpcPage::Recorder &recorder = page_->recorders[ticket.recorder];
    const ProcessIdentity process = recorder.process;
    std::atomic_thread_fence(std::memory_order_acquire);
    // The slot was cleared in between, which happens only to processes that have ended.
    if (recorder.ticket.load(std::memory_order_relaxed) != ticket.recorder_check) return true;
    return is_dead(process);
}

// A pending record points to its slot: those that wait for it must still find the process that made it.
bool IpcEvent::head_pending_in(uint32_t slot) const noexcept {
    IpcTicket ticket;
    return newest(&ticket) && ticket.recorder == slot && !done(ticket);
}

// The slot of an ended process becomes free. True if the slot is free now.
bool IpcEvent::clear_dead_recorder(uint32_t slot) noexcept {
    IpcPage::Recorder &recorder = page_->recorders[slot];
    uint64_t ticket = recorder.ticket.load(std::memory_order_acquire);
    if (ticket % 4 == 0) return true;
    if (ticket % 4 != 2 || !is_dead(recorder.process)) return false;
    return recorder.ticket.compare_exchange_strong(ticket, ticket + 2, std::memory_order_acq_rel);
}

} // namespace gs::host
