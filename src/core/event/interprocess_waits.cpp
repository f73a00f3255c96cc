// SPDX-License-Identifier: Apache-2.0
#include "core/event/interprocess_waits.hpp"

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "core/event/spare_events.hpp"

namespace gs {
namespace {

// A driver stream of the event's device, and an ordinary event, for one wait. Both may go as soon as the work is submitted.
class Relay {
public:
    ~Relay() {
        if (ordinary_) give_native_event(*home_, 0, ordinary_);
        if (stream_.native == 0) return;
        if (const Status status = home_->backend->stream_destroy(stream_); !status.ok())
            log_message(GS_LOG_WARNING, "destroying a stream of %s device %d failed: %s: %s", home_->backend->name(),
                        home_->ordinal, status_name(status.code), pending_text());
    }
    Status begin(Device &home) noexcept {
        home_ = &home;
        GS_TRY(take_native_event(home, 0, &ordinary_));
        StreamNative made{};
        GS_TRY(home.backend->stream_create({.ordinal = home.ordinal, .priority = 0, .blocking = false}, &made));
        stream_ = {home.ordinal, made.native};
        return kOk;
    }
    Status pass(ThreadBlock &thread, StreamSlot &stream, uintptr_t event) noexcept {
        Backend &backend = *home_->backend;
        GS_TRY(backend.stream_wait_event(thread, stream_, event, false));
        GS_TRY(backend.event_record(thread, ordinary_, stream_, false));
        return backend.stream_wait_event(thread, stream.ref(), ordinary_, false);
    }

private:
    Device *home_ = nullptr;
    uintptr_t ordinary_ = 0;
    StreamRef stream_{};
};

} // namespace

bool may_wait_interprocess(const StreamSlot &stream, const Device &home) noexcept {
    return home.ordinal == stream.ordinal || (home.backend->caps() & kCapIpcAcross) != 0;
}

Status wait_interprocess(ThreadBlock &thread, StreamSlot &stream, Device &home, uintptr_t event) noexcept {
    if (may_wait_interprocess(stream, home))
        return stream.backend->stream_wait_event(thread, stream.ref(), event, false);
    GS_TRY(check_health(home));
    Relay relay;
    GS_TRY(relay.begin(home));
    return relay.pass(thread, stream, event);
}

Status check_interprocess_node(const StreamSlot &stream, const EventSlot &event) noexcept {
    const Device *home = event.device.load(std::memory_order_acquire);
    if ((event.flags & GS_EVENT_INTERPROCESS) == 0 || !home || may_wait_interprocess(stream, *home)) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "a graph of %s device %d cannot wait for an interprocess event of device %d: drivers crash",
                stream.backend->name(), stream.ordinal, home->ordinal);
}

} // namespace gs
