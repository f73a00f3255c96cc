// SPDX-License-Identifier: Apache-2.0
#include "core/stream/driver_streams.hpp"

#include <utility>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/deferred.hpp"
#include "core/stream/partition_life.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/stream/wait_event.hpp"

namespace gs {

Status make_driver_stream(Device &device, StreamKind kind, int32_t priority, uint32_t flags, PartitionSlot *partition,
                          StreamSlot **out) noexcept {
    StreamSlot *slot = take_bare_stream();
    if (!slot) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another stream");
    StreamNative made{};
    const bool blocking = (flags & GS_STREAM_BLOCKING) != 0;
    const uintptr_t part = partition ? partition->made.native : 0;
    const Status status = device.backend->stream_create({device.ordinal, priority, blocking, part}, &made);
    if (!status.ok()) {
        give_bare_stream(*slot);
        return status;
    }
    bind_slot(*slot, device,
              {.kind = kind,
               .native = made.native,
               .uid = new_stream_uid(),
               .priority = priority,
               .flags = flags,
               .used = kind != StreamKind::Leased});
    slot->partition = partition;
    if (partition) hold_partition(*partition);
    *out = slot;
    return kOk;
}

void dismantle_stream(StreamSlot &slot) noexcept {
    const Status status = slot.backend->stream_destroy(slot.ref());
    if (!status.ok())
        log_message(GS_LOG_WARNING, "destroying a stream of %s device %d failed: %s: %s", slot.backend->name(),
                    slot.ordinal, status_name(status.code), pending_text());
    drop_wait_event(slot);
    PartitionSlot *partition = std::exchange(slot.partition, nullptr);
    give_bare_stream(slot);
    // A stream that the driver may still have must not outlive its partition.
    if (partition && status.ok()) release_partition(*partition);
}

void end_driver_stream(StreamSlot &slot) noexcept {
    flush_last_deferred(slot);
    if (const CaptureGuard *guard = capture_guard()) guard->give_up(slot);
    dismantle_stream(slot);
}

Status refuse_if_capturing(ThreadBlock &thread, const Device &device, uintptr_t native) noexcept {
    bool capturing = false;
    GS_TRY(device.backend->stream_is_capturing(thread, {device.ordinal, native}, &capturing));
    if (!capturing) return kOk;
    return fail(GS_ERROR_CAPTURING, "the driver's stream %#llx of the device is being captured",
                static_cast<unsigned long long>(native));
}

} // namespace gs
