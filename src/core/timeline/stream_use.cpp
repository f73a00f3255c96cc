// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/stream_use.hpp"

#include "core/timeline/semaphores.hpp"

namespace gs {

Status enter_other_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept {
    if (slot.device->backend != stream.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "the timeline belongs to the %s backend, the stream to %s",
                    slot.device->backend->name(), stream.backend->name());
    GS_TRY(check_semaphore_stream(slot, stream));
    return check_aborted(slot);
}

Status check_narrow_reach(TimelineSlot &slot, uint64_t value) noexcept {
    if (value < current_value(slot) + kNarrowReach) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "the device's words have 32 bits: %llu is too far above the timeline's value, %llu",
                static_cast<unsigned long long>(value), static_cast<unsigned long long>(current_value(slot)));
}

} // namespace gs
