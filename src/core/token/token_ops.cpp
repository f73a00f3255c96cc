// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_ops.hpp"

#include <cstring>

#include "core/event/interprocess_waits.hpp"
#include "core/runtime.hpp"
#include "core/stream/captured.hpp"
#include "core/token/token_use.hpp"

namespace gs {
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
