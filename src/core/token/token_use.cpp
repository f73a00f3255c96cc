// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_use.hpp"

#include "core/device/device_table.hpp"
#include "core/this_process.hpp"
#include "core/token/token_marks.hpp"
#include "handle/grace.hpp"

namespace gs {

TokenUse::~TokenUse() {
    if (own_) leave_token_slot(*own_);
    if (peer_) leave_peer_file(*peer_, number_);
}

Status TokenUse::begin(const TokenName &name) noexcept {
    ProcessIdentity self;
    GS_TRY(this_process(&self));
    number_ = name.cell;
    generation_ = name.generation;
    if (name.creator == self) {
        Backend *backend = nullptr;
        GS_TRY(use_backend(name.backend, &backend));
        if (name.ordinal < backend->device_count())
            own_ = use_token_slot(*started_device(name.backend, name.ordinal), name.nonce, name.cell, name.generation);
        if (!own_) return stale_token(name);
        cell_ = &own_->cell();
        return kOk;
    }
    if (name.creator.pid_namespace != self.pid_namespace)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "the token comes from another pid namespace: its process cannot be watched");
    GS_TRY(use_peer_file(name, &peer_));
    cell_ = &peer_->shared->cells[number_];
    return has_generation(*cell_, generation_) ? kOk : stale_token(name);
}

gs_status_t TokenUse::known() const noexcept {
    if (cell_->reached.load(std::memory_order_acquire) == generation_) return GS_OK;
    if (cell_->lost.load(std::memory_order_acquire) == generation_) return GS_ERROR_PEER_LOST;
    return GS_NOT_READY;
}

Status TokenUse::event(uintptr_t *out) noexcept {
    if (peer_) return open_peer_event(*peer_, number_, out);
    *out = own_->event;
    return kOk;
}

Status TokenUse::ask(ThreadBlock &thread, gs_status_t *out) noexcept {
    *out = known();
    if (*out != GS_NOT_READY) return kOk;
    const bool ended = creator_has_ended(); // before the question: an answer "not done" is older than that
    uintptr_t native = 0;
    bool done = false;
    Status status;
    {
        const CallMark mark(thread); // a reset of the device waits for the question
        status = event(&native);
        if (status.ok()) status = device().backend->event_query(thread, device().ordinal, native, &done);
    }
    // A driver may have an error of its own for events of a process that has ended.
    if (status.code == GS_ERROR_PEER_LOST || (!status.ok() && peer_ && !is_alive(peer_->name.creator))) {
        *out = GS_ERROR_PEER_LOST;
        return kOk;
    }
    GS_TRY(status);
    if (!done && !ended) return kOk;
    // Where the driver lets the events of a dead process count as done, only those of a living one say something.
    if (done && peer_ && (device().backend->caps() & kCapTellsLoss) == 0) done = is_alive(peer_->name.creator);
    if (done) {
        cell_->reached.store(generation_, std::memory_order_release);
        *out = GS_OK;
    } else {
        *out = known() == GS_OK ? GS_OK : GS_ERROR_PEER_LOST; // another process may have seen it in time
    }
    return kOk;
}

void TokenUse::saw_pending() noexcept {
    if (peer_) cell_->opened.fetch_or(peer_->bit(), std::memory_order_seq_cst);
}

void TokenUse::has_waited() noexcept {
    cell_->waited.store(generation_, std::memory_order_release);
    if (peer_) cell_->opened.fetch_and(~peer_->bit(), std::memory_order_release);
}

} // namespace gs
