// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_ops.hpp"

#include <cstring>

#include "base/process_identity.hpp"
#include "core/device/device_table.hpp"
#include "core/event/event_calls.hpp"
#include "core/runtime.hpp"
#include "core/stream/captured.hpp"
#include "core/token/token_layout.hpp"
#include "handle/grace.hpp"

namespace gs {

TokenUse::~TokenUse() {
    if (own_) leave_token_slot(*own_);
    if (peer_) leave_peer_file(*peer_, number_);
}

namespace {

// Drivers refuse the events of another pid namespace, and where they do not tell a process's end, too, only numbers of
// processes do.
Status check_namespace(const TokenName &name, const ProcessIdentity &self) noexcept {
    Backend *backend = nullptr;
    GS_TRY(use_backend(name.backend, &backend));
    if ((backend->caps() & kCapTellsLoss) != 0) return kOk;
    if (name.creator.pid_namespace == self.pid_namespace && self.pid_namespace != 0) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "the token comes from another pid namespace: %s has no interprocess events between these",
                backend->name());
}

} // namespace

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
    GS_TRY(check_folder(name.creator, self));
    GS_TRY(check_namespace(name, self));
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

namespace {

Status refuse_tokens_in_capture(ThreadBlock &thread, StreamSlot &stream) noexcept {
    GS_TRY(check_health(stream));
    bool capturing = false;
    GS_TRY(is_captured(thread, stream, &capturing));
    if (capturing) return fail(GS_ERROR_CAPTURING, "tokens cannot be part of a graph: the stream is being captured");
    return kOk;
}

} // namespace

Status create_token(ThreadBlock &thread, StreamSlot &stream, gs_token_t *out) noexcept {
    GS_TRY(refuse_tokens_in_capture(thread, stream));
    Device &device = *stream.device;
    if ((device.backend->caps() & kCapIpcEvents) == 0)
        return fail(GS_ERROR_NOT_SUPPORTED, "%s device %d has no interprocess events", device.backend->name(),
                    device.ordinal);
    TokenSlot *slot = nullptr;
    GS_TRY(take_token_slot(thread, device, &slot));
    mark_used(stream);
    if (const Status status = stream.backend->event_record(thread, slot->event, stream.ref(), false); !status.ok()) {
        give_token_slot(*slot); // it may be recorded: no token says so
        return status;
    }
    TokenName name;
    const TokenFile &file = *slot->file;
    name.backend = static_cast<uint16_t>(device.kind);
    name.ordinal = device.ordinal;
    name.creator = file.name.creator;
    name.nonce = file.name.nonce;
    name.cell = slot->number;
    std::memcpy(name.device, file.uuid, sizeof name.device);
    name.generation = lease_token_slot(*slot);
    write_token(name, out);
    return kOk;
}

Status wait_for_token(ThreadBlock &thread, StreamSlot &stream, const gs_token_t &token) noexcept {
    TokenName name;
    GS_TRY(read_token(token, &name));
    GS_TRY(refuse_tokens_in_capture(thread, stream));
    if (name.backend != stream.device->kind)
        return fail(GS_ERROR_NOT_SUPPORTED, "the token belongs to another backend than the stream, which is of %s",
                    stream.backend->name());
    TokenUse use;
    GS_TRY(use.begin(name));
    thread.counters.waits.add();
    gs_status_t known = use.known();
    // The driver does not refuse a wait for a process that has ended.
    if (known == GS_NOT_READY && use.creator_has_ended()) GS_TRY(use.ask(thread, &known));
    if (known == GS_ERROR_PEER_LOST) return lost_token(name);
    if (known == GS_OK) {
        thread.counters.elided_waits.add();
    } else {
        uintptr_t event = 0;
        GS_TRY(use.event(&event));
        mark_used(stream);
        GS_TRY(wait_interprocess(thread, stream, use.device(), event));
    }
    use.has_waited();
    return kOk;
}

Status token_status(ThreadBlock &thread, const gs_token_t &token, gs_status_t *out_status) noexcept {
    TokenName name;
    GS_TRY(read_token(token, &name));
    GS_TRY(ensure_initialized_for(GS_DEVICE(name.backend, 0)));
    TokenUse use;
    const Status begun = use.begin(name);
    if (begun.code == GS_ERROR_PEER_LOST) {
        *out_status = GS_ERROR_PEER_LOST;
        return kOk;
    }
    GS_TRY(begun);
    // First: a lease that ends after this knows of the reader, or the point was reached.
    use.saw_pending();
    gs_status_t seen = GS_NOT_READY;
    GS_TRY(use.ask(thread, &seen));
    if (seen != GS_NOT_READY) use.has_waited();
    *out_status = seen;
    return kOk;
}

} // namespace gs
