// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/semaphore_end.hpp"

#include "base/last_error.hpp"
#include "base/log.hpp"

namespace gs {

void release_semaphore(TimelineSlot &slot) noexcept {
    const uintptr_t semaphore = slot.semaphore.load(std::memory_order_relaxed);
    if (semaphore == 0) return;
    slot.semaphore.store(0, std::memory_order_relaxed);
    gs_error_info_t &pending = this_thread()->pending;
    const gs_error_info_t before = pending; // the caller may be about to return it
    const Status status = slot.device->backend->destroy_semaphore(slot.device->ordinal, semaphore);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "giving a semaphore of %s device %d back failed: %s: %s",
                    slot.device->backend->name(), slot.device->ordinal, status_name(status.code), pending_text());
    pending = before;
}

} // namespace gs
